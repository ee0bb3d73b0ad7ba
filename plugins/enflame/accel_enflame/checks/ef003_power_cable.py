"""efsmi says that a board's power cable is not as it should be."""

from collections.abc import Iterator
from typing import TYPE_CHECKING

from accel.contract.check import Evidence, Problem, Remedy, check, need
from accel_enflame.signs import need_enflame

if TYPE_CHECKING:
    from accel.facts.questions import Facts
    from accel.specs import Specs


@check(code="EF003", name="enflame-power-cable", layer="hardware", family="gpu-hardware-fault")
def enflame_power_cable(facts: "Facts", specs: "Specs") -> Iterator[Problem]:
    """efsmi says that a board's power cable is not as it should be.

    Why it matters   Without its cable the board runs at a fraction of its power, or not at all.
    What to do       Shut the machine down and seat the cable.
    Looks at         Status under Power Cable of efsmi -q
    Silent when      it is "Normal"; undecided where no source tells it
    Source           the efsmi user guide, support.enflame-tech.com
    """
    cables = {d.id: d.power_cable for d in need_enflame(facts) if d.power_cable is not None}
    bad = {device: word for device, word in need(cables or None, "power_cable").items() if word.lower() != "normal"}
    if not bad:
        return
    yield Problem(
        title="The power cable is not right on " + ", ".join(bad),
        devices=tuple(bad),
        evidence=tuple(Evidence(fact="power_cable", value=f"{d}: {word}") for d, word in list(bad.items())[:8]),
        remedies=(Remedy(text="Shut the machine down, and seat the board's power cable", action="admin"),),
    )
