"""Devices that NVML counts but cannot query: what the bus and the kernel know about them."""

from collections.abc import Sequence
from typing import TYPE_CHECKING

from accel.model.dataclass import replace
from accel_nvidia.kernel import KernelGpu, kernel_gpus
from accel_nvidia.pci import PciGpu, pci_gpus

if TYPE_CHECKING:
    from accel.machine.protocol import Machine
    from accel.model.device import Device


def placed(machine: "Machine", devices: "Sequence[Device]") -> "list[Device]":
    """Return the devices; those without an address get what the bus knows about them.

    NVML numbers devices in address order: if there are as many unassigned addresses as devices, they are matched in
    that order. Otherwise nothing is guessed.
    """
    lost = [d for d in devices if d.is_top_level and d.pci_address is None]
    if not lost:
        return list(devices)
    taken = {d.pci_address for d in devices}
    listed = {gpu.address: gpu for gpu in kernel_gpus(machine)}
    left = [gpu for gpu in pci_gpus(machine) if gpu.address not in taken and _may_be_ours(gpu, listed)]
    if len(left) != len(lost):
        return list(devices)
    places = {device.id: gpu for device, gpu in zip(lost, left, strict=True)}
    return [_with(d, places[d.id], listed) if d.id in places else d for d in devices]


def _may_be_ours(gpu: PciGpu, listed: dict[str, KernelGpu]) -> bool:
    """Return whether this process may use the GPU. In a container the bus shows all, the module's list only its own."""
    return gpu.address in listed if listed else gpu.driver in (None, "nvidia")


def _with(device: "Device", gpu: PciGpu, listed: dict[str, KernelGpu]) -> "Device":
    device = replace(device, pci_address=gpu.address, pci_id=gpu.pci_id, numa_node=gpu.numa_node)
    remembered = listed.get(gpu.address)
    if remembered is None:
        return device
    return replace(device, name=device.name or remembered.name, uuid=device.uuid or remembered.uuid)
