"""Fields of `nvidia-smi --query-gpu`, written one per line with their values, as noted by people and scripts.

    utilization.gpu                                 100 %
    power.draw               average 78.9 W, highest 79.9 W
    pcie.link.gen.current = 2

Seen    names of drivers 418 to 610. At least two are required, since a single one may be prose.
Notes   power-plateau (average, highest): power draw observed over time
"""

import re
from collections.abc import Iterator
from typing import Final

from accel.model.observation import Noted
from accel.text.pattern import pattern
from accel.vendors.contract.backend import Reader, Reading
from accel.vendors.toolkit.notes import noted
from accel_nvidia.found import gpu, reading
from accel_nvidia.query_ecc import ecc_names
from accel_nvidia.query_facts import FACTS, facts

SOURCE: Final = "nvidia-smi fields"
TRUST: Final = 54
_LINE: Final = pattern(
    r"^\s*([a-z][a-z_]+(?:\.[a-z0-9_]+){1,4}|pstate|persistence_mode|compute_mode)(?:\s?\[[\w %]*\])?"
    r"(?:\s{2,}|\s*[:=]\s*|\t|\s)(\S.{0,90}?)\s*$",
    re.IGNORECASE,
)
_PARTS: Final = pattern(r"(?<=\S)\s{2,}(?=[a-z]+(?:\.[a-z_]+){1,4}\b)", re.IGNORECASE)
_OVER_TIME: Final = pattern(
    r"\b(?:avg|average|mean)\D{0,12}([\d.]+)\s?W?\b\D{0,20}\b(?:highest|max|maximum|peak)\D{0,12}([\d.]+)",
    re.IGNORECASE,
)
_NUMBER: Final = pattern(
    r"(?:\b(?:avg|average|mean|max|highest|peak|about|~)\s{0,2})?(-?\d+(?:\.\d+)?)\s{0,2}(%|W|MHz|MiB|C|x)?\b",
    re.IGNORECASE,
)
_STATES: Final = ("active", "not active", "enabled", "disabled", "yes", "no", "on", "off")
_NAMES: Final = {*ecc_names("csv"), *(name for fact in FACTS for name in fact.csv)}
_LEAST: Final = 2


def read(text: str) -> Iterator[Reading]:
    """Yield one reading with one GPU; if a name appears again, its first value counts."""
    lookup: dict[str, str] = {}
    plateau: Noted | None = None
    places: list[int] = []
    for number, line in enumerate(text.split("\n"), 1):
        if len(line) >= 200:
            continue
        for part in _PARTS.split(line):
            found = _LINE.match(part)
            name, value = (found[1].lower(), found[2]) if found else ("", "")
            if name not in _NAMES and "_reasons." not in name:
                continue
            places.append(number)
            if over := _OVER_TIME.search(value):
                if name.startswith("power.draw") and plateau is None:
                    plateau = noted("power-plateau", line, SOURCE, number, average=over[1], highest=over[2])
                value = over[1]
            elif value.lower() not in _STATES and (amount := _NUMBER.match(value)):
                value = amount[1] + (f" {amount[2]}" if amount[2] else "")
            lookup.setdefault(name, value)
    if len(lookup) < _LEAST:
        return
    known = facts(lookup, "csv")
    if known:
        made = reading(SOURCE, TRUST, devices=[gpu(0, **known)], lines=(places[0], places[-1]))
        yield Reading(
            source=SOURCE,
            reports=made.reports,
            observations=(plateau,) if plateau else (),
            first_line=places[0],
            last_line=places[-1],
        )


READER: Final = Reader(
    name=SOURCE,
    signs=(
        "utilization.gpu",
        "power.",
        "pcie.link",
        "temperature.gpu",
        "clocks_",
        "remapped_rows.",
        "retired_pages.",
        "ecc.errors",
        "memory.used",
    ),
    read=read,
)
