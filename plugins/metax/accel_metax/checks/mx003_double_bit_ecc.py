"""A GPU's memory has errors that could not be corrected."""

from collections.abc import Iterator
from typing import TYPE_CHECKING

from accel.check import Evidence, Problem, Remedy, check, need
from accel_metax.signs import need_metax

if TYPE_CHECKING:
    from accel.facts import Facts
    from accel.specs import Specs


@check(code="MX003", name="metax-double-bit-ecc", layer="hardware", family="gpu-hardware-fault")
def metax_double_bit_ecc(facts: "Facts", specs: "Specs") -> Iterator[Problem]:
    """A GPU's memory has errors that could not be corrected.

    Why it matters   Programs that read the cell die, or compute with what is wrong.
    What to do       Reset the GPU; if the count grows again, have the board replaced.
    Looks at         double bit ECC of mx-smi --count-ecc
    Silent when      the counts are 0; undecided where no source has them
    Source           developer.metax-tech.com, mx-smi user guide
    """
    counts = {gpu.id: gpu.double_bit_ecc_errors for gpu in need_metax(facts) if gpu.double_bit_ecc_errors is not None}
    bad = {device: errors for device, errors in need(counts or None, "double_bit_ecc_errors").items() if errors}
    if not bad:
        return
    yield Problem(
        title="Uncorrectable memory errors on " + ", ".join(bad),
        devices=tuple(bad),
        evidence=tuple(Evidence(fact="double_bit_ecc_errors", value=f"{d}: {n}") for d, n in list(bad.items())[:8]),
        remedies=(Remedy(text="Stop the programs on it and reset the GPU", action="reset"),),
    )
