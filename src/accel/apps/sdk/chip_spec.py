"""`accel.spec`: what a chip is and what its maker's sheet says of it, scaled to the device that is asked about."""

from functools import lru_cache
from typing import TYPE_CHECKING

from accel.apps.sdk.chip_record import ChipSpec

if TYPE_CHECKING:
    from accel.model.chip import Chip
    from accel.model.device import Device
    from accel.specs import Specs


def spec(of: "Device | Chip | str") -> ChipSpec | None:
    """Return what is known of a device's chip, or of a product: peak rates, memory, units, links, each with its source.

    of  a Device, of this machine or of a snapshot: the figures are those of what it has, of a MIG slice its share; or a
        product's name ("H100 SXM5", "MI300X", "A100 MIG 1g.10gb") or a record of the spec database
    Of a name that several products bear ("H100") a figure is given where all agree; `candidates` names them. None for a
    name that means no chip that is known, and for a device of which neither chip nor architecture is known. Nothing
    is probed, and no driver is asked.
    """
    from accel.apps import api
    from accel.apps.sdk.described import of_device, of_name
    from accel.model.device import Device

    specs = api._specs()
    if isinstance(of, Device):
        return of_device(specs, of)
    return _of_name(specs, of) if isinstance(of, str) else of_name(specs, of.name, (of,), None)


@lru_cache(maxsize=256)
def _of_name(specs: "Specs", name: str) -> ChipSpec | None:
    from accel.apps.sdk.described import of_name
    from accel.specs.matching import without_bespoke

    meant = specs.named(name)
    return of_name(specs, name, without_bespoke(meant.chips), meant.part) if meant.chips else None
