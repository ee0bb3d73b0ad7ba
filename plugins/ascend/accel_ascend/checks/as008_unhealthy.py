from accel.vendors.contract.check import Evidence, Facts, Problem, Problems, Remedy, Specs, check, quoted
from accel_ascend.concern import chips
from accel_ascend.fault_codes import gravest, meanings, of_chip, remedies, severity
from accel_ascend.model import AscendDevice


@check(
    code="AS008",
    name="npu-unhealthy",
    layer="hardware",
    family="gpu-hardware-fault",
    reads=("npu-health", "npu-fault-event", "npu-fault-code", "npu-hbm-multi-bit"),
    needs=("ascend.devices.health",),
)
def npu_unhealthy(facts: Facts, specs: Specs) -> Problems:
    """A chip reports Warning, Alarm or Critical.

    Why it matters   A chip in alarm fails or hangs jobs; the vendor's scheduler would take it out of use.
    What to do       Look up its error codes, then reset the chip or have the card replaced accordingly.
    Looks at         Health in npu-smi's table and in `-t health`; active fault events; fault codes in logs, with the
                     severity that the vendor's scheduler assigns
    Silent when      every chip reports OK; another check explains the only code. Undecided if a chip's health is
                     unknown and no chip reports a fault
    Source           mind-cluster faultCode.json; DCMI health numbers; specs/ascend/errors/faults.yaml
    """
    ill = [chip for chip in chips(facts) if chip.health in ("warning", "critical")]
    of_memory = {fact.value("code") for fact in facts.stated("npu-hbm-multi-bit")}  # npu-ecc-error reports these
    for chip in ill:
        if chip.error_codes and of_memory.issuperset(code.lower() for code in chip.error_codes):
            continue
        codes = chip.error_codes or ()
        word = chip.health_text or chip.health or ""
        yield Problem(
            title=f"{chip.id} ({chip.name or 'Ascend'}) reports {word}" + (f": {' '.join(codes)}" if codes else ""),
            detail="; ".join((*(chip.error_information or ()), *meanings(codes, specs))) or None,
            severity="warning" if chip.health == "warning" else "error",
            devices=(chip.id,),
            evidence=(Evidence(fact="health", value=" ".join((word, *codes)).strip(), source="npu-smi"),),
            remedies=_remedies(chip, specs),
        )
    yield from _told(facts, specs, {chip.id for chip in ill}, {code for chip in ill for code in chip.error_codes or ()})


def _told(facts: Facts, specs: Specs, placed: set[str], known: set[str]) -> Problems:
    """Yield faults reported in texts. placed: chips already reported; known: their codes."""
    for fact in facts.stated("npu-health", "npu-fault-event"):
        if fact.device in placed or (fact.name == "npu-fault-event" and fact.value("severity") in ("0", "1")):
            continue
        codes = (fact.value("codes") or fact.value("code") or "").split()
        known.update(codes)
        means = "; ".join(part for part in (fact.value("information"), *meanings(codes, specs)) if part)
        yield Problem(
            title=f"A chip reports {fact.value('health') or 'a fault'}" + (f": {' '.join(codes)}" if codes else ""),
            detail=means or None,
            severity="warning" if (fact.value("health") or "").lower() == "warning" else "error",
            devices=(fact.device,) if fact.device else (),
            evidence=quoted((fact,)),
            remedies=remedies(codes, specs, None),
        )
    lines = {fact.line for fact in facts.stated(*_OF_OTHER_CHECKS)}
    seen = facts.stated("npu-fault-code")
    alone = {code.upper(): fact for fact in seen if (code := fact.value("code")) and fact.line not in lines}
    alone = {code: fact for code, fact in alone.items() if code not in known}
    if alone:
        yield Problem(
            title=f"A chip reports {', '.join(meanings(alone, specs)[:1])}",
            detail="; ".join(meanings(alone, specs)[1:]) or None,
            severity=severity(alone, specs),
            evidence=quoted(tuple(alone.values())),
            remedies=remedies(tuple(alone), specs, None),
        )


_OF_OTHER_CHECKS = ("npu-hbm-multi-bit", "npu-card-dropped", "npu-too-hot", "hccl-link-down")


def _remedies(chip: AscendDevice, specs: Specs) -> tuple[Remedy, ...]:
    codes = chip.error_codes or ()
    look = Remedy(text="Read the error codes.", command=of_chip("npu-smi info -t health", chip), kind="look")
    mend = remedies(codes, specs, of_chip("sudo npu-smi set -t reset", chip))
    return mend if gravest(codes, specs) else (look, *mend)
