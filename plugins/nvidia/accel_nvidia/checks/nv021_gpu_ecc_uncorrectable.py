"""A GPU's memory that gives wrong data."""

from collections.abc import Iterator
from typing import TYPE_CHECKING

from accel.contract.check import Evidence, Problem, Remedy, check
from accel_nvidia import signs

if TYPE_CHECKING:
    from accel.facts.questions import Facts
    from accel.specs import Specs

_REMEDIES = (
    Remedy(text="End the programs on this GPU and reset it, so that the bad row or page is taken out of use.",
           command="sudo nvidia-smi --gpu-reset", action="reset"),
    Remedy(text="Look at the counts, and whether remapping is pending or failed.",
           command="nvidia-smi -q -d ECC,ROW_REMAPPER,PAGE_RETIREMENT", action="admin"),
    Remedy(text="If it returns after the reset, send the board to service.", action="service"),
)  # fmt: skip


@check(code="NV021", name="gpu-ecc-uncorrectable", layer="hardware", family="gpu-hardware-fault")
def gpu_ecc_uncorrectable(facts: "Facts", specs: "Specs") -> Iterator[Problem]:
    """A GPU's memory, or its NVLink, gave data that error correction could not mend.

    Why it matters   The program that met it was ended; further errors come until the bad part is taken out of use.
    What to do       End the programs, reset the GPU, look at the counts; service if it returns.
    Looks at         CUDA's ECC and NVLink errors in a text; uncorrected errors since the driver was loaded
    Silent when      only older counts, over the board's life, are above zero: history alone asks for nothing
    Source           CUDA driver API: error 214; NVIDIA: GPU memory error management
    """
    events = facts.events("ecc-uncorrectable", "nvlink-uncorrectable")
    if events:
        link = all(e.name == "nvlink-uncorrectable" for e in events)
        what = "An NVLink error that could not be corrected" if link else "A memory error that ECC could not correct"
        yield Problem(title=f"{what} ended a program", evidence=signs.quoted(events), remedies=_REMEDIES)
    for device in signs.gpus(facts):
        count = device.ecc_uncorrected_volatile
        if count:
            yield Problem(
                title=f"{device.id} had {count} uncorrected memory errors since the driver was loaded",
                devices=(device.id,),
                evidence=(Evidence(fact="ecc_uncorrected_volatile", value=str(count)),),
                remedies=_REMEDIES,
            )
