"""Why memory is held that no visible process has: each reason, its words, and what frees it."""

from dataclasses import replace
from types import SimpleNamespace
from typing import Any

import pytest

from accel.facts.ghost_words import remedies, why
from accel.facts.ghosts import Ghost, ghosts
from accel.model.holding import Holder, Holdings, RunningProcess

GIB = 2**30
JOB = RunningProcess(pid=71, start_ticks=5, state="sleeping", parent_pid=1)
LISTED = Holder(backend="acme", device="acme:0", process=JOB, memory_bytes=10 * GIB, listed=True)
LEFT = replace(LISTED, process=replace(JOB, pid=72), memory_bytes=None, listed=False, nodes=("/dev/acme0",))
SEEN = Holdings(holders=(LISTED,), looked_into=40, own_namespace=False)


def of(acme: SimpleNamespace, holdings: Holdings, **facts: Any) -> list[Ghost]:
    known = {"memory_used_bytes": 30 * GIB, "memory_total_bytes": 64 * GIB, "processes": (), **facts}
    return list(ghosts([acme.device(0, **known)], holdings))


def test_what_living_processes_have_is_no_ghost(acme: SimpleNamespace) -> None:
    assert of(acme, SEEN, memory_used_bytes=10 * GIB + 4 * 2**20) == []


@pytest.mark.parametrize(
    ("used", "found"), [(10 * GIB + 2**20 * 1310, 0), (10 * GIB + 2**20 * 1312, 1)], ids=["under 2 %", "2 %"]
)
def test_from_2_percent_on_it_is_one(used: int, found: int, acme: SimpleNamespace) -> None:
    assert len(of(acme, SEEN, memory_used_bytes=used)) == found


def test_memory_that_cannot_be_counted_is_no_ghost(acme: SimpleNamespace) -> None:
    assert of(acme, SEEN, memory_used_bytes=None) == []
    assert of(acme, replace(SEEN, holders=(replace(LISTED, memory_bytes=None),))) == []
    assert of(acme, Holdings(own_namespace=False), processes=None) == []


CASES = {
    "unlisted": (
        replace(SEEN, holders=(LISTED, LEFT)),
        "process 72 has the device open, but the driver does not list it",
        "accel ps acme:0 --ghosts --kill",
    ),
    "ended": (
        replace(SEEN, holders=(replace(LISTED, process=RunningProcess(pid=70, state="ended")),)),
        "the driver lists process 70, which ended",
        "sudo acme-smi reset 0",
    ),
    "zombie": (
        replace(SEEN, holders=(replace(LISTED, process=replace(JOB, state="zombie", parent_pid=9)),)),
        "process 71 has ended, but not completely",
        "ps -o pid,stat,user,args -p 9",
    ),
    "stuck": (
        replace(
            SEEN,
            holders=(
                replace(
                    LISTED,
                    process=replace(
                        JOB, state="blocked", stuck=True, waits_in="acme_free", waits_in_module="acme_core"
                    ),
                ),
            ),
        ),
        "process 71 waits in the kernel (acme_free of acme_core) and does not run",
        "sudo cat /proc/71/stack",
    ),
    "elsewhere": (replace(SEEN, own_namespace=True), "outside this container", "sudo accel ps acme:0 --ghosts"),
    "closed": (replace(SEEN, closed=3), "processes of other users", "sudo accel ps acme:0 --ghosts"),
    "unread": (replace(SEEN, unread=3), "no time to inspect", "accel ps acme:0 --ghosts"),
    "nobody": (SEEN, "the driver has not freed it", "sudo acme-smi reset 0"),
}


@pytest.mark.parametrize("reason", CASES)
def test_each_reason_says_why_and_what_frees_it(reason: str, acme: SimpleNamespace) -> None:
    holdings, sentence, command = CASES[reason]
    (ghost,) = of(acme, holdings)
    assert ghost.reason == reason
    assert sentence in why(ghost)
    assert remedies(ghost, "sudo acme-smi reset 0")[0].command == command


def test_a_service_that_only_watches_is_no_suspect(acme: SimpleNamespace) -> None:
    watches = replace(LEFT, process=replace(LEFT.process, role="DCGM host engine"))
    (ghost,) = of(acme, replace(SEEN, holders=(LISTED, watches)))
    assert ghost.reason == "nobody"


def test_who_only_asks_the_driver_is_no_suspect(acme: SimpleNamespace) -> None:
    (ghost,) = of(acme, replace(SEEN, holders=(LISTED, replace(LEFT, watches=True))))
    assert ghost.reason == "nobody"


def test_who_has_only_a_node_of_no_one_device_open_is_named_without_being_ended(acme: SimpleNamespace) -> None:
    (ghost,) = of(acme, replace(SEEN, holders=(LISTED, replace(LEFT, device=None))))
    assert ghost.reason == "unlisted"
    assert "of no one device" in why(ghost)
    assert remedies(ghost)[0].command == "kill 72"


def test_the_processes_of_a_partition_are_those_of_its_device(acme: SimpleNamespace) -> None:
    whole = acme.device(0, (), memory_used_bytes=10 * GIB, memory_total_bytes=64 * GIB)
    part = replace(acme.device(0, ()), id="acme:0/part1", parent="acme:0")
    assert ghosts([whole, part], replace(SEEN, holders=(replace(LISTED, device="acme:0/part1"),))) == ()
