"""Each cause is found where it is, with its figures, and not where something else is."""

import dataclasses
import re
from pathlib import Path
from typing import Any

import pytest
from made_looks import PROGRAM, RESTING, SAW, STEADY, look, on_network

from accel.watch.advise.advice import advice
from accel.watch.advise.look import Look

ASLEEP: dict[str, Any] = {
    "cores": 0.02,
    "running": 0,
    "blocked": 0,
    "read_bytes_per_second": 0.0,
    "written_bytes_per_second": 0.0,
}
READING: dict[str, Any] = {**ASLEEP, "read_bytes_per_second": 2e8}
STALLED = {"stalled_io": 0.8}
SMALL_SHM = {"shm_total_bytes": 64 << 20, "shm_free_bytes": 1 << 20}
HOT = {"clock_event_reasons": ("hw-thermal-slowdown",), "temperature_celsius": 90.0, "saturated_percent": 80.0}
FAST = {"clock_mhz": 1980, "saturated_percent": 80.0}
BURNING: dict[str, Any] = {**ASLEEP, "cores": 0.97, "running": 1}
CASES = {
    "loaders-at-their-limit": (look(SAW, first=ASLEEP, others=(BURNING, BURNING, ASLEEP)), ["input-on-processor"]),
    "nobody-but-the-first": (look(SAW, first=ASLEEP, pausing=BURNING), ["input-in-first-process"]),
    "waiting-for-a-disk": (
        look(
            SAW,
            first=ASLEEP,
            others=({**ASLEEP, "blocked": 1, "read_bytes_per_second": 2e8},),
            of_step={"stalled_io": 0.8},
        ),
        ["input-on-storage"],
    ),
    "reading-a-fast-disk-in-the-pauses": (
        look(
            SAW,
            first={**ASLEEP, "read_bytes_per_second": 9e8},
            pausing={"blocked": 0.7},
            of_step={"stalled_io": 0.2},
        ),
        ["input-on-storage"],
    ),
    "blocked-and-reading-all-the-time": (
        look(SAW, first={**ASLEEP, "blocked": 1, "read_bytes_per_second": 9e8}, of_step={"stalled_io": 0.2}),
        [],
    ),
    "waiting-for-the-network": (
        look(
            SAW,
            first=ASLEEP,
            others=({**ASLEEP, "read_bytes_per_second": 2e7},),
            of_step={"stalled_io": 0.8},
            program=on_network(),
        ),
        ["input-on-network-storage"],
    ),
    "copies-in-the-pauses": (
        look((95.0, 0.0) * 12, of_device={"pcie_received_bytes_per_second": 2e10}),
        [],
    ),
    "small-kernels": (look(STEADY, first=BURNING, of_device={"saturated_percent": 8.0}), ["small-kernels"]),
    "little-power": (
        look(STEADY, first=BURNING, of_device={"power_watts": 150.0, "power_limit_watts": 700.0}),
        ["small-kernels"],
    ),
    "little-power-because-it-is-capped": (
        look(
            STEADY,
            first=BURNING,
            of_device={"power_watts": 150.0, "power_limit_watts": 700.0, "clock_event_reasons": ("sw-power-cap",)},
        ),
        ["held-down-by-power"],
    ),
    "hot": (
        look(
            STEADY,
            of_device={
                "clock_event_reasons": ("hw-thermal-slowdown",),
                "temperature_celsius": 90.0,
                "saturated_percent": 80.0,
            },
        ),
        ["held-down-by-heat"],
    ),
    "too-many-threads": (
        look((50.0,) * 20, first={**BURNING, "running": 20, "cores": 7.8}, of_step={"stalled_cpu": 0.9}),
        ["too-many-threads"],
    ),
    "swapping": (
        look(
            (50.0,) * 20,
            first={**ASLEEP, "major_faults_per_second": 900.0, "swapped_bytes": 2**30},
            of_step={"swapped_in_bytes_per_second": 5e7, "stalled_memory": 0.4},
        ),
        ["host-memory-short"],
    ),
    "throttled": (look((50.0,) * 20, first=ASLEEP, of_step={"throttled": 0.6}), ["processor-time-runs-out"]),
    "full-shared-memory": (
        look(
            (50.0,) * 20,
            first=ASLEEP,
            others=(ASLEEP,),
            of_step={"shm_total_bytes": 64 << 20, "shm_free_bytes": 1 << 20},
        ),
        ["shared-memory-full"],
    ),
    "writing-a-checkpoint": (
        look(SAW, first=ASLEEP, pausing={"written_bytes_per_second": 3e8}),
        ["stops-to-write"],
    ),
    "computing-elsewhere": (look(RESTING, first={**BURNING, "cores": 3.0}), ["computes-on-processor"]),
    "computing-elsewhere-where-others-take-the-processors": (
        look(RESTING, first={**ASLEEP, "cores": 0.03, "running": 1}),
        ["computes-on-processor"],
    ),
    "asleep": (look(RESTING, first={**ASLEEP, "waits_in": "inet_csk_accept"}), ["waits-for-something-else"]),
    "one-with-low-clocks": (
        look(STEADY, of_device=FAST, devices=4, each={2: {"clock_mhz": 1200}}),
        ["one-device-slow"],
    ),
    "one-that-does-less": (
        look(STEADY, of_device={"saturated_percent": 80.0}, devices=4, each={1: {"busy_percent": 40.0}}),
        ["one-device-slow"],
    ),
    "all-is-well": (look(STEADY, first=BURNING, of_device={"saturated_percent": 85.0}), []),
    "resting-and-nothing-known": (look(RESTING), []),
    "pausing-and-nothing-known": (look(SAW), []),
    "nothing-at-all-known": (look((None,) * 20), []),
    "no-steps": (look(()), []),
}


@pytest.mark.parametrize("name", CASES)
def test_the_cause_is_found_and_no_other(name: str) -> None:
    made, wanted = CASES[name]
    assert [cause.name for cause in advice(made).causes] == wanted


@pytest.mark.parametrize("name", [name for name, (_, wanted) in CASES.items() if wanted])
def test_each_cause_has_evidence_with_figures_and_something_to_change(name: str) -> None:
    for cause in advice(CASES[name][0]).causes:
        assert any(sign.isdigit() for sentence in cause.evidence for sign in sentence), cause.evidence
        assert cause.changes
        assert cause.share is None or 0 <= cause.share <= 1
        assert all(change.text for change in cause.changes)


def test_copies_are_told_only_where_they_come_in_the_pauses() -> None:
    steps = look((95.0, 95.0, 0.0) * 8).steps
    moving = [
        dataclasses.replace(
            step,
            readings={
                name: dataclasses.replace(one, pcie_received_bytes_per_second=2e10 if one.busy_percent == 0.0 else 1e8)
                for name, one in step.readings.items()
            },
        )
        for step in steps
    ]
    found = advice(Look(moving, look(()).devices)).causes
    assert [(cause.name, cause.confidence) for cause in found] == [("synchronous-copies", "medium")]
    assert (
        "20.0 GB/s came in over the bus while the devices were idle, 0.1 GB/s while it worked" in found[0].evidence[0]
    )


def test_the_dearest_and_surest_comes_first() -> None:
    made = look(
        SAW,
        first={**ASLEEP, "running": 30, "cores": 8.0},
        of_step={"throttled": 0.15, "stalled_cpu": 0.5},
        others=(BURNING,),
    )
    assert [cause.name for cause in advice(made).causes][-1] == "processor-time-runs-out"


def test_how_many_loaders_there_could_be_follows_from_the_processors() -> None:
    few = advice(look(SAW, first=ASLEEP, others=(BURNING,))).causes[0]
    assert (
        few.changes[0].code
        == "DataLoader(..., num_workers=8, persistent_workers=True, prefetch_factor=4, pin_memory=True)"
    )
    full = dataclasses.replace(PROGRAM, cpus=2.0)
    none_left = advice(look(SAW, first=ASLEEP, others=(BURNING, BURNING), program=full)).causes[0]
    assert none_left.changes[0].text.startswith("Do less for each item")


@pytest.mark.parametrize(
    ("made", "verdict"),
    [
        (look(STEADY, of_device={"saturated_percent": 85.0}), "working"),
        (look(SAW), "undecided"),
        (look((None,) * 9), "undecided"),
        (look(RESTING, first={**BURNING, "cores": 3.0}), "causes"),
    ],
)
def test_what_is_not_known_is_never_called_working(made: Look, verdict: str) -> None:
    assert advice(made).verdict == verdict


def test_what_could_not_be_looked_at_is_said() -> None:
    lacking = {gap.fact for gap in advice(look(STEADY)).unknown}
    assert {"saturated", "bytes over the bus", "what limits the clocks", "processor, storage and memory"} <= lacking
    of_others = {"cores": 0.5, "running": 1}
    closed = dataclasses.replace(PROGRAM, variables=None)
    lacking = {gap.fact for gap in advice(look(STEADY, first=of_others, program=closed)).unknown}
    assert {"storage", "variables", "waits for storage"} <= lacking


def test_every_cause_is_documented() -> None:
    root = Path(__file__).parents[2]
    sources = "".join(one.read_text() for one in (root / "src/accel/watch/advise/causes").glob("*.py"))
    page = (root / "docs/advise.md").read_text(encoding="utf-8")
    documented = set(re.findall(r"^\| `([a-z-]+)`", page, re.MULTILINE))
    assert documented == _NAMES
    assert all(f'"{name}"' in sources for name in _NAMES)


_NAMES = {name for _, wanted in CASES.values() for name in wanted} | {"synchronous-copies"}
