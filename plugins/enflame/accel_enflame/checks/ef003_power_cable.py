"""efsmi says that a board's power cable is not as it should be."""

from collections.abc import Iterator
from typing import TYPE_CHECKING

from accel.contract.check import Evidence, Problem, Remedy, check
from accel_enflame import VENDOR
from accel_enflame.model import EnflameDevice

if TYPE_CHECKING:
    from accel.facts.questions import Facts
    from accel.specs import Specs


@check(
    code="EF003",
    name="enflame-power-cable",
    layer="hardware",
    family="gpu-hardware-fault",
    needs=("enflame.devices.power_cable",),
)
def enflame_power_cable(facts: "Facts", specs: "Specs") -> Iterator[Problem]:
    """efsmi says that a board's power cable is not as it should be.

    Why it matters   Without its cable the board runs at a fraction of its power, or not at all.
    What to do       Shut the machine down and seat the cable.
    Looks at         Status under Power Cable of efsmi -q
    Silent when      it is "Normal"; undecided where no source tells it
    Source           the efsmi user guide, support.enflame-tech.com
    """
    bad = {
        device.id: word
        for device in facts.of(VENDOR.name)
        if isinstance(device, EnflameDevice) and (word := device.power_cable) and word.lower() != "normal"
    }
    if not bad:
        return
    yield Problem(
        title="The power cable is not right on " + ", ".join(bad),
        devices=tuple(bad),
        evidence=tuple(Evidence(fact="power_cable", value=f"{d}: {word}") for d, word in list(bad.items())[:8]),
        remedies=(Remedy(text="Shut the machine down, and seat the board's power cable", action="admin"),),
    )
