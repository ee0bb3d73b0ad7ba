"""A report pasted in another way is the same report: what is found stays found, and nothing is added.

Tried on the texts of the cases of every check: each is rewritten in a quarter of the ways, drawn by its name, always
the same; in the quick half in a twelfth. ACCEL_REWRITTEN_PART=1 tries every text in every way.
benchmarks/metamorphic.py measures the same over a folder of labelled reports, and shows what is lost:

    python benchmarks/metamorphic.py --kit --only upper-case --verbose
"""

import os
from collections.abc import Iterator
from functools import cache
from pathlib import Path
from random import Random
from typing import Any, Final
from zlib import crc32

import pytest

from accel.checks.engine import diagnose
from accel.collect.text import decode_bytes, read_texts
from accel.conformance.check_cases import check_cases
from accel.conformance.rewritings import REWRITINGS, Rewriting, cuts_a_line
from accel.plugins.registry import Registry

ROOT: Final = Path(__file__).parent.parent.parent
FOLDERS: Final = (ROOT / "tests" / "checks", *sorted((ROOT / "plugins").glob("*/tests/*checks")))
PART: Final = 12  # one of so many texts is tried by the quick half
SLOW_PART: Final = int(os.environ.get("ACCEL_REWRITTEN_PART", "4"))  # and by the slow one; 1: all of them

# The share of findings that must stay: what was reached, less a little. A change that gains should raise it.
LEAST_KEPT: Final = 0.97
LEAST_KEPT_OF: Final = {
    "typographic": 0.9,
    "indentation-lost": 0.7,
    "final-punctuation-dropped": 0.95,
    **dict.fromkeys(("blanks-doubled", "wrapped-at-60", "pytest-prefix", "commented"), 0.92),
}
LEAST_KEPT_OF_CUT: Final = 0.35
MOST_ADDED: Final = 0.03


@cache
def registry() -> Registry:
    return Registry({})


@cache
def texts() -> tuple[tuple[str, str], ...]:
    return tuple(_texts())


def _texts() -> Iterator[tuple[str, str]]:
    for folder in FOLDERS:
        for check, name, case in check_cases(folder):
            if "text" in case and not _given_more(case):
                yield f"{check}:{name}", case["text"]


def _given_more(case: dict[str, Any]) -> bool:
    return bool(case.keys() & {"devices", "drivers", "frameworks", "packages", "variables", "facts", "host", "live"})


@cache
def found(text: str) -> frozenset[str]:
    """Return the names of what is found above info."""
    snapshot = read_texts([("report", text)], registry())
    diagnosis = diagnose(snapshot, registry().specs, registry().checks, registry().rules)
    return frozenset(one.name for one in diagnosis.findings if one.severity != "info")


def part(way: str, of: int = PART) -> list[tuple[str, str]]:
    """Return one of so many texts, others for each way of rewriting: so every text is tried in several."""
    return [(name, text) for name, text in texts() if crc32(f"{way} {name}".encode()) % of == 0]


def kept_and_added(rewriting: Rewriting, given: list[tuple[str, str]]) -> tuple[float, float, list[str]]:
    """Return the share of findings that stay, the share of texts with a finding more, and what happened."""
    before = after = added = 0
    told = []
    for name, text in given:
        random = Random(f"{rewriting.name} {name}")
        now = found(decode_bytes(name, rewriting.data(text, random)))
        lost, more = found(text) - now, now - found(text)
        before, after, added = before + len(found(text)), after + len(found(text)) - len(lost), added + bool(more)
        told += [f"{name}: lost {sorted(lost)}, added {sorted(more)}"] if lost or more else []
    return after / (before or 1), added / (len(given) or 1), told


@pytest.mark.parametrize("rewriting", REWRITINGS, ids=lambda rewriting: rewriting.name)
def test_what_is_found_stays_found(rewriting: Rewriting) -> None:
    kept, _, told = kept_and_added(rewriting, part(rewriting.name))
    assert kept >= LEAST_KEPT_OF.get(rewriting.name, LEAST_KEPT) - 0.15, told  # a part varies more than the whole


@pytest.mark.slow
@pytest.mark.parametrize("rewriting", REWRITINGS, ids=lambda rewriting: rewriting.name)
def test_what_is_found_in_any_case_stays_found(rewriting: Rewriting) -> None:
    kept, added, told = kept_and_added(rewriting, part(rewriting.name, SLOW_PART))
    assert kept >= LEAST_KEPT_OF.get(rewriting.name, LEAST_KEPT), told
    assert added <= MOST_ADDED, told


@pytest.mark.slow
def test_most_findings_stay_where_one_line_is_gone() -> None:
    long = [(name, text) for name, text in texts() if text.strip().count("\n") >= 2]
    kept, _, told = kept_and_added(Rewriting(name="one-line-deleted", run=cuts_a_line), long)
    assert kept >= LEAST_KEPT_OF_CUT, told


@pytest.mark.parametrize("rewriting", REWRITINGS, ids=lambda rewriting: rewriting.name)
def test_a_rewriting_keeps_the_words(rewriting: Rewriting) -> None:
    text = "torch 2.6.0 is here.\n\n  RuntimeError: CUDA error 802\n"
    again = decode_bytes("report", rewriting.data(text, Random(1))).lower()
    assert all(word in again for word in ("torch", "2.6.0", "runtimeerror", "802")), again
