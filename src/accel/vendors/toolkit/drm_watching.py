"""Readings for vendors with a DRM kernel driver: their sample, plus what each process does on the devices.

A vendor's module `live` provides `watching()`, which returns an object with `readings`;
accel.vendors.toolkit.vendor_backend uses it.
"""

from collections.abc import Callable, Sequence
from typing import TYPE_CHECKING, Final

from accel.model.dataclass import replace
from accel.model.device import Device, Gap
from accel.model.readings import ProcessReadings, Readings, readings_of, without_changing
from accel.vendors.toolkit.drm_clients import DeviceUse, DrmClients, Use
from accel.vendors.toolkit.process_names import ProcessNames

if TYPE_CHECKING:
    from accel.machine.protocol import Machine
    from accel.vendors.contract.watching import Wanted

Sample = Callable[["Machine", Sequence[Device]], Sequence[Device]]
CALL: Final = "/proc/*/fdinfo"
_HOSTS_NAMESPACE: Final = "pid:[4026531836]"  # Linux include/linux/proc_ns.h: PROC_PID_INIT_INO


class DrmWatching:
    """Keeps the counters of the previous reading.

    sample        the vendor's own sample of its devices
    counts_all    whether the kernel counts everything that runs on a device. Otherwise its counters are incomplete: a
                  process that the vendor lists may be working without being counted, and 0 means nothing
    """

    def __init__(self, sample: Sample, *, counts_all: bool) -> None:
        self._sample, self._counts_all = sample, counts_all
        self._clients = DrmClients()
        self._names: ProcessNames | None = None

    def readings(self, machine: "Machine", devices: Sequence[Device], wanted: "Wanted") -> Sequence[Readings]:
        """Return the readings of these devices, in the same order."""
        wanted.progress.calling("sample")
        taken = [readings_of(one) for one in self._sample(machine, [without_changing(device) for device in devices])]
        addresses = [device.pci_address for device in devices if device.pci_address]
        alone = {one for one in addresses if addresses.count(one) == 1}  # partitions share theirs
        if not alone or (CALL, None) in wanted.skip:
            return taken
        wanted.progress.calling(CALL)
        used = self._clients.now(machine, alone)
        names = self._names = self._names or ProcessNames(machine)
        names.keep({pid for use in used.values() for pid in use.processes})
        is_host = machine.link("/proc/self/ns/pid") == _HOSTS_NAMESPACE
        return [
            self._with(one, use, names, is_host)
            if (use := used.get(device.pci_address or "")) is not None and (is_host or one.processes is None)
            else one  # in a container the vendor's list has the host's numbers
            for device, one in zip(devices, taken, strict=True)
        ]

    def _with(self, one: Readings, use: DeviceUse, names: ProcessNames, is_host: bool) -> Readings:
        """Return the readings with the processes seen and their use."""
        listed = {process.pid: process for process in one.processes or ()}
        processes = [self._listed(process, use.processes.get(pid)) for pid, process in listed.items()]
        for pid, its in use.processes.items():
            if pid not in listed and (its.memory_bytes or its.busy_percent):
                name, user = names.of(pid)
                busy, size = its.busy_percent, its.memory_bytes
                processes.append(ProcessReadings(pid=pid, name=name, user=user, memory_bytes=size, busy_percent=busy))
        is_all = self._clients.complete and is_host
        if one.processes is None and not processes and not is_all:
            reason = (
                "of other users' processes, or those outside this container, the kernel shows nothing: root sees them"
            )
            return replace(one, gaps=(*one.gaps, Gap(fact="processes", reason=reason, device=one.id, source=CALL)))
        busy = one.busy_percent
        if busy is None and is_all and self._counts_all:
            busy = use.busy_percent
        return replace(one, processes=tuple(processes), busy_percent=busy)

    def _listed(self, process: ProcessReadings, use: Use | None) -> ProcessReadings:
        """Return a process of the vendor's own list with what was seen of it."""
        if use is None:
            return process
        busy = use.busy_percent if self._counts_all or use.busy_percent else None
        size = process.memory_bytes if process.memory_bytes is not None else use.memory_bytes
        return replace(process, busy_percent=busy, memory_bytes=size)
