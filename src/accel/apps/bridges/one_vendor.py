"""The devices for which the adapters of other libraries' calls answer.

gpustat, GPUtil and pynvml number the devices of one vendor from 0, and so do the adapters: a number that is put into
that vendor's mask must mean that device. Where a machine has accelerators of several vendors, they answer for one
backend: the one that ACCEL_BRIDGE names ("nvidia"), else the one whose devices have most memory together.
Whole devices only, since these libraries give partitions no number; masks hide none, as in the originals.
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
    """Return the devices in the order of the vendor's numbers; () if there is none.

    rarer  fields that only some vendors' records have ("fan_percent"): where the vendor's has one that a plain listing
           leaves out, a fuller probe is made
    Raises BadInput if ACCEL_BRIDGE names a backend that has no device, while others have.
    """
    from accel.apps.api import accelerators, snapshot

    here = accelerators()
    wanted = os.environ.get(VARIABLE, "").strip()
    chosen = of_one_backend(here, wanted)
    if wanted and here and not chosen:
        names = ", ".join(sorted({device.backend for device in here}))
        raise BadInput(f"{VARIABLE}={wanted}: no device of that name is here. Name one of: {names}. See  accel devices")
    missing = [field for field in rarer if chosen and not hasattr(chosen[0], field)]
    if not missing or not _has_one(chosen[0].backend, missing):
        return chosen
    from accel.facts.questions import Facts

    fuller = {device.id: device for device in Facts(snapshot()).accelerators}
    return tuple(fuller.get(device.id, device) for device in chosen)


def _has_one(backend: str, names: Sequence[str]) -> bool:
    """Say whether a vendor's own record has one of these fields."""
    found = _registry().backend(backend)
    return found is not None and any(name in names for name in field_names(found.device_type))


@cache
def _registry() -> Registry:
    return Registry(os.environ, sys.path)


def none_here() -> NoSuchDevice:
    """Return the cause of the error that a library raises when its driver is missing."""
    return NoSuchDevice("No accelerator was found on this machine. See  accel doctor")


def of_one_backend(devices: Sequence[Device], wanted: str = "") -> tuple[Device, ...]:
    """Return the whole devices of the wanted backend; of "" those of the one with most memory, ties by name."""
    whole = [device for device in devices if device.is_top_level and device.kind != "cpu"]
    groups = {name: [d for d in whole if d.backend == name] for name in sorted({d.backend for d in whole})}
    if not wanted and groups:
        wanted = max(groups, key=lambda name: sum(d.memory_total_bytes or 0 for d in groups[name]))
    return tuple(sorted(groups.get(wanted.lower(), ()), key=lambda device: device.index))
