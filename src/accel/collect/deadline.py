"""The rules for deadlines: which are valid, when probes run in child processes, and what a missed one means.

A deadline is a number of seconds greater than 0 for all probes of a call together. Only child processes can be stopped,
so a deadline implies them; without one, they have 20 s, and probes in this process take as long as they need.
"""

from collections.abc import Sequence
from typing import TYPE_CHECKING, Final

from accel.model.errors import BadInput, DeadlineMissed

if TYPE_CHECKING:
    from accel.model.report import Report

Configured = tuple[bool, float | None]  # whether in children, and the deadline
_USUAL_SECONDS: Final = 20.0


def check_deadline(isolate: bool | None, timeout_seconds: float | None) -> None:
    """Raise BadInput for an invalid deadline."""
    if timeout_seconds is None:
        return
    is_number = isinstance(timeout_seconds, (int, float)) and not isinstance(timeout_seconds, bool)
    if not is_number or not 0 < timeout_seconds < float("inf"):
        raise BadInput(f"timeout_seconds is {timeout_seconds!r}. Give seconds above 0, or None for no deadline.")
    if isolate is False:
        raise BadInput(
            f"timeout_seconds={timeout_seconds!r} with isolate=False: a probe in this process cannot be stopped. "
            "Leave one of them out."
        )


def way_of_probing(
    isolate: bool | None, timeout_seconds: float | None, configured: Configured = (False, None)
) -> tuple[bool, float]:
    """Return whether to probe in child processes, and the deadline: as passed, else as configured. Raises BadInput."""
    check_deadline(isolate, timeout_seconds)
    apart = timeout_seconds is not None or (configured[0] if isolate is None else isolate)
    return apart, (timeout_seconds or configured[1] if apart else None) or _USUAL_SECONDS


def check_in_time(found: "Sequence[Report]") -> None:
    """Raise DeadlineMissed, with the devices found so far, if a backend did not list all of its devices in time."""
    late = tuple(gap for report in found for gap in report.gaps if gap.source == "time")
    if not late:
        return
    from accel.model.merge import merged_devices

    whose = ", ".join(dict.fromkeys(gap.backend or "a backend" for gap in late))
    raise DeadlineMissed(
        f"The devices of {whose} are not all known: {late[0].reason}. Try  accel doctor",
        devices=merged_devices(found)[0],
        gaps=late,
    )
