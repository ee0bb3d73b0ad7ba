"""Watching Intel GPUs: readings from xpu-smi if installed, the driver's files, and the processes that use them.

/sys/bus/pci/devices/<address>/power/runtime_status                "suspended": reading more would wake it
    hwmon/hwmon<n>/energy1_input                                   microjoules, for the whole card
    hwmon/hwmon<n>/{temp2_label,temp2_input}                       as in found_files
    tile0/gt0/freq0/act_freq                                       xe: MHz; 0 while the engines sleep
    tile0/gt0/freq0/throttle/{status,reason_pl1,reason_thermal,…}  xe: "1" for each active throttle reason
    drm/card<n>/gt/gt0/rps_act_freq_mhz                            i915
    drm/card<n>/gt/gt0/throttle_reason_{status,pl1,thermal,…}      i915
Source  Linux: Documentation/ABI/testing/sysfs-driver-intel-{i915,xe}-hwmon, Documentation/gpu/xe/xe_gt_freq.rst,
        drivers/gpu/drm/i915/gt/intel_gt_sysfs_pm.c
"""

from collections.abc import Sequence
from typing import TYPE_CHECKING, Any, Final

from accel.machine.files import file_number, file_text, names_in
from accel.model.dataclass import replace
from accel.model.device import Device
from accel.model.readings import Readings
from accel.vendors.toolkit.drm_watching import DrmWatching, Sample

if TYPE_CHECKING:
    from accel.machine.protocol import Machine
    from accel.vendors.contract.watching import Wanted

_PCI: Final = "/sys/bus/pci/devices"
_REASONS: Final = {  # the kernel's names, by accel's names of throttle reasons
    "pl1": "power-cap",
    "pl2": "power-cap-short",
    "pl4": "power-peak",
    "thermal": "thermal",
    "prochot": "thermal-processor-hot",
    "ratl": "thermal-average",
    "vr_thermalert": "thermal-voltage-regulator",
    "vr_tdc": "current-voltage-regulator",
}


class IntelWatching:
    """Keeps each card's energy from the previous reading: power is the energy used since then."""

    def __init__(self, sample: Sample) -> None:
        self._drm = DrmWatching(sample, counts_all=True)
        self._before: dict[str, tuple[float, float]] = {}  # seconds, joules

    def readings(self, machine: "Machine", devices: Sequence[Device], wanted: "Wanted") -> Sequence[Readings]:
        """Return the readings of these devices, in order."""
        taken = self._drm.readings(machine, devices, wanted)
        wanted.progress.calling("sysfs")
        return [self._with_files(machine, device, one) for device, one in zip(devices, taken, strict=True)]

    def _with_files(self, machine: "Machine", device: Device, one: Readings) -> Readings:
        """Return the readings, completed from the files."""
        folder = f"{_PCI}/{device.pci_address}"
        if device.pci_address is None or file_text(machine, f"{folder}/power/runtime_status") == "suspended":
            return one
        found: dict[str, Any] = {**_hwmon(machine, folder), **_clock(machine, folder)}
        joules = found.get("energy_joules")
        if joules is not None:
            now, before = machine.seconds(), self._before.get(device.id)
            self._before[device.id] = now, joules
            if before is not None and now > before[0] and joules >= before[1]:
                found["power_watts"] = round((joules - before[1]) / (now - before[0]), 1)
        return replace(one, **{name: value for name, value in found.items() if getattr(one, name) is None})


def _hwmon(machine: "Machine", folder: str) -> dict[str, Any]:
    found: dict[str, Any] = {}
    for name in names_in(machine, f"{folder}/hwmon"):
        place = f"{folder}/hwmon/{name}"
        energy = file_number(machine, f"{place}/energy1_input")
        if energy is not None:
            found["energy_joules"] = energy / 1e6
        for number in (1, 2):
            value = file_number(machine, f"{place}/temp{number}_input")
            label = file_text(machine, f"{place}/temp{number}_label") or "pkg"
            if value is not None and label == "pkg":
                found.setdefault("temperature_celsius", value / 1000)
        limit = file_number(machine, f"{place}/power1_max")
        if limit:
            found["power_limit_watts"] = limit / 1e6
    return found


def _clock(machine: "Machine", folder: str) -> dict[str, Any]:
    """Return the first tile's clock and its throttle reasons."""
    card = next((name for name in names_in(machine, f"{folder}/drm") if name.startswith("card")), "")
    for clock, reasons in (
        (f"{folder}/tile0/gt0/freq0/act_freq", f"{folder}/tile0/gt0/freq0/throttle/reason_"),
        (f"{folder}/drm/{card}/gt/gt0/rps_act_freq_mhz", f"{folder}/drm/{card}/gt/gt0/throttle_reason_"),
    ):
        megahertz = file_number(machine, clock)
        if megahertz is None:
            continue
        told = {name: file_text(machine, f"{reasons}{name}") for name in _REASONS}
        found: dict[str, Any] = {"clock_mhz": megahertz}
        if any(value is not None for value in told.values()):
            found["clock_event_reasons"] = tuple(_REASONS[name] for name, value in told.items() if value == "1")
        return found
    return {}
