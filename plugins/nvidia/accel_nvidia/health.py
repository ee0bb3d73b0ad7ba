"""Whether a device is well, from its facts. Pure."""

from typing import TYPE_CHECKING, Final

if TYPE_CHECKING:
    from accel.model.device import Health
    from accel_nvidia.model import NvidiaDevice

_TOO_HOT: Final = frozenset({"hw-slowdown", "hw-thermal-slowdown", "sw-thermal-slowdown", "hw-power-brake"})


def health(device: "NvidiaDevice", answered: bool) -> "Health":
    """Return "ok" only if all that would show otherwise was answered; "unknown" if it was not.

    critical  the driver asks for a reset or a reboot, rows could not be remapped, uncorrected errors since the
              driver was loaded
    warning   held down by heat or by the power brake; a remapping or a page retirement waits for a reset
    """
    if (
        device.recovery_action not in (None, "none")
        or device.remap_failed
        or (device.ecc_uncorrected_volatile or 0) > 0
    ):
        return "critical"
    if device.remap_pending or device.retirement_pending or _TOO_HOT.intersection(device.clock_event_reasons or ()):
        return "warning"
    return "ok" if answered else "unknown"
