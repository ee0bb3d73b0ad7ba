"""Find devices that a text names anywhere, with their code targets: "RTX 5090", "RTX 50 series", "GTX 10xx".

They may not be in this machine. They help to choose among releases if nothing else identifies the device.
"""

from collections.abc import Iterator
from typing import Final

from accel.facts.readers.page import Page
from accel.model.observation import Noted
from accel.text.pattern import pattern

FACT: Final = "device-named"
_SERIES: Final = pattern(
    r"\b(?P<line>RTX|GTX)[ -]?(?P<generation>[1-9]0?)(?:x{2,3}|(?:00|0)?[ -]?(?:series|系列|系|シリーズ|시리즈))",
)
# An architecture that a CUDA compiler rejects is that of the present device: no build names another.
_REFUSED: Final = pattern(r"invalid value for --gpu-architecture|not defined for option 'gpu-architecture'")
_ASKED: Final = pattern(r"-arch(?:itecture)?=(?:compute|sm)_(?P<major>\d{1,2})(?P<minor>\d)\b")
_MIDDLE: Final = "70"  # RTX 5070 for RTX 50: a generation has one code target, if it has such a product
_MOST: Final = 20


def recognise(page: Page) -> Iterator[Noted]:
    """Yield each device once, without a line, so that it explains nothing near it."""
    specs = page.specs
    found: dict[str, str] = {}
    for named in page.products:
        if named.name is not None and not named.bare and len(found) < _MOST:
            code = specs.compute_capability(named.name) or specs.compute_target(named.name)
            if code is not None:
                found.setdefault(named.name, code)
    for series in _SERIES.finditer(page.text):
        line = series["line"].upper()
        code = specs.compute_capability(f"{line} {series['generation']}{_MIDDLE}")
        if code is not None and len(found) < _MOST:
            found.setdefault(f"{line} {series['generation']} series", code)
    if _REFUSED.search(page.text) and (asked := _ASKED.search(page.text)):
        found = {asked[0].rpartition("=")[2]: f"{asked['major']}.{asked['minor']}"}
    for name, code in found.items():
        yield Noted(fact=FACT, values=(("code", code), ("name", name)), text=name)
