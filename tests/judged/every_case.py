"""Every case of every check, read once and judged once for all tests of a process that look at it.

Many tests look at them, each from its own side: how a case ends, what is said of it word for word, what it advises,
whether it says the same in other words. Reading and judging all of them takes much longer than the looking.
"""

from collections.abc import Mapping
from dataclasses import dataclass, replace
from functools import cache, cached_property
from pathlib import Path
from typing import Any, Final

from check_cases import GIVEN, check_cases, snapshot_of

from accel.collect.text import read_texts
from accel.diagnose.engine import diagnose
from accel.model.diagnosis import Diagnosis
from accel.model.snapshot import Snapshot
from accel.plugins.registry import Registry

ROOT: Final = Path(__file__).parents[2]
_RECORDS: Final = frozenset(GIVEN) - {"text", "complete"}  # what a case may state beside a report
FOLDERS: Final = (ROOT / "tests" / "checks", *sorted((ROOT / "plugins").glob("*/tests/*checks")))


@cache
def registry() -> Registry:
    """Return the registry of accel's own plugins: what it holds does not change."""
    return Registry({})


@dataclass(frozen=True, kw_only=True, eq=False)
class Case:
    """One case of a check. given: as tests/judged/check_cases.py has it."""

    folder: Path
    check: str
    name: str
    given: Mapping[str, Any]

    @property
    def text(self) -> str | None:
        """The report that the case pastes; None if it states records alone."""
        return self.given.get("text")

    @property
    def text_alone(self) -> bool:
        """Whether the case is what a report says, and nothing beside it: then its snapshot is that of the text."""
        return self.text is not None and not self.given.keys() & _RECORDS

    @cached_property
    def snapshot(self) -> Snapshot:
        return snapshot_of(dict(self.given), registry())

    @cached_property
    def diagnosis(self) -> Diagnosis:
        return diagnose(self.snapshot, registry().specs, registry().checks, registry().rules)

    def diagnosis_of(self, text: str) -> Diagnosis:
        """Return what is made of the report in other words: of the same snapshot it is the same."""
        if text == self.text:
            return self.diagnosis
        snapshot = replace(read_texts([("report", text)], registry()), origin=self.snapshot.origin)
        if snapshot == self.snapshot:
            return self.diagnosis
        return diagnose(snapshot, registry().specs, registry().checks, registry().rules)


@cache
def every_case() -> tuple[Case, ...]:
    """Return the cases of all folders, in the order of their files."""
    return tuple(
        Case(folder=folder, check=check, name=name, given=given)
        for folder in FOLDERS
        for check, name, given in check_cases(folder)
    )


@cache
def by_check() -> Mapping[str, tuple[Case, ...]]:
    """Return the cases of each check by its name."""
    found: dict[str, list[Case]] = {}
    for case in every_case():
        found.setdefault(case.check, []).append(case)
    return {check: tuple(cases) for check, cases in found.items()}
