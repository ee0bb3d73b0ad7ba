"""Which processes use the devices: those that the drivers list, and those that have device nodes open.

A driver lists processes with memory on the device; it does not list a child that inherited a node, a program that has
only opened one, a process whose first thread has ended, or processes of other containers. /proc shows these to root.
"""

import os
from collections.abc import Iterable, Iterator, Mapping, Sequence
from typing import TYPE_CHECKING, Any, Final

from accel.machine.live import LiveMachine
from accel.model.device import Gap
from accel.model.holding import Holder, Holdings, RunningProcess
from accel.vendors.contract.vendor import Vendor
from accel.vendors.toolkit.drm_clients import memory_by_address
from accel.vendors.toolkit.held_nodes import HeldNodes
from accel.vendors.toolkit.open_files import OpenPaths, open_paths, process_ids
from accel.watch.holders.processes import ProcessBook
from accel.watch.holders.stuck import confirmed, is_blocked
from accel.watch.holders.unseen import gaps

if TYPE_CHECKING:
    from accel.machine.protocol import Machine
    from accel.model.device import Device, Process
    from accel.model.snapshot import Snapshot
    from accel.vendors.contract.backend import Backend

_HOSTS_NAMESPACE: Final = "pid:[4026531836]"  # Linux include/linux/proc_ns.h: PROC_PID_INIT_INO
_NOBODY: Final = OpenPaths(by_pid={}, looked_into=0, closed=frozenset(), unread=frozenset())


class Holders:
    """Finds the users of devices repeatedly: what does not change about a process is looked up once."""

    def __init__(self, machine: "Machine", backends: "Iterable[Backend]") -> None:
        self._machine = machine
        self._broken: list[Gap] = []
        stating: list[Any] = [backend for backend in backends if isinstance(getattr(backend, "stated", None), Vendor)]
        stated: list[Vendor[Any]] = [backend.stated for backend in stating]
        addresses: dict[str, str] = {}
        for backend in stating if machine.system == "linux" else ():
            try:
                addresses |= backend.nodes_by_address(machine)
            except Exception as error:  # a plugin's code may raise anything
                reason = f"its nodes cannot be placed: {type(error).__name__}: {error}; please report it to its plugin"
                self._broken.append(Gap(fact="nodes", reason=reason, backend=backend.name, source="plugin"))
        self.nodes = HeldNodes(((vendor.name, vendor.opened_nodes) for vendor in stated), addresses)
        self._memory_nodes = {vendor.name: vendor.memory_nodes for vendor in stated}
        roles = {daemon.program: daemon.role for vendor in stated for daemon in vendor.daemons}
        self.book = ProcessBook(machine, roles)

    def of(self, devices: "Sequence[Device]", seconds: float | None = None, *, twice: bool = False) -> Holdings:
        """Return which processes use these devices now.

        seconds  time limit for inspecting the open files of all processes
        twice    sample blocked processes again after a second: one that ran in between was only waiting for a disk
        """
        if self._machine.system != "linux":
            reason = f"on {self._machine.system} only those that the driver lists are seen"
            return Holdings(
                holders=tuple(_as_listed(devices)),
                gaps=(Gap(fact="holders", reason=reason, source="system"),),
            )
        listed = {p.pid for device in devices for p in device.processes or ()}
        opened = self._opened(listed, seconds)
        inside = self._own_namespace()
        known: dict[int, RunningProcess | None] = {}
        for pid in dict.fromkeys((*sorted(listed), *opened.by_pid)):
            known[pid] = self._process(pid, pid in listed, inside, opened)
        blocked = [one for one in known.values() if one is not None and is_blocked(one)] if twice else []
        known |= {one.pid: one for one in confirmed(self._machine, blocked)}
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
            gaps=(*self._broken, *gaps(self._machine, holders, opened, self.book, inside)),
        )

    def listed(self, pid: int) -> RunningProcess | None:
        """Return the process that a driver lists under an id, as it is now; None if it is not visible here."""
        inside = self._own_namespace()
        opened = open_paths(self._machine, (pid,), self.nodes.path_in) if inside else _NOBODY
        return self._process(pid, True, inside, opened)

    def _opened(self, listed: set[int], seconds: float | None) -> OpenPaths:
        if not self.nodes.here(self._machine) and not listed:
            return _NOBODY
        others = [pid for pid in process_ids(self._machine) if pid not in listed]
        return open_paths(self._machine, [*sorted(listed), *others], self.nodes.path_in, seconds)

    def _own_namespace(self) -> bool | None:
        """Return whether this process is in its own PID namespace; None if unknown, or if /proc hides processes."""
        link = self._machine.link("/proc/self/ns/pid")
        return None if link is None or not self._machine.exists("/proc/1") else link != _HOSTS_NAMESPACE

    def _process(self, pid: int, listed: bool, inside: bool | None, opened: OpenPaths) -> RunningProcess | None:
        """Return the process with an id; None if it is another one here, because some drivers use the host's ids."""
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
        """Yield processes that have a node open but that no device lists: a library may open all nodes."""
        by_id = {device.id: device for device in devices}
        listed = {(device.backend, one.pid) for device in devices for one in device.processes or ()}
        me = os.getpid() if isinstance(self._machine, LiveMachine) else None
        for pid, paths in opened.by_pid.items():
            process = known[pid]
            if process is None or pid == me:  # asking the driver has opened the nodes
                continue
            held: dict[tuple[str, str | None], list[str]] = {}
            for path in paths:
                owner = self.nodes.owner(path, devices, self._machine)
                if owner is not None and (owner[0], pid) not in listed:
                    held.setdefault(owner, []).append(path)
            sizes = memory_by_address(self._machine, pid) if any("/dev/dri/" in path for path in paths) else {}
            for (backend, name), nodes in held.items():
                if name is None and any(other == backend and one is not None for other, one in held):
                    continue
                device = by_id.get(name or "")
                yield Holder(
                    backend=backend,
                    device=name,
                    process=process,
                    memory_bytes=sizes.get(device.pci_address or "") if device else None,
                    nodes=tuple(nodes),
                    listed=None if device is None or device.processes is None else False,
                    watches=self._watches(backend, paths),
                )

    def _watches(self, backend: str, paths: Sequence[str]) -> bool:
        """Return whether a process only monitors: it has no node open that gives access to the devices' memory."""
        memory = self._memory_nodes.get(backend, ())
        return bool(memory) and not any(path in memory for path in paths)


def holdings_of(snapshot: "Snapshot", devices: "Sequence[Device]") -> Holdings:
    """Return which processes used the devices of a snapshot; if it only has the drivers' lists, those."""
    if snapshot.holdings is not None:
        return snapshot.holdings
    reason = "the input only says which processes the driver listed"
    return Holdings(holders=tuple(_as_listed(devices)), gaps=(Gap(fact="holders", reason=reason, source="text"),))


def _as_listed(devices: "Sequence[Device]") -> Iterator[Holder]:
    for device in devices:
        for one in device.processes or ():
            process = _unseen(one, ended=False)
            yield Holder(
                backend=device.backend, device=device.id, process=process, memory_bytes=one.memory_bytes, listed=True
            )


def _unseen(one: "Process", *, ended: bool) -> RunningProcess:
    return RunningProcess(pid=one.pid, name=one.name, user=one.user, state="ended" if ended else None)


def _most_first(holder: Holder) -> tuple[bool, int, int]:
    size = holder.memory_bytes
    return size is None, 0 if size is None else -size, holder.process.pid
