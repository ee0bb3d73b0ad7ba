"""A Cambricon card reports that it is not well."""

from collections.abc import Iterator

from accel.contract.check import Evidence, Problem, Remedy, check
from accel.facts.questions import Facts
from accel.specs import Specs
from accel_cambricon import VENDOR
from accel_cambricon.model import CambriconDevice


@check(
    code="CB001",
    name="mlu-unhealthy",
    layer="hardware",
    family="gpu-hardware-fault",
    needs=("cambricon.devices.health",),
)
def mlu_unhealthy(facts: Facts, specs: Specs) -> Iterator[Problem]:
    """A Cambricon card reports that it is not well.

    Why it matters   Jobs on such a card fail or hang; Cambricon's own scheduler plugin takes it out of use.
    What to do       Read the kernel's log for the driver's lines about this card; reset it, or have it replaced.
    Looks at         Device under Health State of `cnmon info`
    Silent when      it says Good for every card; undecided if no card's health is known, as from the table alone
    Source           Cambricon CNDev header, cndevCardHealthState_t; github.com/Cambricon/mlu-exporter
    """
    cards = [device for device in facts.of(VENDOR.name) if isinstance(device, CambriconDevice)]
    ill = [card for card in cards if card.health_text and card.health != "ok"]
    for card in ill:
        yield Problem(
            title=f"{card.id} ({card.name or 'MLU'}) reports its health as {card.health_text}",
            devices=(card.id,),
            severity="error" if card.health == "critical" else "warning",
            evidence=(Evidence(fact="health", value=str(card.health_text), source="cnmon info"),),
            remedies=(
                Remedy(
                    text="See what the driver said", command="dmesg | grep -i cambricon", action="admin", kind="look"
                ),
                Remedy(
                    text="Have the card replaced if a restart of the host does not mend it",
                    action="service",
                    kind="ask",
                ),
            ),
        )
