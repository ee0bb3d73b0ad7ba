"""Reads small files, treating unreadable ones as unknown."""

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from accel.machine.protocol import Machine


def file_text(machine: "Machine", path: str, limit_bytes: int = 1 << 16) -> str | None:
    """Return a file's text, stripped; None if it cannot be read or is empty."""
    try:
        return machine.read(path, limit_bytes).strip() or None
    except OSError:
        return None


def file_number(machine: "Machine", path: str) -> int | None:
    """Return the whole number in a file; None if it cannot be read or has anything else, such as the kernel's "-1"."""
    text = file_text(machine, path, 64) or ""
    return int(text) if text.isascii() and text.isdecimal() and len(text) <= 20 else None


def names_in(machine: "Machine", folder: str) -> tuple[str, ...]:
    """Return the sorted names in a folder; () if it does not exist or this user may not list it."""
    try:
        return machine.list(folder)
    except OSError:
        return ()
