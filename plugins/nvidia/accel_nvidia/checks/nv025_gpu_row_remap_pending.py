from typing import Final

from accel.vendors.contract.check import Evidence, Fact, Facts, Problem, Problems, Remedy, Specs, check, quoted
from accel_nvidia import around, xid

_MANY_ROWS: Final = 8  # uncorrected: NVIDIA recommends service when a bank has no spare rows


@check(
    code="NV025",
    name="gpu-row-remap-pending",
    layer="hardware",
    severity="warning",
    family="gpu-hardware-fault",
    reads=("xid-row-pending", "row-remap-waits", "xid-memory"),
    needs=("nvidia.devices",),
    explained_by=("gpu-row-remap-failed",),
)
def gpu_row_remap_pending(facts: Facts, specs: Specs) -> Problems:
    """A bad memory row was found; it is remapped at the next GPU reset.

    Why it matters   Until then the row is in use and may cause further errors.
    What to do       Drain the GPU and reset it; if rows keep failing after resets, send the board to service.
    Looks at         remap_pending; Xid 63; pending rows in DCGM's diagnosis
    Silent when      nothing is pending, or it is unknown; "Pending" in another section has another meaning
    Source           NVIDIA: GPU memory error management, row remapping
    """
    found = [fact for fact in facts.stated("xid-row-pending", "row-remap-waits") if fact.value("kind") != "page"]
    pending = [device for device in around.gpus(facts) if device.remap_pending]
    if not found and not pending:
        around.must_know(facts, "remap_pending")
        return
    devices = sorted({*xid.gpus_at(facts, found), *(d.id for d in pending), *(f.device for f in found if f.device)})
    rows = max((device.remapped_rows_uncorrected or 0 for device in pending), default=0)
    often = rows >= _MANY_ROWS or _returned(found)
    who = ", ".join(devices) if devices else "A GPU"
    yield Problem(
        title=f"{who} needs a reset to remap a bad memory row{xid.where(found)}"
        + (f"; {rows} rows failed before" if rows >= _MANY_ROWS else ""),
        devices=tuple(devices),
        evidence=(*quoted(found), *(Evidence(fact=f"{d.id} remap_pending", value="yes") for d in pending[:4])),
        remedies=_remedies(pending[0].index if len(pending) == 1 and not found else None, found, often),
    )


def _returned(found: list[Fact]) -> bool:
    """Return whether one GPU logged a pending remap at least three times."""
    where = [fact.value("pci") for fact in found if fact.value("pci")]
    return any(where.count(pci) >= 3 for pci in set(where))


def _remedies(index: int | None, found: list[Fact], often: bool) -> tuple[Remedy, ...]:
    command = xid.reset_of(index) if index is not None else xid.reset_command(found)
    reset = Remedy(text="Stop the programs that use this GPU, and reset it.", command=command, action="reset")
    service = Remedy(
        text="Rows keep failing: have the board replaced."
        if often
        else "If rows are pending again after resets, have the board replaced.",
        command="sudo nvidia-bug-report.sh" if often else None,
        action="service",
        kind="ask",
    )
    return (service, reset) if often else (reset, service)
