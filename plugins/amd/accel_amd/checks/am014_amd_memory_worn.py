from typing import Final

from accel.vendors.contract.check import Evidence, Facts, Problem, Problems, Remedy, Specs, applies, check, quoted
from accel.vendors.toolkit.table_steps import fix
from accel_amd.gpu_remedies import gpus, reset

_MANY: Final = 1000  # corrected errors since the driver was loaded; vendors specify no limit, so only information


@check(
    code="AM014",
    name="amd-memory-worn",
    layer="hardware",
    severity="warning",
    family="gpu-hardware-fault",
    reads=("amd-bad-pages-over-limit",),
    needs=("amd.devices", "source.kernel log"),
    explained_by=("amd-gpu-unhealthy",),
)
def amd_memory_worn(facts: Facts, specs: Specs) -> Problems:
    """A GPU has its maximum of bad memory pages, pages that could not be retired, or many corrected errors.

    Why it matters   Above the limit the driver does not initialize the GPU; a bad page ends programs that touch it.
    What to do       Plan the board's service; reset it to retire pending pages.
    Looks at         driver messages about bad pages and their limit; RAS's list of pages: retired, pending, failed;
                     corrected errors since the driver was loaded
    Silent when      no page is bad and fewer than 1000 errors were corrected. Retired pages alone are information. Not
                     applicable to boards that count none
    Source           Linux: Documentation/gpu/amdgpu/ras.rst, amdgpu_ras_eeprom.c
    """
    said = facts.stated("amd-bad-pages-over-limit")
    if said:
        yield Problem(
            title="A GPU has reached its limit of bad memory pages: it is due for replacement",
            severity="error",
            devices=tuple(dict.fromkeys(fact.device for fact in said if fact.device)),
            evidence=quoted(said),
            remedies=(
                Remedy(text="Move its jobs elsewhere, and have the board replaced.", action="service", kind="ask"),
            ),
        )
    for device in gpus(facts.of("amd")):
        told = {
            "retired": device.pages_retired,
            "pending a reset": device.pages_pending,
            "that could not be retired": device.pages_failed,
        }
        bad = [f"{count} {what}" for what, count in told.items() if count]
        many = device.ecc_corrected is not None and device.ecc_corrected >= _MANY
        if bad or many:
            waits = bool(device.pages_pending or device.pages_failed)
            yield Problem(
                title=f"{device.id} has bad memory pages: {', '.join(bad)}"
                if bad
                else f"{device.id} corrected {device.ecc_corrected} memory errors since its driver was loaded",
                severity="warning" if waits else "info",
                devices=(device.id,),
                evidence=tuple(
                    Evidence(fact=name, value=str(value))
                    for name in ("pages_retired", "pages_pending", "pages_failed", "ecc_corrected")
                    if (value := getattr(device, name)) is not None
                ),
                remedies=(
                    *((reset(device),) if waits else ()),
                    fix(specs, "amd", "bad-pages-grow"),
                ),
            )
    known = [d for d in gpus(facts.of("amd")) if d.pages_retired is not None or d.ecc_corrected is not None]
    applies(bool(said or known), "no GPU here reports memory errors")
