"""Replaces this process with a command, which keeps its process id, terminal, group and signals.

Nothing remains between the command and whoever started it, so nothing has to be forwarded. A wrapper process would
forward signals that the command has already received: a terminal, `scancel` and `timeout` signal whole groups.
"""

import os
import sys
from collections.abc import Mapping, Sequence


class NotStarted(OSError):
    """The command could not be started. exit_code: as in shells, 127 if not found, 126 if not executable."""

    def __init__(self, error: OSError) -> None:
        super().__init__(error.errno, error.strerror)
        missing = isinstance(error, FileNotFoundError | NotADirectoryError)
        self.exit_code = 127 if missing else 126


def become(argv: Sequence[str], environment: Mapping[str, str]) -> int:
    """Replace this process with the command, which is looked up in PATH. Raises NotStarted.

    On Windows, which cannot do that, wait for the command and return its exit code.
    """
    sys.stdout.flush()
    sys.stderr.flush()
    if os.name != "posix":
        return _beside(argv, environment)
    _as_started()
    try:
        os.execvpe(argv[0], list(argv), dict(environment))
    except OSError as error:
        raise NotStarted(error) from None


def _as_started() -> None:
    """Undo what the interpreter and accel have changed: SIGPIPE, SIGXFSZ, and descriptor 1."""
    import signal

    for name in ("SIGPIPE", "SIGXFSZ"):
        if hasattr(signal, name):
            signal.signal(getattr(signal, name), signal.SIG_DFL)
    give_back_stdout()


def give_back_stdout() -> None:
    """Move the answer's stream from where accel.apps.cli.output keeps it back to descriptor 1."""
    try:
        if sys.stdout.fileno() != 1:
            os.dup2(sys.stdout.fileno(), 1)
    except (OSError, ValueError):  # closed, or a test's own
        pass


def _beside(argv: Sequence[str], environment: Mapping[str, str]) -> int:
    import subprocess

    try:
        child = subprocess.Popen(list(argv), env=dict(environment))
    except OSError as error:
        raise NotStarted(error) from None
    while True:
        try:
            return child.wait()
        except KeyboardInterrupt:  # the command has got it, too, and decides
            continue
