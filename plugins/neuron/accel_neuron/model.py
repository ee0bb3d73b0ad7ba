"""The record of a Neuron device."""

from collections.abc import Mapping
from typing import Any, ClassVar

from accel.model.dataclass import dataclass, replace
from accel.model.device import Device, Health
from accel.specs import load

BACKEND = "neuron"
VENDOR = "AWS"


@dataclass(frozen=True, slots=True, kw_only=True)
class NeuronDevice(Device):
    """One Neuron device: a Trainium or Inferentia chip with its NeuronCores.

    name          "Trainium2", if the source names the instance, the chip or its PCI ID; neuron-ls alone does not
    bus_address   the PCI address from a source that omits the domain: "cc:00.0"; else see pci_address
    core_count    NeuronCores as counted by the runtime: logical ones if several physical ones form one
    core_ids      their numbers, as counted by NEURON_RT_VISIBLE_CORES
    cores_per_logical_core  "logical-neuroncore-config"; None if not printed
    connected_to  the devices at the other end of its links; () if it has none
    *_errors      memory (HBM) and SRAM errors since the driver was loaded
    """

    readings_from: ClassVar[tuple[tuple[str, str], ...]] = (
        ("corrected_errors", "memory_corrected_errors"),
        ("uncorrected_errors", "memory_uncorrected_errors"),
    )

    bus_address: str | None = None
    core_count: int | None = None
    core_ids: tuple[int, ...] | None = None
    cores_per_logical_core: int | None = None
    connected_to: tuple[int, ...] | None = None
    cpu_affinity: str | None = None
    instance_type: str | None = None
    memory_corrected_errors: int | None = None
    memory_uncorrected_errors: int | None = None
    sram_corrected_errors: int | None = None
    sram_uncorrected_errors: int | None = None
    device_path: str | None = None
    node_accessible: bool | None = None


def neuron(index: int) -> NeuronDevice:
    """Return an empty record with this index."""
    return NeuronDevice(id=f"{BACKEND}:{index}", index=index, backend=BACKEND, vendor=VENDOR, kind="accelerator")


def health_of(*uncorrected: int | None) -> Health:
    """Return "critical" if there are uncorrected errors; without them, health is unknown, not good."""
    return "critical" if any(uncorrected) else "unknown"


def table() -> Mapping[str, Any]:
    """Return specs/aws/neuron.yaml."""
    found: Mapping[str, Any] = load().table("aws/neuron") or {"families": ()}
    return found


def with_family(device: NeuronDevice, *, instance: str | None = None, kind: str | None = None) -> NeuronDevice:
    """Return the device with the name and architecture implied by its PCI ID, its instance or neuron-monitor's word."""
    pci = (device.pci_id or "").removeprefix("1d0f:")
    family = (instance or "").partition(".")[0].lower()
    for entry in table()["families"]:
        if pci in entry["pci_devices"] or family in entry["instances"] or (kind or "").lower() in entry["types"]:
            chip = load().chip(name=entry["name"], vendor="aws")
            return replace(
                device,
                name=entry["name"],
                architecture=chip.architecture if chip else device.architecture,
                instance_type=instance or device.instance_type,
            )
    return replace(device, instance_type=instance or device.instance_type)
