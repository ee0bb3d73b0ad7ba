"""Making the records that the readers of AMD's texts yield."""

import re
from collections.abc import Sequence
from typing import Final

from accel.backend import Reading
from accel.model.device import Device
from accel.model.report import Event, Report

BACKEND: Final = "amd"


def gpu(
    index: int, name: str | None, target: str | None = None, pci_address: str | None = None, pci_id: str | None = None
) -> Device:
    """Return one GPU; target is its compute target without feature flags: "gfx90a"."""
    return Device(
        id=f"{BACKEND}:{index}",
        index=index,
        backend=BACKEND,
        vendor="AMD",
        kind="gpu",
        name=name,
        compute_capability=plain_target(target),
        pci_address=pci_address,
        pci_id=pci_id,
    )


def plain_target(target: str | None) -> str | None:
    """Return a target without its feature flags.

    >>> plain_target("gfx90a:sramecc+:xnack-"), plain_target("Ryzen"), plain_target(None)
    ('gfx90a', None, None)
    """
    found = re.match(r"gfx[0-9a-f]{3,4}\b", target or "")
    return found[0] if found else None


def reading(source: str, trust: int, devices: Sequence[Device] = (), events: Sequence[Event] = ()) -> Reading:
    """Return one report as a reading."""
    report = Report(backend=BACKEND, source=source, trust=trust, devices=tuple(devices), events=tuple(events))
    return Reading(source=source, reports=(report,))
