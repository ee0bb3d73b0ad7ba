"""The few facts that decide whether a device is healthy, in two calls.

Source  nvml.h: NVML_FI_DEV_* field ids, nvmlDeviceGpuRecoveryAction_t
"""

from typing import TYPE_CHECKING, Any, Final

from accel_nvidia.nvml_binding import field_values
from accel_nvidia.nvml_errors import OF_THE_QUESTION
from accel_nvidia.nvml_questions import CLOCK_REASONS

if TYPE_CHECKING:
    from collections.abc import Iterable

    from accel_nvidia.nvml_session import Session

FIELDS: Final = "nvmlDeviceGetFieldValues"

_VITALS: Final = {  # field id: record field
    4: "ecc_uncorrected_volatile",
    31: "retirement_pending",
    82: "memory_temperature_celsius",
    144: "remap_pending",
    145: "remap_failed",
    230: "recovery_action",  # driver 565 on
}
_RECOVERY: Final = {
    0: "none",
    1: "gpu-reset",
    2: "node-reboot",
    3: "drain-p2p",
    4: "drain-and-reset",
    5: "recover-imex-domain",
    6: "bus-reset",
    7: "system-reboot",
}


def vitals(session: "Session", handle: Any, device: str) -> tuple[dict[str, Any], bool]:
    """Return the facts, and whether everything that could show a fault was read.

    That a board has no ECC or no row remapping is an answer; that it has no field values at all is not.
    """
    values = fields(session, handle, device, {(field, 0): fact for field, fact in _VITALS.items()})
    found = CLOCK_REASONS.ask(session, handle, device)
    if values is None:
        return found, False
    answered = len(values) == len(_VITALS) and bool(found)
    for field, fact in _VITALS.items():
        value = values.get((field, 0))
        if value is not None:
            found[fact] = _fact(fact, value)
    return found, answered


def _fact(fact: str, value: float) -> object:
    if fact == "recovery_action":
        return _RECOVERY.get(int(value), f"unknown-{int(value)}")
    if fact in ("retirement_pending", "remap_pending", "remap_failed"):
        return bool(value)
    return float(value) if fact.endswith("celsius") else int(value)


def batched(
    session: "Session", handle: Any, device: str, wanted: "Iterable[tuple[int, int]]"
) -> dict[tuple[int, int], float]:
    """Return the field values that the driver knows, in one call; the others have their own calls."""
    asked = tuple(wanted)
    listed = session.ask(FIELDS, session.nvml, handle, asked, device=device, function=field_values)
    return {key: value for key, (code, value) in zip(asked, listed or (), strict=False) if code == 0}


def fields(
    session: "Session", handle: Any, device: str, wanted: dict[tuple[int, int], str]
) -> dict[tuple[int, int], float | None] | None:
    """Return field values by (field ID, scope); None for one that the device or the driver lacks.

    One that failed otherwise is left out, with a gap for its fact. None if the whole call failed.
    """
    asked = tuple(wanted)
    facts = ", ".join(dict.fromkeys(wanted.values()))
    listed = session.ask(FIELDS, session.nvml, handle, asked, device=device, fact=facts, function=field_values)
    if listed is None:
        return None
    found: dict[tuple[int, int], float | None] = {}
    for key, (code, value) in zip(asked, listed, strict=True):
        if code == 0:
            found[key] = value
        elif code in OF_THE_QUESTION:
            found[key] = None
        else:
            session.failed(FIELDS, code, device, wanted[key])
    return found
