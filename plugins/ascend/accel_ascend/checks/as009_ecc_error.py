from collections.abc import Iterator

from accel.facts.questions import Facts
from accel.specs import Specs
from accel.vendors.contract.check import Evidence, Problem, Remedy, check, quoted
from accel_ascend.concern import chips

_REMEDIES = (
    Remedy(text="When nothing runs on the chip, reset it: the page is then isolated.", action="reset"),
    Remedy(
        text="If the counts rise again, have the card replaced.",
        command="npu-smi info -t ecc -i NPU_ID",
        action="service",
        kind="ask",
    ),
)


@check(
    code="AS009",
    name="npu-ecc-error",
    layer="hardware",
    family="gpu-hardware-fault",
    reads=("npu-hbm-multi-bit",),
    needs=("ascend.devices.hbm_double_bit_errors",),
)
def npu_ecc_error(facts: Facts, specs: Specs) -> Iterator[Problem]:
    """A chip's memory had uncorrectable errors.

    Why it matters   A double-bit error ends the job that hits it; a chip with several is likely to fail.
    What to do       Reset the chip to isolate the page; if the count rises again, have the card replaced.
    Looks at         HBM and DDR double-bit counts of `-t ecc`; fault code 80E01801
    Silent when      no count is above zero; the counts were not read and nothing else reports such errors
    Source           mind-cluster faultCode.json (80E01801: RestartBusiness); npu-smi documents, ecc
    """
    for chip in chips(facts):
        counts = {
            "hbm_double_bit_errors": chip.hbm_double_bit_errors,
            "ddr_double_bit_errors": chip.ddr_double_bit_errors,
        }
        bad = {fact: count for fact, count in counts.items() if count}
        if bad:
            yield Problem(
                title=f"{chip.id} has {sum(bad.values())} uncorrectable memory errors",
                devices=(chip.id,),
                evidence=tuple(
                    Evidence(fact=fact, value=str(count), source="npu-smi info -t ecc") for fact, count in bad.items()
                ),
                remedies=_REMEDIES,
            )
    told = facts.stated("npu-hbm-multi-bit")
    if told:
        yield Problem(
            title="A chip's memory had an uncorrectable error",
            devices=tuple(dict.fromkeys(fact.device for fact in told if fact.device)),
            evidence=quoted(told),
            remedies=_REMEDIES,
        )
