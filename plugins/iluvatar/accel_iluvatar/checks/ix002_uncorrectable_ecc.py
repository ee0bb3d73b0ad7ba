"""A device's memory has errors that could not be corrected."""

from collections.abc import Iterator
from typing import TYPE_CHECKING

from accel.contract.check import Evidence, Problem, Remedy, check
from accel_iluvatar import VENDOR
from accel_iluvatar.model import IluvatarDevice

if TYPE_CHECKING:
    from accel.facts.questions import Facts
    from accel.specs import Specs


@check(
    code="IX002",
    name="iluvatar-uncorrectable-ecc",
    layer="hardware",
    family="gpu-hardware-fault",
    needs=("iluvatar.devices.ecc_uncorrectable_errors",),
)
def iluvatar_uncorrectable_ecc(facts: "Facts", specs: "Specs") -> Iterator[Problem]:
    """A device's memory has errors that could not be corrected.

    Why it matters   Programs that read the cell die, or compute with what is wrong.
    What to do       Stop the programs on it and reset the device; if the count grows again, have the board replaced.
    Looks at         volatile ECC errors of ixsmi -q
    Silent when      the counts are 0; undecided where no source has them
    Source           the CoreX installation guide, support.iluvatar.com
    """
    bad = {
        device.id: errors
        for device in facts.of(VENDOR.name)
        if isinstance(device, IluvatarDevice) and (errors := device.ecc_uncorrectable_errors)
    }
    if not bad:
        return
    yield Problem(
        title="Uncorrectable memory errors on " + ", ".join(bad),
        devices=tuple(bad),
        evidence=tuple(Evidence(fact="ecc_uncorrectable_errors", value=f"{d}: {n}") for d, n in list(bad.items())[:8]),
        remedies=(Remedy(text="Stop the programs on it and reset the device", action="reset"),),
    )
