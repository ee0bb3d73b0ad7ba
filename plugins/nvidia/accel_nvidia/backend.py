"""NVIDIA's devices on a live machine: NVML first, nvidia-smi if NVML fails, and always the PCI bus and the kernel."""

import os
from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING

from accel.vendors.toolkit.vendor_backend import VendorBackend
from accel_nvidia.vendor import VENDOR

if TYPE_CHECKING:
    from typing import Any

    from accel.machine.protocol import Machine
    from accel.model.device import Device, Memory, Process
    from accel.model.readings import Readings
    from accel.model.report import Report
    from accel.vendors.contract.backend import Request
    from accel.vendors.contract.watching import Wanted
    from accel_nvidia.nvml_cached import Cached


class NvidiaBackend(VendorBackend):
    """Keeps NVML and its handles between samples; a forked process gets its own."""

    def __init__(self) -> None:
        super().__init__(VENDOR)
        self._kept: Cached | None = None
        self._holder: int | None = None  # the process that initialized NVML and has not shut it down
        self._remembered: dict[int, dict[str, Any]] = {}  # each GPU's identity, by its number

    def probe(self, machine: "Machine", request: "Request") -> "Sequence[Report]":
        from accel_nvidia.nvml_binding import is_installed
        from accel_nvidia.nvml_probe import nvml_report
        from accel_nvidia.nvml_session import COUNT, INIT

        remembered = self._remembered if request.links_only else None
        first = nvml_report(machine, request, self._hold, remembered)
        if first.status != "failed":
            if (request.depth == "devices" or request.links_only) and first.devices:
                return (first,)
            return (first, _kernel_report(machine, first.devices or None))
        hung = any(call in (INIT, COUNT) for call, _ in request.skip)
        kernel = _kernel_report(machine)
        for device in kernel.devices:
            request.progress.found(device)
        if not hung and not is_installed(machine) and not kernel.observations and not kernel.devices:
            return (_absent(first), kernel)
        from accel_nvidia.smi_fallback import smi_reports

        return (first, *smi_reports(machine, request, hung), kernel)

    def memory(self, machine: "Machine", device_id: str) -> "Memory | None":
        kept = self._keep(machine)
        if kept is not None:
            return kept.memory(device_id)
        from accel_nvidia.smi_sample import smi_memory

        return smi_memory(machine, device_id)

    def sample(self, machine: "Machine", devices: "Sequence[Device]") -> "Sequence[Device]":
        kept = self._keep(machine)
        if kept is None:
            from accel_nvidia.smi_sample import smi_sampled

            return smi_sampled(machine, devices)
        return kept.sampled(devices)

    def readings(self, machine: "Machine", devices: "Sequence[Device]", wanted: "Wanted") -> "Sequence[Readings]":
        """Return the changing values; if NVML does not start, those that nvidia-smi prints."""
        wanted.progress.calling("nvmlInit")
        kept = self._keep(machine)
        if kept is None:
            from accel.model.readings import readings_of
            from accel_nvidia.smi_sample import smi_sampled

            wanted.progress.calling("nvidia-smi")
            return [readings_of(device) for device in smi_sampled(machine, devices)]
        return kept.readings(devices, wanted, machine.seconds)

    def processes(self, machine: "Machine") -> "Mapping[str, tuple[Process, ...] | None]":
        kept = self._keep(machine)
        if kept is not None:
            return kept.processes()
        from accel_nvidia.smi_sample import smi_listed

        return {name: device.processes for name, device in smi_listed(machine).items()}

    def _keep(self, machine: "Machine") -> "Cached | None":
        from accel_nvidia.nvml_cached import Cached

        if self._kept is None or not self._kept.is_mine(machine):
            self._kept = Cached.started(machine)
            if self._kept is not None:
                self._hold(self._kept.nvml)
        return self._kept

    def _hold(self, nvml: "Any") -> None:
        """Keep NVML initialized in this process, so that the next query need not initialize the driver again."""
        if self._holder == os.getpid():
            from accel_nvidia.nvml_facts import stop

            stop(nvml)
        self._holder = os.getpid()


def backend() -> NvidiaBackend:
    return NvidiaBackend()


def _kernel_report(machine: "Machine", known: "Sequence[Device] | None" = None) -> "Report":
    from accel_nvidia.kernel_report import kernel_report

    return kernel_report(machine, known)


def _absent(report: "Report") -> "Report":
    """Return the report with status "absent": no library and no NVIDIA device on the machine, so nothing is broken."""
    from accel.model.dataclass import replace

    return replace(report, status="absent")
