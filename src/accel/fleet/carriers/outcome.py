"""The outcome of a probe on a node: its line among other output, or why there is none. Pure."""

from typing import Final

from accel.fleet.model import NodeAnswer, State
from accel.fleet.node import decode_node
from accel.model.dataclass import replace
from accel.model.errors import BadInput
from accel.model.printable import printable

PROBE: Final = ("accel", "fleet", "probe")
_MARKS: Final = ('{"schema": "accel.node/', '{"schema":"accel.node/')
_SAID: Final = 200  # characters of another program's words that are quoted
SHELL_NOT_FOUND: Final = 127
_MISSING: Final = frozenset((126, SHELL_NOT_FOUND))  # a shell's codes of a command that is not there or not allowed


def outcome(node: str, stdout: str, stderr: str, exit_code: int | None, seconds: float) -> NodeAnswer:
    """Return a node's answer from its probe's output; login banners and other noise before its line are ignored.

    exit_code  None: it was ended by a signal, or the code is unknown
    """
    broken = None  # the last line may be half written: one before it will do
    for line in reversed(stdout.splitlines()):
        place = next((place for mark in _MARKS if (place := line.find(mark)) >= 0), -1)
        if place < 0:
            continue
        try:
            answer = decode_node(line[place:], node)
        except BadInput as error:
            broken = broken or failed(node, "tool_failed", str(error), seconds)
            continue
        return replace(answer, node=node, seconds=round(seconds, 3))
    if broken is not None:
        return broken
    said = last_words(stderr) or last_words(stdout)
    if is_missing(exit_code) or "command not found" in said or "No module named accel" in said:
        why = f"accel is not installed there: {said}" if said else "accel is not installed there"
        return failed(node, "tool_failed", why, seconds)
    if exit_code is None:
        return failed(node, "tool_failed", "the probe was ended from outside" + (f": {said}" if said else ""), seconds)
    return failed(node, "tool_failed", f"exit code {exit_code}" + (f": {said}" if said else ", and no line"), seconds)


def is_missing(exit_code: int | None) -> bool:
    """Return whether a shell exited with this code because the command does not exist."""
    return exit_code in _MISSING


def has_line(stdout: str) -> bool:
    """Return whether a probe printed its line."""
    return any(mark in stdout for mark in _MARKS)


def failed(node: str, state: State, why: str, seconds: float | None = None) -> NodeAnswer:
    """Return the answer of a node about which nothing is known, with the reason."""
    took = None if seconds is None else round(seconds, 3)
    return NodeAnswer(node=node, state=state, why=printable(why)[: 2 * _SAID], seconds=took)


def last_words(text: str) -> str:
    """Return the last non-empty line, at most 200 characters."""
    return next((printable(line.strip())[:_SAID] for line in reversed(text.splitlines()) if line.strip()), "")
