"""A root is found by a message and what stands around it, in any form of the text, and never where one of them is gone.

Over every case that finds a root: of the checks that say what they explain, and of the tables of roots.
"""

from collections.abc import Iterator
from functools import cache
from random import Random
from typing import Any

import pytest
from every_case import ROOT, Case, by_check, registry
from rewritings import REWRITINGS

from accel.collect.text import decode_bytes
from accel.model.diagnosis import Diagnosis, Finding
from accel.specs.store import parse

LEAST_KEPT = 0.97  # of the roots, over all cases and carriers
CARRIERS = (
    "lower-case",
    "upper-case",
    "blanks-doubled",
    "indented",
    "log-prefix",
    "level-prefix",
    "journal-prefix",
    "docker-build-prefix",
    "rank-prefix",
    "quoted",
    "coloured",
    "windows-line-ends",
    "fenced",
    "html",
    "paragraphs-moved",
    "prose-around",
    "gbk",
    "utf-16",
)


def roots() -> list[str]:
    return sorted({*_rows(), *(check.name for check in registry().checks if check.explains)})


@cache
def _rows(table: str = "roots") -> dict[str, Any]:
    tables = sorted((ROOT / "specs").glob(f"*/checks/{table}.yaml"))
    return {row["name"]: row for path in tables for row in parse(str(path)).get("checks", ())}


def roles(name: str) -> Iterator[list[str]]:
    """Yield the facts of each role in which a row asks for evidence: "xid-lost | gpu-off-bus" is one."""
    row = _rows("*").get(name, {})
    for part in (row, *row.get("problems", ())):
        yield from (names.split(" | ") for names in part.get("evidence", {}))


@cache
def cases() -> tuple[Case, ...]:
    return tuple(case for name in roots() for case in by_check()[name] if "finds" in case.given and case.text_alone)


def root(diagnosis: Diagnosis, name: str) -> Finding | None:
    return next((one for one in diagnosis.findings if one.name == name), None)


def without(text: str, finding: Finding, role: list[str]) -> str:
    """Return a text without the lines of one role: those of its facts, or those that hold its values."""
    of_it = [one for one in finding.evidence if one.fact in role]
    gone = {n for one in of_it if one.line for n in range(one.line, (one.last_line or one.line) + 1)}
    values = [form for one in of_it if one.line is None for form in (one.value, one.value.replace(".", ""))]
    lines = enumerate(text.split("\n"), 1)
    return "\n".join(line for n, line in lines if n not in gone and not any(value in line for value in values))


@pytest.mark.parametrize("name", roots())
def test_a_root_is_not_found_where_one_of_its_witnesses_is_gone(name: str) -> None:
    found = [case for case in cases() if case.check == name]
    kept = []
    for case in found:
        finding = root(case.diagnosis, name)
        assert finding is not None
        alone = [[one.fact] for one in finding.evidence if not any(one.fact in role for role in roles(name))]
        for role in (*roles(name), *alone):
            less = without(case.text or "", finding, role)
            if less not in ("", case.text) and less.strip() and root(case.diagnosis_of(less), name) is not None:
                kept.append((case.name, role))
    assert found
    assert kept == []


def test_a_root_stays_found_in_every_carrier() -> None:
    """Each case is tried in a third of the carriers, which the cases take in turns."""
    tried, lost = 0, []
    for place, rewriting in enumerate(one for one in REWRITINGS if one.name in CARRIERS):
        for case in [one for number, one in enumerate(cases()) if (number + place) % 3 == 0]:
            tried += 1
            data = rewriting.data(case.text or "", Random(f"{rewriting.name} {case.name}"))
            if root(case.diagnosis_of(decode_bytes(case.name, data)), case.check) is None:
                lost.append(f"{rewriting.name}: {case.check}: {case.name}")
    assert tried * 4 > len(cases()) * len(CARRIERS)
    assert 1 - len(lost) / tried >= LEAST_KEPT, lost


def test_what_a_root_explains_is_no_cause() -> None:
    explained = [
        (case.name, one.name)
        for case in cases()
        for one in case.diagnosis.findings
        if one.is_cause and one.name in next(c.explains for c in registry().checks if c.name == case.check)
    ]
    assert explained == []
