"""A live machine's wiring, as facts with the names used for texts."""

from collections.abc import Iterator
from typing import Final

from accel.model.observation import Fact
from accel.model.wiring import Wiring
from accel.specs import Specs
from accel.vendors.contract.rule import Seen, rule

_SOURCE: Final = "sysfs"


@rule(
    gives={
        "peer-requests-redirected": "a PCIe port sends requests between devices below it over the root (ACS)",
        "iommu-on": "the kernel uses an IOMMU, and translates",
        "rdma-listed": "a network card for RDMA is there",
    },
    triggers=("wiring",),
)
def wiring(seen: Seen, specs: Specs) -> Iterator[Fact]:
    """Includes ports above an accelerator, the IOMMU if it translates for one, and cards with a port that is up."""
    told: Wiring | None = seen.snapshot.wiring
    if told is None:
        return
    functions = told.functions or ()
    accelerators = [function for function in functions if function.role == "accelerator"]
    above = {address for function in accelerators for address in function.above or ()}
    for port in functions:
        if port.address in above and port.redirects_peers:
            text = f"{port.address} ACSCtl: {' '.join(f'{flag}+' for flag in port.acs or ())}"
            yield _fact("peer-requests-redirected", text, port=port.address)
    translated = next((one for one in accelerators if one.is_translated), None)
    if translated is not None:
        text = f"the IOMMU translates for {translated.address}: its group {translated.iommu_group} is of type "
        yield _fact("iommu-on", f"{text}{translated.iommu_type}")
    for card in told.ports or ():
        if card.is_active:
            text = f"{card.card} port {card.port}: {card.state}, {card.link_layer or 'RDMA'}"
            yield _fact("rdma-listed", text, device=card.card)


def _fact(name: str, text: str, **values: str) -> Fact:
    return Fact(name=name, text=text, values=tuple(values.items()), grade="measured", source=_SOURCE)
