"""Become a command: the process stays, with its number, its terminal, its group and its signals.

Nothing stands between the command and whoever started it, so nothing has to be forwarded. A wrapper that stayed
would pass on a signal that the command had already got: a terminal, `scancel` and `timeout` signal whole groups.
"""

import os
import sys
from collections.abc import Mapping, Sequence


class NotStarted(OSError):
    """The command could not be started. exit_code: as shells give it, 127 not found, 126 not to be run."""

    def __init__(self, error: OSError) -> None:
        super().__init__(error.errno, error.strerror)
        missing = isinstance(error, FileNotFoundError | NotADirectoryError)
        self.exit_code = 127 if missing else 126


def become(argv: Sequence[str], environment: Mapping[str, str]) -> int:
    """Replace this process by the command, looked for in PATH. Raises NotStarted.

    On Windows, which cannot, the command is waited for, and its exit code returned.
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
    """Give back what the interpreter and accel have taken: SIGPIPE, SIGXFSZ, and descriptor 1."""
    import signal

    for name in ("SIGPIPE", "SIGXFSZ"):
        if hasattr(signal, name):
            signal.signal(getattr(signal, name), signal.SIG_DFL)
    give_back_stdout()


def give_back_stdout() -> None:
    """Put the answer's stream back on descriptor 1, from where accel.apps.cli.output keeps it."""
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
