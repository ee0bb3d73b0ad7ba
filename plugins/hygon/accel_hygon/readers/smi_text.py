"""The lines that `hy-smi --show…` prints without --json.

    HCU[0]          : Card Series:           K100_AI
    HCU[0]          : PCI Bus: 0000:05:00.0 --> SN: 2500238601000586
    HCU[0]          : vram Total Used Memory (MiB): 12058
    Driver version: 6.3.16

Seen    DTK 23 to 26, as parsed by other programs; "DCU[0]" in older releases. "GPU[0]" is AMD's own tool, unless the
        keys of that card are Hygon's: see smi_facts.py.
"""

from collections.abc import Iterator
from typing import Final

from accel.text.amounts import word
from accel.text.lines import broken_line
from accel.text.pattern import pattern
from accel.vendors.contract.backend import Reader, Reading
from accel_hygon.readers.smi_facts import device, is_hygon, is_known, reading

SOURCE: Final = "hy-smi text"
_LINE: Final = pattern(r"\s*([DH]C|GP)U\s?\[(\d{1,3})\]\s*:\s*([^\s:]+(?:\s+[^\s:]+)*)\s*:\s*(\S+(?:\s+\S+)*)\s*")
_BUS: Final = pattern(r"([^\s>]+?)\s*-->\s*SN:\s*(\S+)")
_DRIVER: Final = pattern(r"(?im)^[ \t]*driver version[ \t]*:[ \t]*(\d[\w.-]*)[ \t]*$")


def read(text: str) -> Iterator[Reading]:
    """Yield one reading of all cards."""
    said: dict[tuple[str, int], dict[str, str]] = {}
    broken = broken_line(text)
    for number, line in enumerate(text.splitlines(), 1):
        found = _LINE.fullmatch(line) if number != broken else None
        if found and is_known(found[3]):
            card = said.setdefault((found[1], int(found[2])), {})
            key, value = found[3], found[4]
            if bus := _BUS.fullmatch(value):
                value = bus[1]
                card.setdefault("Serial Number", bus[2])
            if word(value) is not None:
                card.setdefault(key, value)
    cards = {index: facts for (unit, index), facts in said.items() if unit.upper() != "GP" or is_hygon(facts)}
    if cards:
        driver = _DRIVER.search(text)
        devices = [device(index, facts) for index, facts in sorted(cards.items())]
        yield reading(SOURCE, devices, driver[1] if driver else None, 62)


READER: Final = Reader(name=SOURCE, signs=("HCU[", "DCU[", "HCU [", "DCU [", "GPU["), read=read)
