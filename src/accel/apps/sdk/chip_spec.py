"""`accel.spec`: the specification of a chip from its data sheet, scaled to a given device."""

from functools import lru_cache

from accel.apps.sdk.chip_record import ChipSpec
from accel.model.chip import Chip
from accel.model.device import Device
from accel.specs import Specs


def spec(of: Device | Chip | str) -> ChipSpec | None:
    """Return the specification of a device's chip, or of a product: peak rates, memory, units, links, each with its
    source.

    of  a Device, from this machine or a snapshot: the figures are scaled to what it has, such as the share of a MIG
        slice. Or a product name ("H100 SXM5", "MI300X", "A100 MIG 1g.10gb"), or a record of the spec database

    If a name matches several products ("H100"), a figure is given only if all of them agree; `candidates` lists them.
    Returns None if the name matches no known chip, or if neither chip nor architecture of the device is known. Probes
    nothing and calls no driver.
    """
    from accel.apps import api
    from accel.apps.sdk.described import of_device, of_name
    from accel.model.device import Device

    specs = api._specs()
    if isinstance(of, Device):
        return of_device(specs, of)
    return _of_name(specs, of) if isinstance(of, str) else of_name(specs, of.name, (of,), None)


@lru_cache(maxsize=256)
def _of_name(specs: Specs, name: str) -> ChipSpec | None:
    from accel.apps.sdk.described import of_altered, of_name
    from accel.specs.matching import without_bespoke

    meant = specs.named(name)
    if not meant.chips:
        return None
    found = of_name(specs, name, without_bespoke(meant.chips), meant.part)
    return of_altered(found, meant.altered) if meant.altered else found
