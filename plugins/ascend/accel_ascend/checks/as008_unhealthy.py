"""A chip reports Warning, Alarm or Critical."""

from collections.abc import Iterator

from accel.facts.questions import Facts
from accel.specs import Specs
from accel.vendors.contract.check import Evidence, Problem, Remedy, check, quoted
from accel.vendors.contract.command import command_line, number_word
from accel_ascend.concern import chips
from accel_ascend.model import AscendDevice


@check(
    code="AS008",
    name="npu-unhealthy",
    layer="hardware",
    family="gpu-hardware-fault",
    reads=("npu-health", "npu-fault-event"),
    needs=("ascend.devices.health",),
)
def npu_unhealthy(facts: Facts, specs: Specs) -> Iterator[Problem]:
    """A chip reports Warning, Alarm or Critical.

    Why it matters   A chip in alarm fails jobs or gives them up; the vendor's scheduler would take it out of use.
    What to do       Read its error codes, look them up, and reset the chip or have the card replaced as they say.
    Looks at         Health of npu-smi's table and of `-t health`; standing fault events
    Silent when      every chip says OK; a chip whose health is not known makes this undecided only if no chip is ill
    Source           mind-cluster faultCode.json; DCMI health numbers
    """
    told = facts.stated("npu-health", "npu-fault-event")
    ill = [chip for chip in chips(facts) if chip.health in ("warning", "critical")]
    for chip in ill:
        codes = " ".join(chip.error_codes or ())
        word = chip.health_text or chip.health
        yield Problem(
            title=f"{chip.id} ({chip.name or 'Ascend'}) reports {word}" + (f": {codes}" if codes else ""),
            detail="; ".join(chip.error_information or ()) or None,
            severity="warning" if chip.health == "warning" else "error",
            devices=(chip.id,),
            evidence=(Evidence(fact="health", value=" ".join((word, codes)).strip(), source="npu-smi"),),
            remedies=_remedies(chip),
        )
    placed = {chip.id for chip in ill}
    for fact in told:
        if fact.device in placed or (fact.name == "npu-fault-event" and fact.value("severity") in ("0", "1")):
            continue
        codes = fact.value("codes") or fact.value("code") or ""
        yield Problem(
            title=f"A chip reports {fact.value('health') or 'a fault'}" + (f": {codes}" if codes else ""),
            detail=fact.value("information"),
            severity="warning" if (fact.value("health") or "").lower() == "warning" else "error",
            devices=(fact.device,) if fact.device else (),
            evidence=quoted((fact,)),
            remedies=(_LOOK_UP,),
        )


_LOOK_UP = Remedy(
    text="Look the codes up in the vendor's health fault list; reset the chip, or have the card replaced, as it says.",
    action="service",
    kind="ask",
)


def _remedies(chip: AscendDevice) -> tuple[Remedy, ...]:
    where = ["-i", number_word(chip.npu_id), *(["-c", number_word(chip.chip_id)] if chip.chip_id is not None else [])]
    return (
        Remedy(text="Read the error codes.", command=command_line("npu-smi info -t health", *where), kind="look"),
        Remedy(
            text="When nothing runs on it, reset the chip.",
            command=command_line("npu-smi set -t reset", *where),
            action="reset",
        ),
        _LOOK_UP,
    )
