"""The words of npu-smi's Health column."""

from typing import Final

from accel.model.device import Health

_HEALTH: Final[dict[str, Health]] = {"ok": "ok", "warning": "warning", "alarm": "critical", "critical": "critical"}


def health(text: str | None) -> Health:
    """Return the health for npu-smi's word; "unknown" for a word that it is not known to print."""
    return _HEALTH.get((text or "").strip().lower(), "unknown")


def is_health_word(text: str) -> bool:
    """Return whether the text is a word that npu-smi prints in its Health column."""
    return text.strip().lower() in (*_HEALTH, "unknown", "na")
