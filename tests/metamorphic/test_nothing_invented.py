"""Text that names no fault yields none, and no device; beside a report it changes nothing; evidence stands in it."""

import os
from functools import cache
from random import Random
from typing import Final
from zlib import crc32

import pytest
from every_case import Case, every_case, registry
from unrelated import UNRELATED

from accel.collect.text import read_texts
from accel.diagnose.engine import diagnose
from accel.model.diagnosis import Diagnosis, Finding
from accel.model.snapshot import Snapshot
from accel.text.clean import clean

SEEDS: Final = 12  # texts of each kind
LEAST_KEPT: Final = 0.99  # of the findings of a report that stands between unrelated texts
PARTS: Final = int(os.environ.get("ACCEL_REWRITTEN_PART", "12"))  # one report in so many is tried; 1: all of them
# These join what stands in several places: a figure with one of another table, a unit's state with its name.
JOINING: Final = ("iommu-breaks-p2p", "peer-transfers-fail", "service-failed")


def read(text: str) -> tuple[Snapshot, Diagnosis]:
    snapshot = read_texts([("report", text)], registry())
    return snapshot, diagnose(snapshot, registry().specs, registry().checks, registry().rules)


def grave(diagnosis: Diagnosis) -> list[Finding]:
    return [one for one in diagnosis.findings if one.severity != "info"]


@cache
def reports() -> tuple[Case, ...]:
    return tuple(case for case in every_case() if case.text_alone)


@pytest.mark.parametrize("seed", range(SEEDS))
@pytest.mark.parametrize("kind", UNRELATED)
def test_unrelated_text_yields_no_fault_and_no_device(kind: str, seed: int) -> None:
    text = UNRELATED[kind](Random(f"{kind} {seed}"))
    snapshot, diagnosis = read(text)
    assert [f"{one.name}: {one.title}" for one in grave(diagnosis)] == [], text
    assert [device.id for report in snapshot.reports for device in report.devices] == [], text


@pytest.mark.slow
@pytest.mark.parametrize("seed", range(40))
def test_mixed_unrelated_text_yields_no_fault_and_no_device(seed: int) -> None:
    random = Random(seed)
    text = "".join(UNRELATED[kind](random) + random.choice(("\n", "")) for kind in random.sample(list(UNRELATED), 5))
    snapshot, diagnosis = read(text)
    assert [f"{one.name}: {one.title}" for one in grave(diagnosis)] == [], text
    assert [device.id for report in snapshot.reports for device in report.devices] == [], text


def test_a_report_between_unrelated_texts_keeps_its_findings() -> None:
    """Some more stand between prose in test_rewritings.py; here the texts around are of several languages."""
    before = after = 0
    told = []
    for case in reports():
        name = f"{case.check}:{case.name}"
        if crc32(name.encode()) % PARTS:
            continue
        random = Random(name)
        # Code and settings are left out: an import or a package's version beside a report does say something of it.
        first, last = (random.choice([kind for kind in UNRELATED if kind.startswith("prose")]) for _ in range(2))
        around = f"{UNRELATED[first](random)}\n{case.text.rstrip()}\n\n{UNRELATED[last](random)}"
        found, now = ({one.name for one in grave(each)} for each in (case.diagnosis, case.diagnosis_of(around)))
        before, after = before + len(found), after + len(found & now)
        told += [f"{name}: lost {sorted(found - now)}, new {sorted(now - found)}"] if found != now else []
    assert after / before >= LEAST_KEPT, told


def test_evidence_stands_literally_where_it_is_said_to_stand() -> None:
    astray = []
    for case in reports():
        lines = clean(case.text).split("\n")
        for finding in case.diagnosis.findings:
            for one in finding.evidence:
                if one.line is None:
                    continue
                # A sentence that a terminal has wrapped goes on below.
                there = " ".join(" ".join(lines[one.line - 1 : (one.last_line or one.line) + 6]).split())
                pieces = " ".join(one.value.split()).split("…")  # a long line is cut around what it proves
                if finding.name not in JOINING and any(piece.strip(" /\\") not in there for piece in pieces):
                    astray.append(f"{case.check}:{case.name}: {finding.name}: line {one.line}: {one.value}")
    assert astray == []
