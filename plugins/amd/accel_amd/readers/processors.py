"""AMD processors with integrated graphics: specs/amd/processors.yaml.

    * CPU: 7800X3D     AMD Ryzen 7 7840HS w/ Radeon 780M Graphics     model name : AMD Ryzen 9 7950X
    Advanced Micro Devices, Inc. [AMD/ATI] Barcelo (rev c1)                    lspci
A bare number counts only after "CPU" or "Ryzen", since "RX 7600" is a graphics card; with X3D it always counts.
Noted  amd-processor-graphics (model, target)
"""

import re
from collections.abc import Iterator
from functools import cache
from typing import Final

from accel.model.observation import Noted
from accel.specs import load
from accel.text.pattern import pattern
from accel.vendors.contract.backend import Reader, Reading
from accel.vendors.toolkit.notes import noted_at, reading_of

_SAID: Final = pattern(
    r"(?:\bryzen\b(?:[ -]?(?:ai|pro|threadripper|max\+?|[3579])\b){0,4}[ -]?"
    r"|\b(?:cpu|processor|prozessor|model name)\b"
    r"[ \t]{0,20}[:=][ \t]{0,20}(?:amd[ -]?)?(?!amd|ryzen)|\b(?=[5789]\d{3}X3D\b))"
    r"(?P<model>[\w+]{2,9}(?: \d{3})?)",
    re.IGNORECASE,
)
_LISTED: Final = pattern(r"\[AMD/ATI\] (?P<model>[A-Z][a-z]{3,12}(?: Ridge)?)\b", exact_case=True)


def _read(text: str) -> Iterator[Reading]:
    found: dict[str, Noted] = {}
    for match in (*_SAID.finditer(text), *_LISTED.finditer(text)):
        target = _target_of(match["model"])
        model = match["model"] if match["model"].istitle() else match["model"].upper()
        if target is not None and model not in found:
            found[model] = noted_at("amd-processor-graphics", match, READER.name, model=model, target=target)
    yield from reading_of(READER.name, found.values())


def _target_of(model: str) -> str | None:
    words = (model.upper(), model.upper().split()[0])
    return next((target for form, target in _models() for word in words if form.fullmatch(word)), None)


@cache
def _models() -> tuple[tuple[re.Pattern[str], str], ...]:
    table = load().table("amd/processors") or {"processors": []}
    rows = [(model, row["target"]) for row in table["processors"] for model in (*row["models"], *row.get("dies", ()))]
    return tuple((re.compile(re.escape(model.upper()).replace(r"\#", r"\d")), target) for model, target in rows)


READER: Final = Reader(
    name="AMD processors",
    signs=("yzen", "YZEN", "CPU", "cpu", "rocessor", "X3D", "x3d", "odel name", "[AMD/ATI]"),
    read=_read,
)
