"""Runs a command with a deadline that holds even if it is stuck in a driver, and leaves nothing of it behind.

The modules that start processes are slow to import, and most runs of accel start none, so they are imported inside the
functions.
"""

import os
import time
from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, Final

from accel.machine.descriptors import readable
from accel.machine.kill_with_parent import KillWithParent
from accel.model.dataclass import dataclass

if TYPE_CHECKING:
    import subprocess
    from typing import IO

OUTPUT_LIMIT_BYTES: Final = 16 << 20  # of stdout and of stderr each: what prints more is killed
_FLOOD: Final = f"it printed more than {OUTPUT_LIMIT_BYTES >> 20} MiB and was killed"
_POLL_SECONDS: Final = 0.005
_LOOK_SECONDS: Final = 0.05  # after so long without output, look whether the command has ended
_REAP_SECONDS: Final = 0.1  # for a killed command to leave the process table, where it can


@dataclass(frozen=True, slots=True, kw_only=True)
class CommandResult:
    """The result of a command. exit_code None: it did not end (timed_out) or could not be started (missing)."""

    argv: tuple[str, ...]
    exit_code: int | None
    stdout: str
    stderr: str
    seconds: float
    timed_out: bool = False
    missing: bool = False


def run(argv: Sequence[str], timeout_seconds: float, environment: Mapping[str, str]) -> CommandResult:
    """Run argv in its own session, in the C locale, without stdin. Never raises.

    A command that cannot be started has missing=True and the system's message in stderr. One that prints without end is
    killed; its partial output is discarded, and stderr says so.
    """
    start = time.monotonic()
    try:
        child, lifeline = started(argv, environment)
    except (OSError, ValueError, IndexError) as error:
        return CommandResult(
            argv=tuple(argv), exit_code=None, stdout="", stderr=str(error), seconds=_since(start), missing=True
        )
    try:
        collect = _by_pipes if os.name == "posix" else _by_threads
        stdout, stderr, timed_out = collect(child, start + timeout_seconds)
        flooded = len(stdout) > OUTPUT_LIMIT_BYTES or len(stderr) > OUTPUT_LIMIT_BYTES
    finally:  # of an interruption, too
        kill(child)
        if lifeline:
            lifeline.let_go()
    if flooded:
        return CommandResult(
            argv=tuple(argv), exit_code=child.returncode or 1, stdout="", stderr=_FLOOD, seconds=_since(start)
        )
    return CommandResult(
        argv=tuple(argv),
        exit_code=None if timed_out else child.returncode,
        stdout=stdout.decode("utf-8", "replace"),
        stderr=stderr.decode("utf-8", "replace"),
        seconds=_since(start),
        timed_out=timed_out,
    )


def started(
    argv: Sequence[str], environment: Mapping[str, str]
) -> "tuple[subprocess.Popen[bytes], KillWithParent | None]":
    """Start a command in its own session, in the C locale, without stdin, tied to the life of this process.

    Raises OSError, ValueError or IndexError if it cannot be started. The caller ends it with `kill`, and then calls
    `let_go`.
    """
    import subprocess

    lifeline = KillWithParent() if os.name == "posix" else None
    tie_before_exec = lifeline.tie_before_exec() if lifeline else None
    try:
        child = subprocess.Popen(
            _found(argv, environment),
            stdin=subprocess.DEVNULL,
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE,
            env=_in_english(environment),
            start_new_session=True,
            pass_fds=(lifeline.reader,) if lifeline else (),
            preexec_fn=tie_before_exec,
        )
    except BaseException:
        if lifeline:
            lifeline.let_go()
        raise
    try:
        if lifeline:
            if tie_before_exec is None:
                lifeline.tie(child.pid)
            lifeline.close_reader()
    except BaseException:
        kill(child)
        raise
    return child, lifeline


def _found(argv: Sequence[str], environment: Mapping[str, str]) -> list[str]:
    """Return argv with a bare name resolved to a path. The system would also search the working folder, which anybody
    may have prepared: Windows always does, others if PATH contains a relative or empty folder.
    """
    if not argv or os.path.basename(argv[0]) != argv[0]:
        return list(argv)
    found = on_windows if os.name == "nt" else _on_posix
    return [found(argv[0], environment), *argv[1:]]


def _on_posix(name: str, environment: Mapping[str, str]) -> str:
    """Return the path of a program in the absolute folders of PATH. Raises FileNotFoundError if none of them has it."""
    for folder in environment.get("PATH", os.defpath).split(":"):
        path = f"{folder}/{name}"
        if folder.startswith("/") and os.access(path, os.X_OK) and os.path.isfile(path):
            return path
    raise FileNotFoundError(2, f"{name} is in no absolute folder of PATH")


def on_windows(name: str, environment: Mapping[str, str]) -> str:
    """Return the path of a program in the absolute folders of PATH. Raises FileNotFoundError if it is in none of them.

    Programs in the working folder, or in relative folders of PATH, are never run: anybody may have put them there.
    """
    import ntpath

    file = name if name.lower().endswith((".exe", ".com")) else f"{name}.exe"
    for folder in (part.strip().strip('"') for part in environment.get("PATH", "").split(";")):
        if ntpath.splitdrive(folder)[0] and ntpath.isabs(folder):
            path = ntpath.join(folder, file)
            if os.path.isfile(path):
                return path
    raise FileNotFoundError(2, f"{file} is in no folder of PATH")


def _since(start: float) -> float:
    return time.monotonic() - start


def _in_english(environment: Mapping[str, str]) -> dict[str, str]:
    plain = {name: value for name, value in environment.items() if name != "LANGUAGE"}
    return {**plain, "LC_ALL": "C"}


def _by_pipes(child: "subprocess.Popen[bytes]", deadline: float) -> tuple[bytes, bytes, bool]:
    """Read both pipes until the child ends, prints too much, or the deadline passes."""
    assert child.stdout is not None
    assert child.stderr is not None
    heard = {pipe.fileno(): bytearray() for pipe in (child.stdout, child.stderr)}
    collected = tuple(heard.values())
    timed_out = flooded = False
    while heard:
        ready = readable(heard, min(deadline - time.monotonic(), _LOOK_SECONDS))
        for pipe in ready:
            data = os.read(pipe, 1 << 16)
            if not data:
                del heard[pipe]
            else:
                heard[pipe] += data
        if flooded := any(len(one) > OUTPUT_LIMIT_BYTES for one in collected):
            break
        if not ready and has_ended(child):
            break  # one of its own children still holds its pipes
        if time.monotonic() >= deadline:
            timed_out = not has_ended(child)
            break
    while not (flooded or timed_out or has_ended(child)):  # it closed its pipes and goes on
        timed_out = time.monotonic() >= deadline
        time.sleep(_POLL_SECONDS)
    kill(child)
    child.stdout.close()
    child.stderr.close()
    return bytes(collected[0]), bytes(collected[1]), timed_out


def has_ended(child: "subprocess.Popen[bytes]") -> bool:
    """Return whether the child has ended. It stays in the process table, so that its group's number is not reused."""
    if child.returncode is not None:
        return True
    if not hasattr(os, "waitid"):
        return child.poll() is not None
    try:
        return os.waitid(os.P_PID, child.pid, os.WEXITED | os.WNOWAIT | os.WNOHANG) is not None
    except ChildProcessError:  # other code in this process has waited for it
        return child.poll() is not None


def _by_threads(child: "subprocess.Popen[bytes]", deadline: float) -> tuple[bytes, bytes, bool]:
    """Read each pipe in a thread: Windows cannot select on pipes."""
    from threading import Thread

    collected = (bytearray(), bytearray())

    def hear(pipe: "IO[bytes]", heard: bytearray) -> None:
        try:
            while len(heard) <= OUTPUT_LIMIT_BYTES and (data := os.read(pipe.fileno(), 1 << 16)):
                heard += data
        except (OSError, ValueError):  # closed while it was read
            return

    pipes = [pipe for pipe in (child.stdout, child.stderr) if pipe is not None]
    threads = [Thread(target=hear, args=pair, daemon=True) for pair in zip(pipes, collected, strict=True)]
    for thread in threads:
        thread.start()
    while (running := child.poll() is None) and time.monotonic() < deadline:
        if any(len(heard) > OUTPUT_LIMIT_BYTES for heard in collected):
            break
        time.sleep(_POLL_SECONDS)
    if running and child.poll() is None:
        child.kill()
    for thread in threads:  # the rest of an ended command's output is read; one of its children may hold the pipes
        thread.join(_REAP_SECONDS if running else max(0.0, deadline - time.monotonic()))
    flooded = any(len(heard) > OUTPUT_LIMIT_BYTES for heard in collected)
    return bytes(collected[0]), bytes(collected[1]), running and not flooded


def kill(child: "subprocess.Popen[bytes]") -> None:
    """Kill the command if it is running, and what it started, and reap it.

    Waits only briefly: a process that is stuck in a driver cannot be killed, and waiting for it would never end.
    """
    import signal
    import subprocess

    if child.returncode is not None:
        return
    if os.name == "posix":
        try:
            os.killpg(child.pid, signal.SIGKILL)
        except (ProcessLookupError, PermissionError):
            pass
    else:
        child.kill()
    try:
        child.wait(_REAP_SECONDS)
    except subprocess.TimeoutExpired:
        child.returncode = -9  # else its __del__ warns, and the interpreter's end waits for it
