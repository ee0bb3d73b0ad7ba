"""What a device's model tells of it where its source did not: the architecture and the compute capability."""

from collections.abc import Iterable, Sequence
from typing import TYPE_CHECKING

from accel.model.dataclass import replace

if TYPE_CHECKING:
    from accel.model.chip import Chip
    from accel.model.device import Device
    from accel.model.report import Report
    from accel.specs import Specs


def with_chip_facts(reports: "Sequence[Report]", specs: "Specs") -> "tuple[Report, ...]":
    """Return the reports, their devices completed."""
    return tuple(
        replace(report, devices=completed(report.devices, specs)) if any(map(_lacks, report.devices)) else report
        for report in reports
    )


def completed(devices: "Iterable[Device]", specs: "Specs") -> "tuple[Device, ...]":
    """Return the devices with what all products that the PCI id or the name can mean have in common.

    A partition is of its whole device's chip.
    """
    whole: dict[str, Device] = {}
    found: list[Device] = []
    for device in devices:
        found.append(_completed(device, whole.get(device.parent or ""), specs) if _lacks(device) else device)
        whole[device.id] = found[-1]
    return tuple(found)


def _lacks(device: "Device") -> bool:
    return device.kind != "cpu" and (device.architecture is None or device.compute_capability is None)


def _completed(device: "Device", whole: "Device | None", specs: "Specs") -> "Device":
    if whole is not None:
        architecture, capability = whole.architecture, whole.compute_capability
    else:
        chips = _chips(device, specs)
        architecture = _common({chip.architecture for chip in chips})
        capability = _common({chip.compute_capability or chip.compute_target for chip in chips})
    return replace(
        device,
        architecture=device.architecture or architecture,
        compute_capability=device.compute_capability or capability,
    )


def _chips(device: "Device", specs: "Specs") -> "Sequence[Chip]":
    exact = specs.chip(pci_id=device.pci_id, vendor=device.backend) if device.pci_id else None
    if exact is not None:
        return (exact,)
    return specs.find(device.name, device.backend) if device.name else ()


def _common(values: set[str | None]) -> str | None:
    """Return the one value; None of several, or of none."""
    return next(iter(values)) if len(values) == 1 else None
