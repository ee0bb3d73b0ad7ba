from collections.abc import Mapping
from typing import TYPE_CHECKING, Any, Final

from accel.vendors.contract.check import Fact, Facts, Problem, Problems, Remedy, Specs, check, quoted
from accel.vendors.toolkit.table_steps import fix, fixes, step_of

if TYPE_CHECKING:
    from accel.model.diagnosis import Severity

_GRADES: Final = ("info", "warning", "error")


@check(
    code="NV038",
    name="nvswitch-fault",
    layer="hardware",
    severity="warning",
    family="gpu-hardware-fault",
    reads=("sxid",),
    needs=("nvidia.devices", "source.kernel log"),
)
def nvswitch_fault(facts: Facts, specs: Specs) -> Problems:
    """The kernel log holds an SXid line; its severity comes from the SXid table and the word "fatal" in the line.

    Why it matters   A fatal SXid ends the jobs behind a port, or on the whole fabric; those GPUs then need a reset.
    What to do       The table's action for the code: restart the program, reset GPUs and switches together, or service.
    Looks at         nvidia-nvswitch SXid lines, the word fatal in them, and the SXid table
    Silent when      there is no such line
    Source           NVIDIA: Fabric Manager user guide, NVSwitch SXid errors; the open kernel module's NVSwitch driver
    """
    found = facts.stated("sxid")
    if not found:
        return
    fatal = tuple(fact for fact in found if fact.value("fatal") == "yes")
    table = specs.table("nvidia/sxid")
    rows = {str(row["code"]): row for row in table["codes"]} if table else {}
    first = max(fatal or found, key=lambda fact: _GRADES.index(_severity(rows.get(fact.value("code") or ""), fact)))
    row = rows.get(first.value("code") or "")
    yield Problem(
        title=f"NVSwitch error SXid {first.value('code')}"
        + (", fatal" if fatal else "")
        + (f" (switch {first.value('pci')})" if first.value("pci") else ""),
        detail=f"{row['meaning']}." if row else None,
        severity=_severity(row, first),
        evidence=quoted(fatal or found),
        remedies=_remedies(row, specs),
    )


def _severity(row: Mapping[str, Any] | None, fact: Fact) -> "Severity":
    """Return the table's severity; an error if the line says fatal, at most a warning if it says non-fatal."""
    if fact.value("fatal") == "yes":
        return "error"
    stated: Severity = (row or {}).get("severity") or "warning"
    return "warning" if stated == "error" and "fatal" in fact.text.lower() else stated


def _remedies(row: Mapping[str, Any] | None, specs: Specs) -> tuple[Remedy, ...]:
    """Return the table's own step, then the more drastic ones; without a row the reset comes first."""
    if row is None or not row.get("action"):
        return fixes(specs, "nvidia", "reset-with-switches", "replace-switch-board")
    if row["class"] == "reset":
        return (
            Remedy(text=row["action"], command=fix(specs, "nvidia", "reset-with-switches").command, action="reset"),
            fix(specs, "nvidia", "replace-switch-board"),
        )
    own = step_of(row)
    return (
        (own,)
        if row["class"] == "service" or row.get("severity") == "info"
        else (own, *fixes(specs, "nvidia", "reset-with-switches", "replace-switch-board"))
    )
