"""Whether a device is well, from its facts. Pure."""

from collections.abc import Mapping
from typing import TYPE_CHECKING, Any, Final

if TYPE_CHECKING:
    from accel.model.device import Health

_TOO_HOT: Final = frozenset({"hw-slowdown", "hw-thermal-slowdown", "sw-thermal-slowdown", "hw-power-brake"})


def health(facts: Mapping[str, Any], answered: bool) -> "Health":
    """Return "ok" only if all that would show otherwise was answered; "unknown" if it was not.

    facts     by the names of NvidiaDevice's fields; what is not known may be absent
    critical  the driver asks for a reset or a reboot, rows could not be remapped, uncorrected errors since the
              driver was loaded
    warning   held down by heat or by the power brake; a remapping or a page retirement waits for a reset
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
