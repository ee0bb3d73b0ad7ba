"""The rows printed by `nvidia-smi dmon`, one per second and GPU: its columns about heat.

    # gpu    pwr  gtemp  mtemp     sm    mem    enc    dec   mclk   pclk  pviol  tviol
    # Idx      W      C      C      %      %      %      %    MHz    MHz      %   bool
        0    210     93      -    100     60      0      0   9501    900      0      1

Seen    drivers 418 to 580. "tviol" is 1 while the temperature holds the clocks down; "-" is unknown.
Notes   thermal-violation (gpu); gpu-hot-said (gpu, celsius): a row at 88 °C or more
"""

from collections.abc import Iterator
from typing import Final

from accel.model.observation import Noted
from accel.text.pattern import pattern
from accel.vendors.contract.backend import Reader, Reading
from accel.vendors.toolkit.notes import noted, reading_of

SOURCE: Final = "nvidia-smi dmon"
_HOT: Final = 88  # °C: cards slow down or switch off a little above
_HEADING: Final = pattern(r"^\s{0,8}#\s{0,8}gpu\s{1,20}(?P<names>[a-z]{2,12}(?:\s{1,20}[a-z]{2,12}){0,40})\s{0,20}$")
_ROW: Final = pattern(
    r"^\s{0,20}(?P<gpu>\d{1,3})\s{1,20}(?P<values>[\d.-]{1,10}(?:\s{1,20}[\d.-]{1,10}){0,40})\s{0,20}$"
)


def read(text: str) -> Iterator[Reading]:
    """Yield one reading with the first row per GPU that indicates heat."""
    found: dict[str, Noted] = {}
    names: list[str] = []
    for number, line in enumerate(text.split("\n"), 1):
        if heading := _HEADING.match(line):
            names = heading["names"].split()
        elif names and (row := _ROW.match(line)):
            values = row["values"].split()
            told = dict(zip(names, values, strict=True)) if len(values) == len(names) else {}
            gpu, celsius = str(int(row["gpu"])), told.get("gtemp", "")
            if told.get("tviol") == "1":
                heat = noted("thermal-violation", line, SOURCE, number, of=f"nvidia:{gpu}", gpu=gpu)
                found.setdefault(gpu, heat)
            if celsius.isdecimal() and int(celsius) >= _HOT:
                heat = noted("gpu-hot-said", line, SOURCE, number, of=f"nvidia:{gpu}", gpu=gpu, celsius=celsius)
                found.setdefault(f"{gpu} hot", heat)
    yield from reading_of(SOURCE, found.values())


READER: Final = Reader(name=SOURCE, signs=("tviol", "gtemp"), read=read)
