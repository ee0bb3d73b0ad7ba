from collections.abc import Iterator
from typing import TYPE_CHECKING, Final

from accel.checks.stated_limits import size_in_words
from accel.vendors.contract.check import Evidence, Problem, Remedy, applies, check

if TYPE_CHECKING:
    from accel.facts.questions import Facts
    from accel.model.chip import Chip
    from accel.model.device import Device
    from accel.specs import Specs

_LESS: Final = 0.8  # of the nominal size: ECC and firmware reserve less
_MORE: Final = 1.1
_OF_SYSTEM: Final = ("unified", "shared")  # the owner or the firmware sets the GPU's part


@check(code="AC350", name="device-memory-unlike-model", layer="hardware", severity="info", needs=("accelerators",))
def device_memory_unlike_model(facts: "Facts", specs: "Specs") -> Iterator[Problem]:
    """A device reports at least a fifth less memory than its model has, or a tenth more.

    Why it matters   Whatever was sized by the model's name does not fit. A slice of a virtual GPU shows less; a
                     modified board, or one with another name in its firmware, shows more or less.
    What to do       In a virtual machine request a larger profile; otherwise compare the board's part number with its
                     name.
    Looks at         memory_total_bytes, against specs/*/chips, for names that mean one product only
    Silent when      the model or its memory is unknown, its name covers several sizes, or it is a partition; unified or
                     shared memory is smaller: it is sold in several sizes, and the firmware assigns a part
    Source           the makers' data sheets, as cited in specs/*/chips
    """
    known = [(device, chip) for device in facts.accelerators if (chip := _chip(device, specs)) is not None]
    applies(bool(known), "no device here is a model with one known memory size")
    for device, chip in known:
        total, nominal = device.memory_total_bytes or 0, (chip.memory_bytes or 0) / chip.devices
        of_system = device.unified_memory or any(word in (chip.memory_type or "") for word in _OF_SYSTEM)
        least = 0.0 if of_system else _LESS * nominal
        if not least <= total <= _MORE * nominal:
            shown, usual = size_in_words(total), size_in_words(int(nominal))
            yield Problem(
                title=f"{device.id} has {shown} of memory; its model, {chip.name}, has {usual}",
                devices=(device.id,),
                evidence=(Evidence(fact=f"memory_total_bytes of {device.id}", value=str(total)),),
                remedies=(
                    Remedy(
                        text="In a virtual machine its profile sets this; otherwise compare the part number on "
                        "the board with the reported name.",
                        action="admin",
                    ),
                ),
            )


def _chip(device: "Device", specs: "Specs") -> "Chip | None":
    """Return the only product that a device's name means, if its memory is known."""
    if device.is_partition or not device.memory_total_bytes or not device.name:
        return None
    found = specs.find(device.name, device.backend)
    sizes = {chip.memory_bytes for chip in found}
    return found[0] if len(sizes) == 1 and None not in sizes else None
