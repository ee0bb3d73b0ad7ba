"""Selects the devices that the adapters for other libraries' APIs present.

gpustat, GPUtil and pynvml number the devices of one vendor from 0, and so do the adapters: an index used in that
vendor's mask must mean the same device. On a machine with accelerators of several vendors, they present those of one
backend: the one named by ACCEL_BRIDGE ("nvidia"), else the one whose devices have the most memory in total.
Only whole devices are included, since these libraries do not number partitions; masks are ignored, as in the originals.
"""

import os
import sys
from collections.abc import Sequence
from functools import cache

from accel.model.dataclass import field_names
from accel.model.device import Device
from accel.model.errors import BadInput, NoSuchDevice
from accel.plugins.registry import Registry

VARIABLE = "ACCEL_BRIDGE"


def whole_accelerators(rarer: Sequence[str] = ()) -> tuple[Device, ...]:
    """Return the devices in the vendor's numbering order; () if there is none.

    rarer  fields that only some vendors' records have ("fan_percent"): if the vendor's record has one that a plain
           listing omits, a fuller probe is made

    Raises BadInput if ACCEL_BRIDGE names a backend without devices while others have some.
    """
    from accel.apps.api import accelerators, snapshot

    here = accelerators()
    wanted = os.environ.get(VARIABLE, "").strip()
    chosen = of_one_backend(here, wanted)
    if wanted and here and not chosen:
        names = ", ".join(sorted({device.backend for device in here}))
        raise BadInput(f"{VARIABLE}={wanted}: there is no device of that name. Use one of: {names}. Try  accel devices")
    missing = [field for field in rarer if chosen and not hasattr(chosen[0], field)]
    if not missing or not _has_one(chosen[0].backend, missing):
        return chosen
    from accel.facts.questions import Facts

    fuller = {device.id: device for device in Facts(snapshot()).accelerators}
    return tuple(fuller.get(device.id, device) for device in chosen)


def _has_one(backend: str, names: Sequence[str]) -> bool:
    """Return whether a vendor's own record type has one of these fields."""
    found = _registry().backend(backend)
    return found is not None and any(name in names for name in field_names(found.device_type))


@cache
def _registry() -> Registry:
    return Registry(os.environ, sys.path)


def none_here() -> NoSuchDevice:
    """Return the cause for the error that a library raises if its driver is missing."""
    return NoSuchDevice("No accelerator was found on this machine. Try  accel doctor")


def of_one_backend(devices: Sequence[Device], wanted: str = "") -> tuple[Device, ...]:
    """Return the backend's whole devices; for "", those of the backend with the most memory, ties by name."""
    whole = [device for device in devices if device.is_top_level and device.kind != "cpu"]
    groups = {name: [d for d in whole if d.backend == name] for name in sorted({d.backend for d in whole})}
    if not wanted and groups:
        wanted = max(groups, key=lambda name: sum(d.memory_total_bytes or 0 for d in groups[name]))
    return tuple(sorted(groups.get(wanted.lower(), ()), key=lambda device: device.index))
