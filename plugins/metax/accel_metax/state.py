"""The state that mx-smi gives a GPU: whether the driver can use it."""

from typing import Final

from accel.model.device import Health
from accel.text.pattern import pattern

_NOT: Final = pattern(r"(?i)(?:not\s*available|unavailable)\b[\s(:,-]*([^\s(:,-].*?)?\)?")


def health_of(state: str | None) -> Health:
    """Return "critical" for a GPU that is not available; "unknown" for any other word.

    >>> health_of("Available"), health_of("Not Available(MetaX Sysfs File Unaccessible)"), health_of(None)
    ('unknown', 'critical', 'unknown')
    """
    return "critical" if _NOT.fullmatch((state or "").strip()) else "unknown"


def state_and_reason(text: str) -> tuple[str, str | None]:
    """Return the state and why.

    >>> state_and_reason("available"), state_and_reason("Not Available(Sysfs File Unaccessible)")
    (('Available', None), ('Not Available', 'Sysfs File Unaccessible'))
    """
    found = _NOT.fullmatch(text.strip())
    if found:
        return "Not Available", found[1] or None
    return ("Available" if text.strip().lower() == "available" else text.strip()), None
