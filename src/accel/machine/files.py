"""Small files of a machine, where one that cannot be read tells nothing."""

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from accel.machine.protocol import Machine


def file_text(machine: "Machine", path: str, limit_bytes: int = 1 << 16) -> str | None:
    """Return a file's text without blanks at its ends; None if it cannot be read or is empty."""
    try:
        return machine.read(path, limit_bytes).strip() or None
    except OSError:
        return None


def names_in(machine: "Machine", folder: str) -> tuple[str, ...]:
    """Return the names in a folder, sorted; () if it is not there or closed to this user."""
    try:
        return machine.list(folder)
    except OSError:
        return ()
