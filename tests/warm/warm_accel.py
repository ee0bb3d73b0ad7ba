"""Starts accel for tests, hundreds of times, without a new interpreter and new imports each time.

What is tested of accel in a process of its own, exit codes, streams, signals, what a plugin does to it, is the same in
a fork of one interpreter that has imported accel (kept_warm.py). Tests of the start itself, of what is imported or of a
variable that the interpreter reads, such as PYTHONUTF8, start one with `python -m accel`; so does everything here where
nothing forks.
"""

import json
import os
import select
import signal
import socket
import subprocess
import sys
import threading
from collections.abc import Mapping, Sequence
from functools import cache
from pathlib import Path
from typing import IO, Any

from accel.kit.process import begun

_FORKS = hasattr(os, "fork") and hasattr(socket, "send_fds")
_LOCK = threading.Lock()


class Started:
    """A running process, as subprocess.Popen has it, with pipes.

    runs       what it is: "accel" with these words, or a child of the kit with these paths
    errors     where its stderr goes, then its other streams are of bytes; None: into a pipe, and all are of text
    lean       it has a session of its own, and has imported only what a report and a plugin need: where accel tries
               a stranger's plugin it looks through all that is imported
    constants  values of accel's constants in this process, by their full names
    """

    def __init__(
        self,
        runs: str,
        words: Sequence[str],
        environment: Mapping[str, str],
        folder: Path | None = None,
        errors: IO[bytes] | None = None,
        lean: bool = False,
        constants: Mapping[str, float] | None = None,
    ) -> None:
        self.args = words
        self.returncode: int | None = None
        (theirs_in, ours_in), (ours_out, theirs_out), (ours_errors, theirs_errors) = os.pipe(), os.pipe(), os.pipe()
        self._status, theirs_status = os.pipe()
        theirs = (theirs_in, theirs_out, errors.fileno() if errors else theirs_errors, theirs_status)
        request = {
            "runs": runs,
            "words": list(words),
            "environment": dict(environment),
            "folder": str(folder or ""),
            "constants": dict(constants or {}),
            "apart": runs == "kit" or lean,
        }
        body = json.dumps(request).encode()
        with _LOCK:
            connection = _interpreter(environment.get("LD_LIBRARY_PATH", ""), lean)
            socket.send_fds(connection, [len(body).to_bytes(8, "little")], theirs)
            connection.sendall(body)
            self.pid = int.from_bytes(connection.recv(4, socket.MSG_WAITALL), "little")
        for end in (theirs_in, theirs_out, theirs_errors, theirs_status):
            os.close(end)
        reading, writing = ("rb", "wb") if errors else ("r", "w")
        encoding = None if errors else "utf-8"
        self.stdin: IO[Any] = open(ours_in, writing, encoding=encoding)  # noqa: SIM115
        self.stdout: IO[Any] = open(ours_out, reading, encoding=encoding)  # noqa: SIM115
        self.stderr: IO[Any] = open(ours_errors, reading, encoding=encoding)  # noqa: SIM115

    def poll(self) -> int | None:
        """Return the exit code, negative for a signal; None while it runs."""
        return self._ended(0.0)

    def wait(self, timeout: float | None = None) -> int:
        """Return the exit code. Raises subprocess.TimeoutExpired."""
        code = self._ended(timeout)
        if code is None:
            raise subprocess.TimeoutExpired(self.args, timeout or 0.0)
        return code

    def communicate(self, given: str = "", timeout: float | None = None) -> tuple[str, str]:
        """Return what it writes until both streams are closed, having given it its input.

        timeout  how long each stream is waited for. Raises subprocess.TimeoutExpired
        """
        said = {"out": "", "errors": ""}

        def read(name: str, stream: IO[str]) -> None:
            with stream:
                said[name] = stream.read()

        def give() -> None:
            try:
                with self.stdin:
                    self.stdin.write(given)
            except BrokenPipeError:
                pass

        readers = (("out", self.stdout), ("errors", self.stderr))
        threads = [threading.Thread(target=read, args=which, daemon=True) for which in readers]
        threads.append(threading.Thread(target=give, daemon=True))
        for thread in threads:
            thread.start()
        for thread in threads:
            thread.join(timeout)
            if thread.is_alive():
                self.kill()
                raise subprocess.TimeoutExpired(self.args, timeout or 0.0)
        self.wait(timeout)
        return said["out"], said["errors"]

    def send_signal(self, number: int) -> None:
        """Send a signal, if it still runs."""
        if self.poll() is None:
            os.kill(self.pid, number)

    def terminate(self) -> None:
        self.send_signal(signal.SIGTERM)

    def kill(self) -> None:
        self.send_signal(signal.SIGKILL)

    def _ended(self, timeout: float | None) -> int | None:
        if self.returncode is None and select.select([self._status], [], [], timeout)[0]:
            self.returncode = int.from_bytes(os.read(self._status, 4), "little", signed=True)
            os.close(self._status)
        return self.returncode


def started(
    *words: str, environment: Mapping[str, str], folder: Path | None = None, lean: bool = False
) -> "subprocess.Popen[str]":
    """Start accel with these words and variables; what is returned has what tests use of a Popen."""
    if _FORKS:
        return Started("accel", words, environment, folder, lean=lean)  # type: ignore[return-value]
    return subprocess.Popen(
        [sys.executable, "-m", "accel", *words],
        env=dict(environment),
        cwd=folder,
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
        encoding="utf-8",
    )


def run(
    *words: str,
    environment: Mapping[str, str],
    folder: Path | None = None,
    given: str = "",
    timeout: float = 120.0,
    lean: bool = False,
) -> "subprocess.CompletedProcess[str]":
    """Run accel with these words and variables to its end."""
    child = started(*words, environment=environment, folder=folder, lean=lean)
    out, errors = child.communicate(given, timeout)
    return subprocess.CompletedProcess(words, child.returncode, out, errors)


def begin_kit(paths: Sequence[str], errors: IO[bytes], kept: tuple[int, ...]) -> "subprocess.Popen[bytes]":
    """Start a child of the conformance kit, as accel.kit.process.begun does; it inherits no leash."""
    if _FORKS:
        return Started("kit", paths, os.environ, errors=errors)  # type: ignore[return-value]
    return begun(paths, errors, kept)


@cache
def _interpreter(libraries: str, lean: bool) -> socket.socket:
    """Return the socket of an interpreter; it ends when this process does, which closes it.

    libraries  its LD_LIBRARY_PATH, which the loader reads when a program starts and never again
    lean       it imports what a report and a plugin need, and not all of accel
    """
    ours, theirs = socket.socketpair()
    kept = [sys.executable, str(Path(__file__).with_name("kept_warm.py")), str(theirs.fileno()), *["lean"][: int(lean)]]
    variables = {name: value for name, value in os.environ.items() if not name.startswith(("ACCEL_", "FAKENVML_"))}
    variables["LD_LIBRARY_PATH"] = libraries
    subprocess.Popen(kept, pass_fds=(theirs.fileno(),), env=variables, stdin=subprocess.DEVNULL)
    theirs.close()
    return ours
