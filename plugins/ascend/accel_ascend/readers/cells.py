"""Values as npu-smi prints them. "NA", "N/A", "-" and an empty cell are no value, and never 0.

"MB" of npu-smi is 2**20 bytes: a 64 GiB chip prints 65536.
"""

from typing import Final

from accel.model.device import Health
from accel.text.pattern import pattern

_NOTHING: Final = ("", "-", "--", "NA", "N/A", "NONE", "NULL", "UNKNOWN", "NOT SUPPORT", "NOT SUPPORTED")
_NUMBER: Final = pattern(r"-?\d{1,12}(\.\d+)?")
_PCI: Final = pattern(r"(?:([0-9a-fA-F]{4,8}):)?([0-9a-fA-F]{2}):([0-9a-fA-F]{2})\.([0-7])")
_HEALTH: Final[dict[str, Health]] = {"ok": "ok", "warning": "warning", "alarm": "critical", "critical": "critical"}


def word(text: str) -> str | None:
    """Return the text, stripped; None if it stands for nothing."""
    text = text.strip()
    return None if text.upper() in _NOTHING else text


def number(text: str) -> float | None:
    """Return a decimal number; None for anything else."""
    text = text.strip()
    return float(text) if _NUMBER.fullmatch(text) else None


def whole(text: str) -> int | None:
    """Return a count or an id, 0 or more; None for anything else."""
    text = text.strip()
    return int(text) if text.isascii() and text.isdigit() and len(text) <= 12 else None


def mebibytes(text: str) -> int | None:
    """Return the bytes of a count of "MB"; None for anything else."""
    count = whole(text)
    return None if count is None else count << 20


def capacity(text: str) -> int | None:
    """Return the bytes of a capacity in "MB"; None also for 0, which npu-smi prints for a memory that is not there."""
    return mebibytes(text) or None


def pci_address(text: str) -> str | None:
    """Return "0000:c1:00.0", lower case; None for "NA" and anything else."""
    found = _PCI.fullmatch(text.strip())
    if not found:
        return None
    domain = int(found[1] or "0", 16)
    return f"{domain:04x}:{found[2]}:{found[3]}.{found[4]}".lower()


def health(text: str | None) -> Health:
    """Return the health of npu-smi's word; "unknown" for a word that it is not known to print."""
    return _HEALTH.get((text or "").strip().lower(), "unknown")


def is_health_word(text: str) -> bool:
    """Say whether the text is a word that npu-smi prints in its Health column."""
    return text.strip().lower() in (*_HEALTH, "unknown", "na")
