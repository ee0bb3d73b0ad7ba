"""Ends processes that use devices: first TERM, then KILL; never another user's, and never accel's own.

Only called by `accel ps --kill` and `accel top`, after confirmation.
"""

from collections.abc import Sequence
from typing import TYPE_CHECKING, Final, Literal

from accel.machine.process_stat import parent_of, process_stat
from accel.machine.signals import Target, own_family
from accel.model.dataclass import dataclass

if TYPE_CHECKING:
    from accel.machine.protocol import Machine
    from accel.model.holding import RunningProcess

Outcome = Literal["ended", "killed", "still-there", "gone", "not-allowed", "spared"]
_AFTER_KILL_SECONDS: Final = 3.0  # nothing but the kernel keeps it then
_MOST_PARENTS: Final = 64


@dataclass(frozen=True, slots=True, kw_only=True)
class Ended:
    """What happened to a process: it ended after TERM, was killed, is still there (it waits in the kernel), was already
    gone or its id belongs to another process, belongs to another user, or was spared because accel runs below it or is
    it.
    """

    pid: int
    outcome: Outcome


def is_own(machine: "Machine", pid: int) -> bool:
    """Return whether accel started a process, directly or indirectly, to query the devices."""
    return own_family()[0] in _above(machine, pid)


def end(machine: "Machine", processes: "Sequence[RunningProcess]", grace_seconds: float) -> tuple[Ended, ...]:
    """End the processes, all at once; those that have not ended after the grace time are killed."""
    family = _family(machine)
    outcomes: dict[int, Outcome] = {}
    targets: dict[int, Target] = {}
    for process in processes:
        if process.pid in family or process.start_ticks is None:
            outcomes[process.pid] = "spared" if process.pid in family else "gone"
            continue
        outcome = _asked(machine, process, targets)
        if outcome is not None:
            outcomes[process.pid] = outcome
    ends = machine.seconds() + grace_seconds
    try:
        for pid, target in targets.items():
            outcomes[pid] = "ended" if target.ends_within(ends - machine.seconds()) else "still-there"
        late = [pid for pid in targets if outcomes[pid] == "still-there"]
        for pid in late:
            _kill(targets[pid])
        ends = machine.seconds() + _AFTER_KILL_SECONDS
        for pid in late:
            if targets[pid].ends_within(ends - machine.seconds()):
                outcomes[pid] = "killed"
    finally:
        for target in targets.values():
            target.close()
    return tuple(Ended(pid=process.pid, outcome=outcomes[process.pid]) for process in processes)


def _asked(machine: "Machine", process: "RunningProcess", targets: dict[int, Target]) -> Outcome | None:
    """Send TERM; return the outcome, or None while it is pending."""

    def is_same() -> bool:
        stat = process_stat(machine, process.pid)
        return stat is not None and stat.start_ticks == process.start_ticks

    try:
        targets[process.pid] = target = Target(process.pid, is_same)
        target.send("TERM")
    except ProcessLookupError:
        targets.pop(process.pid, None)
        return "gone"
    except PermissionError:
        targets.pop(process.pid).close()
        return "not-allowed"
    return None


def _kill(target: Target) -> None:
    try:
        target.send("KILL")
    except (ProcessLookupError, PermissionError):
        pass


def _family(machine: "Machine") -> set[int]:
    """Return this process and its ancestors: ending them would end accel before it can report."""
    return {1, *own_family(), *_above(machine, own_family()[-1])}


def _above(machine: "Machine", pid: int) -> list[int]:
    """Return the ancestors of a process, the closest first, as far as they are visible."""
    found: list[int] = []
    above: int | None = pid
    while above and len(found) < _MOST_PARENTS:
        above = parent_of(machine, above)
        if above:
            found.append(above)
    return found
