"""Composite fault codes: the unit, its monitor, the event, and the severity.

specs/ascend/errors/faults.yaml, in addition to the rows of accel.specs.errors:

    levels:
      - {level: "SeparateNPU", means: "the chip must be taken out of use", cure: "Have the card replaced.",
         codes: ["80E18402 8F180200-8F180219"]}        # the first level that lists a code applies
    units: [{layer: "hardware", names: ["70 HBM"]}]    # bits 17 to 27, in hexadecimal
    monitors: # bits 9 to 16, and their events by bits 0 to 8; prefixed: an event makes sense only with what is watched
      - {number: "C0", watches: "hardware error detection", events: ["module error", ""]}

    80E18402 = bit 31 (the device), unit 070, monitor C2, event 002

A code with bit 28 or 29 set is not composite. A code that no level lists is decoded from its parts only.
"""

from collections.abc import Iterable, Mapping
from functools import cached_property
from typing import Any, Final

LISTS: Final = ("levels", "units", "monitors")
_WITHOUT_PARTS: Final = 0b11 << 28


class FaultCodes:
    """The fault codes of one domain."""

    def __init__(self, compiled: Mapping[str, Any]) -> None:
        self._compiled = compiled

    def row(self, code: str) -> dict[str, Any] | None:
        """Return what is known about a code, in the form of an error row.

        None if it is neither listed nor composite.
        """
        level, parts = self._levels.get(code), self._parts(int(code, 16))
        if level is None and parts is None:
            return None
        row: dict[str, Any] = {"name": None, "alone": level is not None and not code.isdecimal()}
        if parts is not None:
            row |= {"meaning": parts[0], "layer": parts[1]}
        if level is not None:
            row.setdefault("meaning", level["means"])
            row |= {"level": level["level"], "cure": level["cure"]}
            row["action"] = f"Level {level['level']}: {level['means']}. {level['cure']}"
        return row

    @cached_property
    def codes(self) -> tuple[str, ...]:
        """Return the listed codes."""
        return tuple(self._levels)

    @property
    def levels(self) -> tuple[str, ...]:
        """Return the names of the levels, most severe first."""
        return tuple(one["level"] for one in self._compiled["levels"])

    def rank(self, level: str | None) -> int:
        """Return how many levels are more severe than this one; for an unknown level, the number of levels."""
        return self.levels.index(level) if level in self.levels else len(self.levels)

    @cached_property
    def _levels(self) -> dict[str, Mapping[str, str]]:
        found: dict[str, Mapping[str, str]] = {}
        for level in self._compiled["levels"]:
            for one in " ".join(level["codes"]).lower().split():
                first, _, last = one.partition("-")
                for number in range(int(first, 16), int(last or first, 16) + 1):
                    found.setdefault(f"{number:08x}", level)
        return found

    def _parts(self, number: int) -> tuple[str, str] | None:
        """Return (what happened and where, layer)."""
        unit = self._compiled["units"].get(f"{number >> 17 & 0x7FF:X}")
        monitor = self._compiled["monitors"].get(f"{number >> 9 & 0xFF:X}")
        event = number & 0x1FF
        if not number >> 30 or number & _WITHOUT_PARTS or unit is None or monitor is None:
            return None
        told = monitor["events"][event] if event < len(monitor["events"]) else ""
        parts = (monitor["watches"], told) if monitor.get("prefixed") or not told else (told,)
        return f"{unit['name']}: {' '.join(filter(None, parts))}", unit["layer"]


def compiled_fault_codes(table: Mapping[str, Any]) -> dict[str, Any]:
    """Return the data that FaultCodes reads, compiled from a table of errors."""
    return {
        "levels": table["levels"],
        "units": dict(_units(table["units"])),
        "monitors": {one["number"]: {key: one[key] for key in one if key != "number"} for one in table["monitors"]},
    }


def _units(kinds: Iterable[Mapping[str, Any]]) -> Iterable[tuple[str, dict[str, str]]]:
    for kind in kinds:
        for one in kind["names"]:
            number, _, name = one.partition(" ")
            yield number, {"name": name, "layer": kind["layer"]}
