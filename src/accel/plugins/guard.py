"""Code that may hang or end the process, tried in a child first.

Used for plugins of other distributions in commands, whose process is accel's own: an import or a hook that does not
return then costs its plugin, and not the answer. The price is that what the child loads is loaded again here.
"""

import os
from collections.abc import Callable


def fault_of(act: Callable[[], object], seconds: float) -> str | None:
    """Return what is wrong with the act: it does not end in time, or ends the process; None: neither, or no fork here.

    What it raises is no fault of this kind: the caller will see that.
    """
    if not hasattr(os, "fork"):
        return None
    import select

    read, write = os.pipe()
    pid = os.fork()
    if pid == 0:
        _work(act, read)
    os.close(write)
    ended, _, _ = select.select([read], [], [], seconds)
    os.close(read)
    return _death(pid) if ended else _killed(pid, seconds)


def _work(act: Callable[[], object], read: int) -> None:
    """The child: act, and leave without running the parent's exit handlers."""
    try:
        os.close(read)
        os.setsid()
        nowhere = os.open(os.devnull, os.O_RDWR)
        for descriptor in (0, 1, 2):
            os.dup2(nowhere, descriptor)
        act()
    finally:
        os._exit(0)


def _death(pid: int) -> str | None:
    """Return by which signal the child ended; None if it ended by itself."""
    import signal

    _, status = os.waitpid(pid, 0)
    if os.WIFSIGNALED(status):
        return f"ended the process that tried it ({signal.Signals(os.WTERMSIG(status)).name})"
    return f"ended the process that tried it (exit {status >> 8})" if status else None


def _killed(pid: int, seconds: float) -> str:
    import signal

    try:
        os.killpg(pid, signal.SIGKILL)
        os.waitpid(pid, os.WNOHANG)  # not waited for: what is stuck in a driver cannot be killed
    except (ProcessLookupError, PermissionError, ChildProcessError):
        pass
    return f"did not end within {seconds:g} s"
