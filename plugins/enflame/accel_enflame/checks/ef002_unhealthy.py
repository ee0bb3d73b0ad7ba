"""efsmi says that a device is not healthy, or should be returned."""

from collections.abc import Iterator
from typing import TYPE_CHECKING

from accel.vendors.contract.check import Evidence, Problem, Remedy, check
from accel_enflame import VENDOR

if TYPE_CHECKING:
    from accel.facts.questions import Facts
    from accel.specs import Specs


@check(
    code="EF002",
    name="enflame-unhealthy",
    layer="hardware",
    family="gpu-hardware-fault",
    needs=("enflame.devices.health",),
)
def enflame_unhealthy(facts: "Facts", specs: "Specs") -> Iterator[Problem]:
    """efsmi says that a device is not healthy, or should be returned.

    Why it matters   The device fails under work, or computes with what is wrong.
    What to do       Reset the device; if efsmi still says so, have the board replaced.
    Looks at         Health and the flag under RMA Info of efsmi -q
    Silent when      Health is True and no flag is set; undecided where only the table is known, which tells neither
    Source           the efsmi user guide, support.enflame-tech.com
    """
    devices = [device for device in facts.of(VENDOR.name) if isinstance(device, VENDOR.record)]
    said = {
        device.id: ", ".join(
            word
            for word, told in (("Health False", device.health == "critical"), ("RMA flag set", device.rma_flag))
            if told
        )
        for device in devices
    }
    bad = {device: words for device, words in said.items() if words}
    if not bad:
        return
    yield Problem(
        title=f"efsmi says that {', '.join(bad)} is not well",
        devices=tuple(bad),
        evidence=tuple(Evidence(fact="efsmi -q", value=f"{d}: {words}") for d, words in list(bad.items())[:8]),
        remedies=(
            Remedy(
                text="See what the driver says of it",
                command="sudo dmesg | grep -i -E 'gcu|enflame'",
                action="admin",
                kind="look",
            ),
            Remedy(text="Stop the programs on it and reset the device", action="reset"),
        ),
    )
