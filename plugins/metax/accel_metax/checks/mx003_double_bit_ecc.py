"""A GPU's memory had double-bit errors, which cannot be corrected."""

from collections.abc import Iterator
from typing import TYPE_CHECKING

from accel.contract.check import Evidence, Problem, Remedy, check
from accel_metax import VENDOR
from accel_metax.model import MetaxDevice

if TYPE_CHECKING:
    from accel.facts.questions import Facts
    from accel.specs import Specs


@check(
    code="MX003",
    name="metax-double-bit-ecc",
    layer="hardware",
    family="gpu-hardware-fault",
    needs=("metax.devices.double_bit_ecc_errors",),
)
def metax_double_bit_ecc(facts: "Facts", specs: "Specs") -> Iterator[Problem]:
    """A GPU's memory had double-bit errors, which cannot be corrected.

    Why it matters   A program that read the cell died, or computed with what was wrong. The driver retires the page:
                     the count stays after a restart, and a growing one tells of a failing board.
    What to do       Reset the GPU if programs failed on it; if the count grows, have the board replaced.
    Looks at         Double Bit ECC under Retired Pages of mx-smi --count-ecc
    Silent when      the counts are 0; undecided where no source has them
    Source           developer.metax-tech.com, mx-smi user guide
    """
    bad = {
        device.id: errors
        for device in facts.of(VENDOR.name)
        if isinstance(device, MetaxDevice) and (errors := device.double_bit_ecc_errors)
    }
    if not bad:
        return
    yield Problem(
        title="Double-bit memory errors on " + ", ".join(bad),
        devices=tuple(bad),
        evidence=tuple(Evidence(fact="double_bit_ecc_errors", value=f"{d}: {n}") for d, n in list(bad.items())[:8]),
        remedies=(
            Remedy(text="If programs failed on it, stop them and reset the GPU.", action="reset"),
            Remedy(
                text="If the count grows later, have the board replaced.",
                command="mx-smi --count-ecc",
                action="service",
                kind="ask",
            ),
        ),
    )
