"""A device's health, from its facts. Pure."""

from collections.abc import Mapping
from typing import TYPE_CHECKING, Any, Final, Literal

if TYPE_CHECKING:
    from accel.model.device import Health

_TOO_HOT: Final = frozenset({"hw-slowdown", "hw-thermal-slowdown", "sw-thermal-slowdown", "hw-power-brake"})


def health(facts: Mapping[str, Any], answered: bool) -> "Health":
    """Return "ok" only if every fact that could show otherwise was read; "unknown" if not.

    facts     by the names of NvidiaDevice's fields; what is unknown may be absent
    critical  the driver asks for a reset or a reboot, rows could not be remapped, uncorrected errors since the
              driver was loaded
    warning   throttled by heat or by the power brake; a remapping or a page retirement waits for a reset
    """
    if (
        facts.get("recovery_action") not in (None, "none")
        or facts.get("remap_failed")
        or (facts.get("ecc_uncorrected_volatile") or 0) > 0
    ):
        return "critical"
    reasons = facts.get("clock_event_reasons") or ()
    if facts.get("remap_pending") or facts.get("retirement_pending") or _TOO_HOT.intersection(reasons):
        return "warning"
    return "ok" if answered else "unknown"


def fabric_trouble(state: str | None, status: str | None) -> Literal["waiting", "failed"] | None:
    """Return how a GPU's registration in its NVLink fabric blocks CUDA; None if nothing indicates that it does.

    state, status  NvidiaDevice.fabric_state and fabric_status

    >>> fabric_trouble("in-progress", None), fabric_trouble("completed", "Success"), fabric_trouble("completed", "999")
    ('waiting', None, 'failed')
    """
    if state in ("in-progress", "not-started"):
        return "waiting"
    well = (status or "Success").lower() in ("success", "n/a")
    return "failed" if state == "completed" and not well else None
