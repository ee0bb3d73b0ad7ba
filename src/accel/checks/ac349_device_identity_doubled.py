from collections.abc import Iterator

from accel.facts.questions import Facts
from accel.model.device import Device
from accel.specs import Specs
from accel.vendors.contract.check import Evidence, Problem, Remedy, applies, check


@check(code="AC349", name="device-identity-doubled", layer="hardware", severity="warning", needs=("accelerators",))
def device_identity_doubled(facts: Facts, specs: Specs) -> Iterator[Problem]:
    """Two devices at different bus addresses have the same UUID.

    Why it matters   Masks, schedulers and NCCL identify devices by it: they treat the two as one.
    What to do       Clones of a virtual GPU: give each its own. Boards: have the maker rewrite their records.
    Looks at         uuid and pci_address of whole devices; not the serial number, which the chips of one board share
    Silent when      no UUID or address is known, or all differ
    Source           NVML API: nvmlDeviceGetUUID; the identity that a vendor gives a device for life
    """
    by_uuid: dict[tuple[str, str], list[Device]] = {}
    for device in facts.accelerators:
        if device.uuid and device.pci_address and device.is_top_level:
            by_uuid.setdefault((device.backend, device.uuid), []).append(device)
    applies(bool(by_uuid), "no device reports a UUID")
    for (_, uuid), same in by_uuid.items():
        if len({device.pci_address for device in same}) > 1:
            yield Problem(
                title=f"{' and '.join(device.id for device in same[:4])} have the same UUID",
                devices=tuple(device.id for device in same),
                evidence=tuple(
                    Evidence(fact=f"uuid of {device.id} at {device.pci_address}", value=uuid) for device in same[:4]
                ),
                remedies=(
                    Remedy(
                        text="For virtual GPUs, give each clone its own UUID on the host; for boards, ask the "
                        "manufacturer.",
                        action="service",
                        kind="ask",
                    ),
                ),
            )
