from collections.abc import Iterator
from typing import TYPE_CHECKING, Final

from accel.vendors.contract.check import Evidence, Fact, Facts, Problem, Problems, Remedy, Specs, check, quoted
from accel.vendors.toolkit.table_steps import fix
from accel_nvidia import around, xid

if TYPE_CHECKING:
    from accel_nvidia.model import NvidiaDevice

_MOST_SRAM_ERRORS: Final = 4  # over the lifetime: above it NVIDIA recommends service


@check(
    code="NV021",
    name="gpu-ecc-uncorrectable",
    layer="hardware",
    family="gpu-hardware-fault",
    reads=("xid-memory", "ecc-uncorrectable", "sram-errors", "uncorrectable-count"),
    needs=("nvidia.devices",),
    explained_by=("gpu-row-remap-failed", "gpu-row-remap-pending", "retired-pages-pending"),
)
def gpu_ecc_uncorrectable(facts: Facts, specs: Specs) -> Problems:
    """A GPU's memory had errors that ECC could not correct.

    Why it matters   The affected program was ended; more errors follow until the bad memory is taken out of use.
    What to do       End the programs, reset the GPU and check the counts; contact service if the errors return.
    Looks at         Xid 48, 94, 95, 140; CUDA ECC errors; uncorrected errors since the driver was loaded, by memory
                     type where they are counted separately
    Silent when      only lifetime counts are above zero, and none since the driver was loaded: past errors need no
                     action. A warning if the text has the lifetime count alone
    Source           CUDA driver API: error 214; NVIDIA: GPU memory error management; Xid catalogue
    """
    logged = facts.stated("xid-memory")
    said = facts.stated("ecc-uncorrectable")
    read = any((d.ecc_uncorrected_volatile, d.ecc_uncorrected_aggregate) != (None, None) for d in around.gpus(facts))
    counts = () if read else tuple(fact for fact in facts.stated("uncorrectable-count") if fact.number("count"))
    if any("aggregate" not in fact.text.lower() for fact in counts):  # they are of now, not of the card's lifetime
        said += counts
    found = (*logged, *said)
    counted = [device for device in around.gpus(facts) if device.ecc_uncorrected_volatile]
    if found:
        what = "An uncorrectable ECC memory error"
        named = f"{xid.named(xid.codes(logged))}: " if logged else ""
        devices = (*xid.gpus_at(facts, logged), *(device.id for device in counted))
        yield Problem(
            title=f"{named}{what if not named else what[0].lower() + what[1:]}{xid.where(logged)}",
            devices=tuple(sorted(set(devices))),
            evidence=(
                *quoted(found),
                *(
                    Evidence(fact="ecc_uncorrected_volatile", value=str(d.ecc_uncorrected_volatile))
                    for d in counted[:1]
                ),
            ),
            remedies=_remedies(specs, xid.reset_command(logged), facts.stated("sram-errors")),
        )
        return
    if not counted and not any(device.ecc_uncorrected_aggregate for device in around.gpus(facts)):
        around.must_know(facts, "ecc_uncorrected_volatile")
    for device in counted:
        yield Problem(
            title=f"{device.id} has had {device.ecc_uncorrected_volatile} uncorrected memory errors since the driver "
            "was loaded",
            devices=(device.id,),
            evidence=(
                Evidence(fact="ecc_uncorrected_volatile", value=str(device.ecc_uncorrected_volatile)),
                *_by_memory(device),
            ),
            remedies=_remedies(specs, xid.reset_of(device.index), facts.stated("sram-errors"), _sram(device)),
        )
    for device in around.gpus(facts):
        lived = device.ecc_uncorrected_aggregate if device.ecc_uncorrected_volatile is None else None
        if lived:
            yield Problem(
                title=f"{device.id} has had {lived} uncorrected memory errors in its lifetime; how many are new is "
                "unknown",
                severity="warning",
                devices=(device.id,),
                evidence=(Evidence(fact="ecc_uncorrected_aggregate", value=str(lived)),),
                remedies=_remedies(specs, xid.reset_of(device.index), facts.stated("sram-errors"))[1:],
            )


def _by_memory(device: "NvidiaDevice") -> Iterator[Evidence]:
    """Yield the memory types that had errors, if the driver counts them separately."""
    for count in device.ecc_counts or ():
        if count.uncorrected_volatile:
            yield Evidence(fact=f"of {count.memory.upper()}", value=str(count.uncorrected_volatile))


def _sram(device: "NvidiaDevice") -> int:
    """Return the known lifetime SRAM errors."""
    return sum(c.uncorrected_aggregate or 0 for c in device.ecc_counts or () if c.memory == "sram")


def _remedies(specs: Specs, reset: str | None, sram: tuple[Fact, ...], counted: int = 0) -> tuple[Remedy, ...]:
    many = counted > _MOST_SRAM_ERRORS or any((fact.number("count") or 0) > _MOST_SRAM_ERRORS for fact in sram)
    found = (
        Remedy(
            text="Stop the programs on this GPU and reset it: boards that can retire the bad row or page then do.",
            command=reset,
            action="reset",
        ),
        fix(specs, "nvidia", "ecc-counts"),
    )
    service = Remedy(
        text=f"More than {_MOST_SRAM_ERRORS} SRAM errors in the board's lifetime: have it replaced."
        if many
        else "If it recurs after the reset, have the board replaced.",
        action="service",
        kind="ask",
    )
    return (*found, service)
