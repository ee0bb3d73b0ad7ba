"""The command's output streams, as they may be: of another encoding, closed, full, or left by their reader.

Signs that an encoding lacks are written as their nearest ASCII ("✗" as "x", "…" as "..."); in JSON they are escaped.
"""

import codecs
import os
import sys
from collections.abc import Iterable
from typing import Final

_SIGNS: Final = (
    *("✗ x", "✓ v", "· -", "× x", "… ...", "– -", "— -", "→ ->", "↳ >", "≥ >=", "≤ <=", "≈ ~", "− -", "• *"),
    *("° deg", "℃ C", "µ u", "² 2", "‘ '", "’ '", '“ "', '” "'),
)
_NEAREST: Final = {
    **dict(pair.split() for pair in _SIGNS),
    **dict.fromkeys("│┃║", "|"),
    **dict.fromkeys("─━═┄┈", "-"),
    **dict.fromkeys("┌┐└┘├┤┬┴┼╭╮╰╯┏┓┗┛┳┻┡┩╇", "+"),
    **dict.fromkeys("█▓▒░▏▎▍▌▋▊▉", "#"),
}


def prepare(words: Iterable[str]) -> None:
    """Make stdout and stderr writable whatever their encoding; a closed one goes nowhere."""
    form = "accel-json" if "--json" in words else "accel-text"
    for name in ("stdout", "stderr"):
        stream = getattr(sys, name)
        if stream is None:
            setattr(sys, name, open(os.devnull, "w", encoding="utf-8"))  # noqa: SIM115
            continue
        encoding = (getattr(stream, "encoding", None) or "ascii").lower().replace("_", "-")
        if not encoding.startswith("utf") and hasattr(stream, "reconfigure"):
            codecs.register_error("accel-text", _nearest)
            codecs.register_error("accel-json", _escaped)
            stream.reconfigure(errors=form if name == "stdout" else "accel-text")


def silence_stdout() -> None:
    """Let the interpreter's last flush go nowhere."""
    try:
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
    except (OSError, ValueError):  # it has no descriptor: nothing is flushed to one
        sys.stdout = open(os.devnull, "w", encoding="utf-8")  # noqa: SIM115


def _nearest(error: UnicodeError) -> tuple[str, int]:
    if not isinstance(error, UnicodeEncodeError):
        raise error
    return "".join(_NEAREST.get(sign, "?") for sign in error.object[error.start : error.end]), error.end


def _escaped(error: UnicodeError) -> tuple[str, int]:
    if not isinstance(error, UnicodeEncodeError):
        raise error
    units = error.object[error.start : error.end].encode("utf-16-be", "surrogatepass")
    return "".join(f"\\u{units[i]:02x}{units[i + 1]:02x}" for i in range(0, len(units), 2)), error.end
