"""What is unknown about the processes that use devices, and what to do: run as root, on the host, or with more time."""

from collections.abc import Iterator, Sequence
from typing import TYPE_CHECKING, Final, Literal

from accel.machine.files import file_text
from accel.model.device import Gap

if TYPE_CHECKING:
    from accel.machine.protocol import Machine
    from accel.model.holding import Holder
    from accel.vendors.toolkit.open_files import OpenPaths
    from accel.watch.holders.processes import ProcessBook

SOURCE: Final = "/proc"
_Who = Literal["root", "host", "time"]
_TYPE: Final = {
    "root": "; root may:  sudo accel ps",
    "host": "; on the host:  sudo accel ps",
    "time": "; take it:  accel ps",
}
_ROOT_TOO: Final = ", and not even root may here"


def gaps(
    machine: "Machine", holders: "Sequence[Holder]", opened: "OpenPaths", book: "ProcessBook", inside: bool | None
) -> Iterator[Gap]:
    """Yield the gaps. inside: in a PID namespace of its own, as in a container; None: some may be hidden."""
    pids = {holder.process.pid for holder in holders}
    foreign = sorted(h.process.pid for h in holders if h.listed and h.process.start_ticks is None)
    closed, nameless, silent = book.closed & pids, book.nameless & pids, sorted(book.silent & pids)
    told: tuple[tuple[object, str, str, _Who], ...] = (
        (opened.closed, "holders", f"{_processes(opened.closed)} of others may not be looked into", "root"),
        (opened.unread, "holders", f"there was no time to look into {_processes(opened.unread)}", "time"),
        (inside, "holders", "processes outside this container are not seen", "host"),
        (
            inside is None and opened.looked_into,
            "holders",
            "/proc may hide other users' processes from this one (hidepid)",
            "root",
        ),
        (closed, "job", f"the variables of {_processes(closed)} may not be read", "root"),
        (
            nameless,
            "container_name",
            f"the engine's file that names the container of {_processes(nameless)} is closed",
            "root",
        ),
        (
            inside is not False and foreign,
            "process",
            f"the driver lists {', '.join(map(str, foreign[:8]))}, but no such process exists here",
            "host",
        ),
    )
    if silent:
        numbers = ", ".join(map(str, silent[:8]))
        what = f"the words and variables of {numbers} are not given out while a thread of it waits in the kernel"
        yield Gap(fact="command", reason=f"{what}: see  accel ps --ghosts", source=SOURCE)
    is_root = "\nUid:\t0\t" in (file_text(machine, "/proc/self/status") or "")
    for which, fact, what, who in told:
        if which:
            ending = _ROOT_TOO if who == "root" and is_root else _TYPE[who]
            yield Gap(fact=fact, reason=what + ending, source=SOURCE)


def _processes(which: "frozenset[int] | set[int]") -> str:
    return "1 process" if len(which) == 1 else f"{len(which)} processes"
