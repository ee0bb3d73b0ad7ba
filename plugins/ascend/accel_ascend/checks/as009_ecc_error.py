from accel.model.dataclass import replace
from accel.vendors.contract.check import Evidence, Facts, Problem, Problems, Remedy, Specs, check, quoted
from accel.vendors.toolkit.table_steps import fix
from accel_ascend.concern import chips
from accel_ascend.fault_codes import of_chip
from accel_ascend.model import AscendDevice


@check(
    code="AS009",
    name="npu-ecc-error",
    layer="hardware",
    family="gpu-hardware-fault",
    reads=("npu-hbm-multi-bit",),
    needs=("ascend.devices.hbm_double_bit_errors",),
)
def npu_ecc_error(facts: Facts, specs: Specs) -> Problems:
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
                remedies=_remedies(chip, specs),
            )
    told = facts.stated("npu-hbm-multi-bit")
    if told:
        codes = {fact.value("code") for fact in told}
        ill = [chip for chip in chips(facts) if codes.intersection(code.lower() for code in chip.error_codes or ())]
        named = [fact.device for fact in told if fact.device] or [chip.id for chip in ill]
        yield Problem(
            title="A chip's memory had an uncorrectable error",
            devices=tuple(dict.fromkeys(named)),
            evidence=quoted(told),
            remedies=_remedies(ill[0] if len(ill) == 1 else None, specs),
        )


def _remedies(chip: AscendDevice | None, specs: Specs) -> tuple[Remedy, ...]:
    reset = of_chip("sudo npu-smi set -t reset", chip) if chip is not None else None
    isolate = "End what runs on the chip and reset it: the driver then isolates the page. A job must not use it before."
    return (
        Remedy(text=isolate, command=reset, action="reset"),
        replace(fix(specs, "ascend", "replace-card"), command=of_chip("npu-smi info -t ecc", chip)),
    )
