"""rocm-smi's output as lines with one label each.

    GPU[0]          : Card series:          Arcturus GL-XL [Instinct MI100]
    GPU[0]          : Temperature (Sensor edge) (C): 53.0
    Driver version: 6.3.6
Seen: ROCm 3.x to 6.x.
"""

from collections.abc import Iterator
from typing import Final

from accel.model.dataclass import replace
from accel.text.pattern import pattern
from accel.vendors.contract.backend import Reader, Reading
from accel_amd.quantities import whole_lines
from accel_amd.record import joined_by_index, reading
from accel_amd.rocm_smi_facts import device

SOURCE: Final = "rocm-smi text"
_LINE: Final = pattern(r"^\s*GPU\[(\d{1,4})\]\s*:\s*([^\s:]+(?:\s+[^\s:]+)*)\s*:\s*(\S.*)$")
_DRIVER: Final = pattern(r"^\s*Driver version: *(\d[\w.+-]*)\s*$")


def read(text: str) -> Iterator[Reading]:
    """Yield one reading that combines all lines in the text for each GPU."""
    cards: dict[str, dict[str, object]] = {}
    driver: str | None = None
    for line in whole_lines(text):
        found = _LINE.match(line)
        if found is not None:
            cards.setdefault(found[1], {}).setdefault(found[2].lower(), found[3].rstrip())
        elif driver is None and (named := _DRIVER.match(line)) is not None:
            driver = named[1]
    known = [d for card, labels in cards.items() if (d := device(card, labels)) is not None]
    devices = joined_by_index(replace(d, driver_version=driver) for d in known)
    if devices:
        yield reading(SOURCE, 62, devices, driver=driver)


READER: Final = Reader(name=SOURCE, signs=("GPU[",), read=read)
