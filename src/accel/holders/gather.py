"""Who holds the devices: whom the drivers list, and who has their nodes open.

A driver lists who has memory there; it does not list a child that has inherited a node, a program that has only opened
one, a process whose first thread has ended, or anybody of another container. /proc shows these to root.
"""

import os
from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from typing import TYPE_CHECKING, Any, Final

from accel.holders.drm_usage import memory_by_address
from accel.holders.processes import ProcessBook
from accel.machine.live import LiveMachine
from accel.model.device import Gap
from accel.model.holding import Holder, Holdings, RunningProcess
from accel.toolkit.held_nodes import HeldNodes
from accel.toolkit.open_files import OpenPaths, open_paths, process_ids

if TYPE_CHECKING:
    from accel.contract.backend import Backend
    from accel.contract.vendor import Vendor
    from accel.machine.protocol import Machine
    from accel.model.device import Device, Process

SOURCE: Final = "/proc"
_HOSTS_NAMESPACE: Final = "pid:[4026531836]"  # Linux include/linux/proc_ns.h: PROC_PID_INIT_INO
_AS_ROOT: Final = "sudo accel ps"
_NOBODY: Final = OpenPaths(by_pid={}, looked_into=0, closed=frozenset(), unread=frozenset())


class Holders:
    """Asks who holds devices, as often as wanted: what does not change of a process is looked up once."""

    def __init__(self, machine: "Machine", backends: "Iterable[Backend]") -> None:
        self._machine = machine
        stated: list[Vendor[Any]] = [v for b in backends if (v := getattr(b, "stated", None)) is not None]
        self.nodes = HeldNodes((vendor.name, vendor.opened_nodes) for vendor in stated)
        roles = {daemon.program: daemon.role for vendor in stated for daemon in vendor.daemons}
        self.book = ProcessBook(machine, roles)

    def of(self, devices: "Sequence[Device]", seconds: float | None = None) -> Holdings:
        """Return who holds these devices now. seconds: for looking into the open files of all processes."""
        if self._machine.system != "linux":
            reason = f"on {self._machine.system} only those that the driver lists are seen"
            return Holdings(
                holders=tuple(self._listed_elsewhere(devices)),
                gaps=(Gap(fact="holders", reason=reason, source="system"),),
            )
        listed = {p.pid for device in devices for p in device.processes or ()}
        opened = self._opened(listed, seconds)
        inside = self._own_namespace()
        known: dict[int, RunningProcess | None] = {}
        for pid in dict.fromkeys((*sorted(listed), *opened.by_pid)):
            known[pid] = self._process(pid, pid in listed, inside, opened)
        self.book.keep(known.keys() & {pid for pid, one in known.items() if one is not None})
        holders = [*self._by_drivers(devices, known, opened, inside), *self._by_nodes(devices, known, opened)]
        order = {device.id: place for place, device in enumerate(devices)}
        holders.sort(key=lambda holder: (order.get(holder.device or "", len(order)), *_most_first(holder)))
        return Holdings(
            holders=tuple(holders),
            looked_into=opened.looked_into,
            closed=len(opened.closed),
            unread=len(opened.unread),
            own_namespace=inside,
            gaps=tuple(self._gaps(holders, opened, inside)),
        )

    def _opened(self, listed: set[int], seconds: float | None) -> OpenPaths:
        if not self.nodes.here(self._machine) and not listed:
            return _NOBODY
        others = [pid for pid in process_ids(self._machine) if pid not in listed]
        return open_paths(self._machine, [*sorted(listed), *others], self.nodes.path_in, seconds)

    def _own_namespace(self) -> bool | None:
        """Say whether processes are numbered anew here; None where it is not known, or /proc hides some."""
        link = self._machine.link("/proc/self/ns/pid")
        return None if link is None or not self._machine.exists("/proc/1") else link != _HOSTS_NAMESPACE

    def _process(self, pid: int, listed: bool, inside: bool | None, opened: OpenPaths) -> RunningProcess | None:
        """Return the process of a number; None where another one has it here: some drivers count as the host does."""
        if (
            listed
            and inside
            and pid not in opened.by_pid
            and pid not in opened.closed
            and self.nodes.here(self._machine)
        ):
            return None
        return self.book.of(pid)

    def _by_drivers(
        self,
        devices: "Sequence[Device]",
        known: Mapping[int, RunningProcess | None],
        opened: OpenPaths,
        inside: bool | None,
    ) -> Iterator[Holder]:
        for device in devices:
            for one in device.processes or ():
                process = known.get(one.pid)
                yield Holder(
                    backend=device.backend,
                    device=device.id,
                    process=process or _unseen(one, ended=inside is False),
                    memory_bytes=one.memory_bytes,
                    nodes=opened.by_pid.get(one.pid, ()) if process else (),
                    listed=True,
                )

    def _by_nodes(
        self, devices: "Sequence[Device]", known: Mapping[int, RunningProcess | None], opened: OpenPaths
    ) -> Iterator[Holder]:
        """Yield who has a node open and is not listed on its device."""
        by_id = {device.id: device for device in devices}
        listed = {(device.parent or device.id, one.pid) for device in devices for one in device.processes or ()}
        me = os.getpid() if isinstance(self._machine, LiveMachine) else None
        for pid, paths in opened.by_pid.items():
            process = known[pid]
            if process is None or (pid == me and not any(number == me for _, number in listed)):
                continue  # asking the driver has opened the nodes
            held: dict[tuple[str, str | None], list[str]] = {}
            for path in paths:
                owner = self.nodes.owner(path, devices, self._machine)
                if owner is not None:
                    held.setdefault(owner, []).append(path)
            sizes = memory_by_address(self._machine, pid) if any("/dev/dri/" in path for path in paths) else {}
            for (backend, name), nodes in held.items():
                elsewhere = any(b == backend and n is not None for b, n in held) or any(
                    number == pid and by_id[place].backend == backend for place, number in listed if place in by_id
                )
                if (name, pid) in listed or (name is None and elsewhere):
                    continue
                device = by_id.get(name or "")
                yield Holder(
                    backend=backend,
                    device=name,
                    process=process,
                    memory_bytes=sizes.get(device.pci_address or "") if device else None,
                    nodes=tuple(nodes),
                    listed=None if device is None or device.processes is None else False,
                )

    def _listed_elsewhere(self, devices: "Sequence[Device]") -> Iterator[Holder]:
        for device in devices:
            for one in device.processes or ():
                process = _unseen(one, ended=False)
                size = one.memory_bytes
                yield Holder(backend=device.backend, device=device.id, process=process, memory_bytes=size, listed=True)

    def _gaps(self, holders: Sequence[Holder], opened: OpenPaths, inside: bool | None) -> Iterator[Gap]:
        pids = {holder.process.pid for holder in holders}
        foreign = sorted(h.process.pid for h in holders if h.listed and h.process.start_ticks is None)
        closed, nameless = self.book.closed & pids, self.book.nameless & pids
        told = (
            (opened.closed, "holders", "{0} of other users may not be looked into; root sees them", _AS_ROOT),
            (opened.unread, "holders", "there was no time to look into {0}; take it", "accel ps"),
            (inside, "holders", "processes outside this container are not seen; on the host", _AS_ROOT),
            (
                inside is None and opened is not _NOBODY,
                "holders",
                "/proc does not show this user all processes (hidepid); root sees them",
                _AS_ROOT,
            ),
            (closed, "job", "the variables of {0} are their users' and root's", _AS_ROOT),
            (nameless, "container_name", "the name of the container of {0} stands in a file of root's", _AS_ROOT),
            (
                inside is not False and foreign,
                "process",
                f"the driver lists {', '.join(map(str, foreign[:8]))}, and no such process is here; on the host",
                _AS_ROOT,
            ),
        )
        for which, fact, what, command in told:
            if which:
                many = _processes(len(which)) if isinstance(which, Collection) else ""
                yield Gap(fact=fact, reason=f"{what.format(many)}:  {command}", source=SOURCE)


def _unseen(one: "Process", *, ended: bool) -> RunningProcess:
    return RunningProcess(pid=one.pid, name=one.name, user=one.user, state="ended" if ended else None)


def _most_first(holder: Holder) -> tuple[bool, int, int]:
    size = holder.memory_bytes
    return size is None, 0 if size is None else -size, holder.process.pid


def _processes(count: int) -> str:
    return "1 process" if count == 1 else f"{count} processes"
