"""The devices of each machine or run that a text distinguishes (docs/decisions/33). Pure.

Parts of one machine that list the same devices, such as two environments, are one listing.
"""

from collections.abc import Sequence

from accel.model.dataclass import dataclass
from accel.model.device import Device, Gap
from accel.model.merge import merged_devices
from accel.model.snapshot import Part, Snapshot


@dataclass(frozen=True, slots=True, kw_only=True)
class Listing:
    """Devices that belong together. says: where, "on gpu01, before the reboot"; None if the text has one machine."""

    says: str | None
    devices: tuple[Device, ...]
    gaps: tuple[Gap, ...]


def devices_apart(snapshot: Snapshot) -> tuple[Listing, ...]:
    """Return the listings of a snapshot in its text's order; a single one, of all its reports, if it has no parts."""
    alike: dict[tuple[object, ...], list[Part]] = {}
    for part in snapshot.parts:
        devices, _ = merged_devices(part.reports)
        if part.apart and devices:
            who = tuple((device.id, device.name, device.uuid, device.pci_address) for device in devices)
            alike.setdefault((dict(part.kinds).get("machine"), who), []).append(part)
    if len(alike) < 2:
        return (_listing(None, (snapshot,)),)
    return tuple(_listing(", ".join(dict.fromkeys(part.says for part in parts)), parts) for parts in alike.values())


def _listing(says: str | None, told: "Sequence[Part | Snapshot]") -> Listing:
    reports = [report for one in told for report in one.reports]
    devices, disagreements = merged_devices(reports)
    return Listing(
        says=says, devices=tuple(devices), gaps=(*(gap for report in reports for gap in report.gaps), *disagreements)
    )
