"""A report pasted in another way is the same report: what is found stays found, and nothing is added.

Tried on the texts of the cases of every check: each way rewrites one text in eight, drawn by its name, so that it is
always the same and every text is tried in four ways at least. ACCEL_REWRITTEN_PART=1 tries every text in every way.
benchmarks/metamorphic.py measures the same over a folder of labelled reports, and shows what is lost:

    python benchmarks/metamorphic.py --kit --only upper-case --verbose
"""

import os
from functools import cache
from random import Random
from typing import Final
from zlib import crc32

import pytest
from every_case import Case, every_case
from rewritings import REWRITINGS, Rewriting, cuts_a_line

from accel.collect.text import decode_bytes
from accel.model.diagnosis import Diagnosis

PART: Final = int(os.environ.get("ACCEL_REWRITTEN_PART", "8"))  # one text in so many is tried in each way

# The share of findings that must stay: what all texts reached, less a little. A change that gains should raise it.
LEAST_KEPT: Final = 0.97
LEAST_KEPT_OF: Final = {
    "typographic": 0.9,
    "indentation-lost": 0.7,
    "final-punctuation-dropped": 0.95,
    "compose-prefix": 0.94,  # it says that the lines come from a container, where a host's missing node is none
    **dict.fromkeys(("blanks-doubled", "wrapped-at-60", "pytest-prefix", "commented"), 0.92),
}
LEAST_KEPT_OF_CUT: Final = 0.35
MOST_ADDED: Final = 0.03


@cache
def texts() -> tuple[Case, ...]:
    return tuple(case for case in every_case() if case.text_alone)


def found(diagnosis: Diagnosis) -> frozenset[str]:
    """Return the names of what is found above info."""
    return frozenset(one.name for one in diagnosis.findings if one.severity != "info")


def drawn(place: int, part: int) -> list[Case]:
    """Return one text in so many; the ways take turns by their place, so that all texts are tried equally often."""
    return [case for case in texts() if (crc32(f"{case.check}:{case.name}".encode()) + place) % part == 0]


def kept_and_added(rewriting: Rewriting, given: list[Case]) -> tuple[float, float, list[str]]:
    """Return the share of findings that stay, the share of texts with a finding more, and what happened."""
    before = after = added = 0
    told = []
    for case in given:
        name = f"{case.check}:{case.name}"
        again = decode_bytes(name, rewriting.data(case.text, Random(f"{rewriting.name} {name}")))
        once, now = found(case.diagnosis), found(case.diagnosis_of(again))
        lost, more = once - now, now - once
        before, after, added = before + len(once), after + len(once) - len(lost), added + bool(more)
        told += [f"{name}: lost {sorted(lost)}, added {sorted(more)}"] if lost or more else []
    return after / (before or 1), added / (len(given) or 1), told


@pytest.mark.parametrize("rewriting", REWRITINGS, ids=lambda rewriting: rewriting.name)
def test_what_is_found_stays_found_and_nothing_is_added(rewriting: Rewriting) -> None:
    kept, added, told = kept_and_added(rewriting, drawn(REWRITINGS.index(rewriting), PART))
    assert kept >= LEAST_KEPT_OF.get(rewriting.name, LEAST_KEPT), told
    assert added <= MOST_ADDED, told


@pytest.mark.slow
def test_most_findings_stay_where_one_line_is_gone() -> None:
    long = [case for case in drawn(0, max(1, PART // 8)) if case.text.strip().count("\n") >= 2]
    kept, _, told = kept_and_added(Rewriting(name="one-line-deleted", run=cuts_a_line), long)
    assert kept >= LEAST_KEPT_OF_CUT, told


@pytest.mark.parametrize("rewriting", REWRITINGS, ids=lambda rewriting: rewriting.name)
def test_a_rewriting_keeps_the_words(rewriting: Rewriting) -> None:
    text = "torch 2.6.0 is here.\n\n  RuntimeError: CUDA error 802\n"
    again = decode_bytes("report", rewriting.data(text, Random(1))).lower()
    assert all(word in again for word in ("torch", "2.6.0", "runtimeerror", "802")), again
