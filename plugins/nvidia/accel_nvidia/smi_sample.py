"""One more sample through nvidia-smi, if NVML cannot be loaded into this process but the tool works."""

from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, Any

from accel.model.dataclass import replace
from accel.model.device import Device, Memory, memory_of
from accel.model.merge import merged_devices
from accel.vendors.contract.backend import Request
from accel_nvidia.nvml_sample import CHANGING, blank
from accel_nvidia.smi_fallback import smi_reports

if TYPE_CHECKING:
    from accel.machine.protocol import Machine


def smi_listed(machine: "Machine") -> Mapping[str, Device]:
    """Return the devices that nvidia-smi currently lists, by ID; {} if it does not respond."""
    return {device.id: device for device in merged_devices(smi_reports(machine, Request(), hung=False))[0]}


def smi_memory(machine: "Machine", device_id: str) -> Memory | None:
    """Return one device's memory; None if nvidia-smi does not list it."""
    device = smi_listed(machine).get(device_id)
    return memory_of(device)


def smi_sampled(machine: "Machine", devices: Sequence[Device]) -> list[Device]:
    """Return the devices with nvidia-smi's current readings; those that it does not report are None."""
    latest = smi_listed(machine)
    return [_sampled(device, latest.get(device.id)) for device in devices]


def _sampled(device: Device, latest: Device | None) -> Device:
    if latest is None or (device.uuid and latest.uuid and device.uuid != latest.uuid):
        return blank(device)
    fresh: dict[str, Any] = {name: getattr(latest, name, None) for name in CHANGING if hasattr(device, name)}
    return replace(device, **fresh)
