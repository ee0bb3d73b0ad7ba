"""NVML kept between calls within a process: started once, with its handles cached."""

import os
import re
from typing import TYPE_CHECKING, Any

from accel.model.device import Device, Gap, Memory, Process
from accel.vendors.contract.backend import Request
from accel.vendors.toolkit.process_names import ProcessNames
from accel_nvidia import nvml_binding
from accel_nvidia.nvml_device import memory
from accel_nvidia.nvml_errors import UNINITIALIZED
from accel_nvidia.nvml_facts import start
from accel_nvidia.nvml_processes import processes_of
from accel_nvidia.nvml_sample import Sampler, blank
from accel_nvidia.nvml_session import HANDLE, Session

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    from accel.machine.protocol import Machine
    from accel.model.readings import Readings
    from accel.vendors.contract.watching import Wanted
    from accel_nvidia.nvml_readings import Gauge


class Cached:
    """Handles by device id. They do not survive a fork: a child starts its own."""

    def __init__(self, nvml: Any, machine: "Machine") -> None:
        self.nvml = nvml
        self._machine = machine
        self._process = os.getpid()
        self._names = ProcessNames(machine)
        self._handles: dict[str, Any] = {}
        self._samplers: dict[str, tuple[type[Device], Sampler]] = {}
        self._gauges: dict[tuple[str, bool, bool], Gauge] = {}
        self._named: set[int] = set()

    @classmethod
    def started(cls, machine: "Machine") -> "Cached | None":
        """Start NVML; None if it cannot be started, which the probe reports."""
        nvml = nvml_binding.load(machine)
        return cls(nvml, machine) if nvml is not None and start(nvml) == 0 else None

    def is_mine(self, machine: "Machine") -> bool:
        return self._process == os.getpid() and self._machine is machine

    def restarted(self) -> bool:
        """Start NVML again if other code in this process has shut it down; return whether that worked."""
        self._handles.clear()
        self._samplers.clear()
        self._gauges.clear()
        return start(self.nvml) == 0

    def memory(self, device_id: str) -> Memory | None:
        handle = self._handle(device_id)
        if handle is None:
            return None
        session = self._session()
        found = memory(session, handle, device_id)
        if session.has_failed(device_id, UNINITIALIZED) and self.restarted():
            return self.memory(device_id)
        return Memory(**{name.removeprefix("memory_"): value for name, value in found.items()}) if found else None

    def processes(self) -> dict[str, tuple[Process, ...] | None]:
        """Return the processes of every whole device."""
        session = self._session()
        found: dict[str, tuple[Process, ...] | None] = {}
        names = ProcessNames(self._machine)
        count = session.ask("nvmlDeviceGetCount")
        if session.has_failed(None, UNINITIALIZED) and self.restarted():
            count = session.ask("nvmlDeviceGetCount")
        for index in range(count or 0):
            device = f"nvidia:{index}"
            handle = self._handle(device)
            found[device] = None if handle is None else processes_of(session, handle, device, names)
        return found

    def sampled(self, devices: "Sequence[Device]") -> list[Device]:
        """Return the devices with new readings; values that cannot be read now are None."""
        found, stopped = self._sampled(devices)
        return self._sampled(devices)[0] if stopped and self.restarted() else found

    def readings(
        self, devices: "Sequence[Device]", wanted: "Wanted", seconds: "Callable[[], float]"
    ) -> "list[Readings]":
        """Return each device's readings, in order. seconds: a monotonic clock."""
        found, stopped = self._readings(devices, wanted, seconds)
        return self._readings(devices, wanted, seconds)[0] if stopped and self.restarted() else found

    def _sampled(self, devices: "Sequence[Device]") -> tuple[list[Device], bool]:
        """Return the samples, and whether NVML had been shut down by other code in this process."""
        found, stopped = [], False
        for device in devices:
            sampler = self._sampler(device)
            found.append(blank(device) if sampler is None else sampler.take(device))
            stopped = stopped or (sampler is not None and sampler.stopped)
        return found, stopped

    def _readings(
        self, devices: "Sequence[Device]", wanted: "Wanted", seconds: "Callable[[], float]"
    ) -> "tuple[list[Readings], bool]":
        """Return the readings, and whether NVML had been shut down by other code in this process."""
        from accel.model.readings import without_readings  # one more sample does without the module

        gauges = [self._gauge(device, wanted) for device in devices]
        if wanted.activity:
            for gauge in gauges:
                if gauge is not None:
                    gauge.take_activity(wanted)
        found, stopped = [], False
        pids: set[int] = set()
        for device, gauge in zip(devices, gauges, strict=True):
            if gauge is None:
                gap = Gap(fact="readings", reason="NVML gives no handle for it", device=device.id, backend="nvidia")
                found.append(without_readings(device, "gone", (gap,)))
                continue
            taken = gauge.take(device, wanted, seconds)
            found.append(taken)
            stopped = stopped or gauge.stopped
            pids.update(process.pid for process in taken.processes or ())
        self._keep_names(pids)
        return found, stopped

    def _sampler(self, device: Device) -> Sampler | None:
        """Return this device's sampler; None if it has no handle."""
        known = self._samplers.get(device.id)
        if known is not None and known[0] is type(device):
            return known[1]
        handle = self._handle(device.id)
        if handle is None:
            return None
        made = Sampler(self.nvml, handle, self._names, type(device))
        self._samplers[device.id] = (type(device), made)
        return made

    def _gauge(self, device: Device, wanted: "Wanted") -> "Gauge | None":
        """Return this device's gauge; None if it has no handle."""
        key = (device.id, wanted.links, wanted.activity)
        known = self._gauges.get(key)
        if known is not None:
            return known
        wanted.progress.calling(HANDLE, device.id)
        handle = self._handle(device.id)
        whole = handle if device.parent is None else self._handle(device.parent)
        if handle is None or whole is None:
            return None
        from accel_nvidia.nvml_readings import Gauge

        instance = None if device.parent is None else getattr(device, "gpu_instance_id", None)
        made = self._gauges[key] = Gauge(self.nvml, handle, self._names, whole, instance, wanted)
        return made

    def _keep_names(self, pids: set[int]) -> None:
        """Forget the names of processes that left all devices: their PIDs may be reused."""
        if pids != self._named:
            self._named = pids
            self._names.keep(pids)

    def _session(self) -> Session:
        return Session(self.nvml, Request())

    def _handle(self, device_id: str) -> Any | None:
        found = self._handles.get(device_id)
        if found is None:
            parts = re.fullmatch(r"nvidia:(\d+)(?:/mig(\d+))?", device_id)
            if not parts:
                return None
            session = self._session()
            found = session.ask(HANDLE, int(parts[1]))
            if found is not None and parts[2] is not None:
                found = session.ask("nvmlDeviceGetMigDeviceHandleByIndex", found, int(parts[2]))
            if found is not None:
                self._handles[device_id] = found
        return found
