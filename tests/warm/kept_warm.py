"""The interpreter that warm_accel.py keeps: it has imported accel and its plugins, and forks once for each command.

A fork has what a new process has: descriptors, variables, working folder, search path and signals of its own. What it
saves is the start: the interpreter's and accel's modules, and accel's own tables. It answers on the socket that its
argument numbers: first the process's id, then, on its status pipe, how it ended. Besides commands it starts the
children of the conformance kit.
"""

import importlib
import json
import os
import pkgutil
import signal
import socket
import sys
from typing import Any

import accel

_REPORT = "$ nvidia-smi\nNVIDIA-SMI has failed because it couldn't communicate with the NVIDIA driver.\n"
_OF_A_PLUGIN = ("answers", "guest", "guest_backend", "guest_host", "stated", "validation")  # of accel.plugins
_LEFT_OUT = (
    "accel.__main__",
    "accel.apps.screen",
    "accel.apps.serve",
    "accel.apps.bridges",
)  # a program; what needs an extra


def main() -> None:
    """Serve until the other end of the socket is closed."""
    import gc
    import struct

    connection = socket.socket(fileno=int(sys.argv[1]))
    if sys.argv[2:] == ["lean"]:
        read_a_report()
    else:
        import_all()
        load_tables()
    base = _own_path()
    gc.collect()
    gc.freeze()
    waker, woken = socket.socketpair()
    for end in (waker, woken):
        end.setblocking(False)
    signal.set_wakeup_fd(woken.fileno())
    signal.signal(signal.SIGCHLD, lambda *_: None)
    running: dict[int, int] = {}  # status pipes by process
    import select

    while True:
        ready, _, _ = select.select([connection, waker], [], [])
        if waker in ready:
            waker.recv(4096)
            _reap(running)
        if connection not in ready:
            continue
        request, descriptors = _received(connection)
        if request is None:
            return
        *streams, status = descriptors
        child = os.fork()
        if child == 0:
            signal.set_wakeup_fd(-1)
            signal.signal(signal.SIGCHLD, signal.SIG_DFL)
            _begin(request, streams, base)
        for descriptor in streams:
            os.close(descriptor)
        running[child] = status
        connection.sendall(struct.pack("<i", child))


def import_all() -> None:
    """Import what accel is, without what it has of others: a command imports of it what it needs."""
    for module in pkgutil.walk_packages(accel.__path__, "accel."):
        if not module.name.startswith(_LEFT_OUT):
            importlib.import_module(module.name)


def read_a_report() -> None:
    """Import what a report and a stranger's plugin need, and no more."""
    import contextlib
    import io
    import tempfile

    from accel.apps.cli import main as command

    for name in (*(f"accel.plugins.{name}" for name in _OF_A_PLUGIN), "accel.vendors.contract.hookspecs"):
        importlib.import_module(name)
    with tempfile.NamedTemporaryFile("w", suffix=".txt") as file, contextlib.redirect_stdout(io.StringIO()):
        file.write(_REPORT)
        file.flush()
        command(["doctor", "--from", file.name, "--json"])


def load_tables() -> None:
    """Import accel's own plugins and read the tables that a diagnosis reads; the machine is not asked."""
    from accel.checks import core_checks
    from accel.collect.text import read_texts
    from accel.diagnose.engine import diagnose
    from accel.plugins.registry import Registry

    core_checks()  # the kit compares a plugin's codes with them
    known = Registry({})
    diagnose(read_texts([("report", "RuntimeError: No CUDA GPUs are available\n")], known), known.specs, known.checks)
    known.specs.named("H100")


def _own_path() -> list[str]:
    """Return the search path as it is without a script's folder and without PYTHONPATH."""
    given = os.environ.get("PYTHONPATH", "")
    before = 1 + (len(given.split(os.pathsep)) if given else 0)
    return sys.path[before:]


def _received(connection: socket.socket) -> tuple[dict[str, Any] | None, list[int]]:
    first, descriptors, _, _ = socket.recv_fds(connection, 8, 4)
    if not first:
        return None, []
    left, body = int.from_bytes(first, "little"), b""
    while left > len(body):
        body += connection.recv(left - len(body))
    return json.loads(body), list(descriptors)


def _reap(running: dict[int, int]) -> None:
    for child, status in list(running.items()):
        ended, how = os.waitpid(child, os.WNOHANG)
        if ended:
            try:
                os.write(status, os.waitstatus_to_exitcode(how).to_bytes(4, "little", signed=True))
            except BrokenPipeError:  # nobody waits for it
                pass
            os.close(running.pop(child))


def _begin(request: dict[str, Any], streams: list[int], base: list[str]) -> None:
    """Be the process that was asked for, to its end."""
    if request["apart"]:
        os.setsid()
    for number, descriptor in enumerate(streams):
        os.dup2(descriptor, number)
    os.closerange(3, 1024)
    os.environ.clear()
    os.environ.update(request["environment"])
    if request["folder"]:
        os.chdir(request["folder"])
    given = filter(None, request["environment"].get("PYTHONPATH", "").split(os.pathsep))
    sys.path[:] = request["words"] if request["runs"] == "kit" else [os.getcwd(), *given, *base]
    importlib.invalidate_caches()
    sys.stdin = sys.__stdin__ = open(0, closefd=False)  # noqa: SIM115
    sys.stdout = sys.__stdout__ = open(1, "w", 1 if os.isatty(1) else -1, closefd=False)  # noqa: SIM115
    sys.stderr = sys.__stderr__ = open(2, "w", 1, closefd=False, errors="backslashreplace")  # noqa: SIM115
    if request["runs"] == "kit":
        from accel.kit import child

        child.main()
        _end()
    for place, value in request["constants"].items():
        module, _, name = place.rpartition(".")
        setattr(importlib.import_module(module), name, value)
    from accel.apps.cli import entry

    sys.argv = ["accel", *request["words"]]
    entry()


def _end() -> None:
    """End as an interpreter does, with threads that are waited for, and handlers, but take no module apart.

    That would write to every page of memory that the fork shares with its parent, and cost more than many a test.
    """
    import atexit
    import threading

    threading._shutdown()  # type: ignore[attr-defined]
    atexit._run_exitfuncs()
    for stream in (sys.stdout, sys.stderr):
        stream.flush()
    os._exit(0)


if __name__ == "__main__":
    main()
