"""Run a command with a deadline that holds, even for one that is stuck in a driver.

What starts processes is slow to import, and most runs of accel start none: those imports are inside the functions.
"""

import os
import time
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Final

if TYPE_CHECKING:
    import subprocess

OUTPUT_LIMIT_BYTES: Final = 16 << 20  # of stdout and of stderr each: the rest is read and dropped
_REAP_SECONDS: Final = 0.1  # for a killed command to leave the process table, where it can


@dataclass(frozen=True, slots=True, kw_only=True)
class CommandResult:
    """What a command did. exit_code None: it never ended (timed_out) or never began (missing)."""

    argv: tuple[str, ...]
    exit_code: int | None
    stdout: str
    stderr: str
    seconds: float
    timed_out: bool = False
    missing: bool = False


def run(argv: Sequence[str], timeout_seconds: float, environment: Mapping[str, str]) -> CommandResult:
    """Run argv in its own session, in the C locale, with nothing on stdin. Never raises.

    A command that cannot be started is missing=True, with the system's sentence in stderr.
    """
    import subprocess

    start = time.monotonic()
    try:
        child = subprocess.Popen(
            list(argv),
            stdin=subprocess.DEVNULL,
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE,
            env=_in_english(environment),
            start_new_session=True,
        )
    except (OSError, ValueError, IndexError) as error:
        return CommandResult(
            argv=tuple(argv), exit_code=None, stdout="", stderr=str(error), seconds=_since(start), missing=True
        )
    collect = _by_select if os.name == "posix" else _by_threads
    stdout, stderr, timed_out = collect(child, start + timeout_seconds)
    return CommandResult(
        argv=tuple(argv),
        exit_code=None if timed_out else child.returncode,
        stdout=stdout.decode("utf-8", "replace"),
        stderr=stderr.decode("utf-8", "replace"),
        seconds=_since(start),
        timed_out=timed_out,
    )


def _since(start: float) -> float:
    return time.monotonic() - start


def _in_english(environment: Mapping[str, str]) -> dict[str, str]:
    plain = {name: value for name, value in environment.items() if name != "LANGUAGE"}
    return {**plain, "LC_ALL": "C"}


def _by_select(child: "subprocess.Popen[bytes]", deadline: float) -> tuple[bytes, bytes, bool]:
    """Read both pipes until the child has ended, or the deadline."""
    import selectors

    assert child.stdout is not None
    assert child.stderr is not None
    pipes = (child.stdout, child.stderr)
    heard = {pipe: bytearray() for pipe in pipes}
    timed_out = False
    with selectors.DefaultSelector() as selector:
        for pipe in pipes:
            selector.register(pipe, selectors.EVENT_READ)
        while selector.get_map():
            ready = selector.select(max(0.0, min(deadline - time.monotonic(), 0.05)))
            for key, _ in ready:
                pipe = child.stdout if key.fileobj is child.stdout else child.stderr
                data = os.read(pipe.fileno(), 1 << 16)
                if not data:
                    selector.unregister(pipe)
                elif len(heard[pipe]) < OUTPUT_LIMIT_BYTES:
                    heard[pipe] += data[: OUTPUT_LIMIT_BYTES - len(heard[pipe])]
            if not ready and child.poll() is not None:
                break  # ended; what still holds its pipes is a child of its own
            if time.monotonic() >= deadline:
                timed_out = child.poll() is None
                break
    if not timed_out:
        timed_out = not _ended(child, deadline)
    if timed_out:
        _kill(child)
    for pipe in pipes:
        pipe.close()
    return bytes(heard[child.stdout]), bytes(heard[child.stderr]), timed_out


def _ended(child: "subprocess.Popen[bytes]", deadline: float) -> bool:
    import subprocess

    try:
        child.wait(max(0.0, deadline - time.monotonic()))
    except subprocess.TimeoutExpired:
        return False
    return True


def _by_threads(child: "subprocess.Popen[bytes]", deadline: float) -> tuple[bytes, bytes, bool]:
    """Windows has no select on pipes; communicate() reads them in threads, and keeps what was read so far."""
    import subprocess

    try:
        stdout, stderr = child.communicate(timeout=max(0.0, deadline - time.monotonic()))
        timed_out = False
    except subprocess.TimeoutExpired as expired:
        child.kill()
        stdout, stderr, timed_out = expired.stdout or b"", expired.stderr or b"", True
    return stdout[:OUTPUT_LIMIT_BYTES], stderr[:OUTPUT_LIMIT_BYTES], timed_out


def _kill(child: "subprocess.Popen[bytes]") -> None:
    """Kill the command and what it started.

    Not waited for beyond a moment: a process stuck in the driver cannot be killed, and that wait would never end.
    """
    import signal
    import subprocess

    try:
        os.killpg(child.pid, signal.SIGKILL)
    except (ProcessLookupError, PermissionError):
        child.kill()
    try:
        child.wait(_REAP_SECONDS)
    except subprocess.TimeoutExpired:
        child.returncode = -signal.SIGKILL  # else its __del__ warns, and the interpreter's end waits for it
