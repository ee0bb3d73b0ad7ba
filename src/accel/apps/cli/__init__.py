"""The command `accel`: parsing, printing, exit codes. It imports only what the command needs.

Exit codes: 0 clear, 1 something found, 2 accel failed, 3 undecided because of an error or a text it did not understand.
"""

import errno
import sys
from typing import Final

COMMANDS: Final = {
    "devices": "list the accelerators of this machine or of a report",
    "ps": (
        "show which processes use which device, with user, container and job; --ghosts: memory held "
        "by no visible process"
    ),
    "topology": "show how devices and network cards are connected: links, PCIe, NUMA nodes, ports",
    "doctor": "find what is broken, why, and the command that fixes it",
    "resolve": "find the build of torch, jax, … that fits this machine, and its install command",
    "require": "check that this machine has what a program needs",
    "specs": "look up, compare and rank accelerators; match this machine's devices to their specs",
    "fit": ("check whether a model fits in memory, how fast it can run, and what to change if it does not fit"),
    "bench": "benchmark devices through torch or JAX: share of peak reached, and what limits it",
    "restrictions": "show which export rules and technical limits apply to a chip, with the arithmetic",
    "pick": "choose free devices and print the environment variables that select them",
    "run": "choose free devices and run a command that sees only those",
    "explain": "explain a check, a vendor's error code, or an error message",
    "report": "write a report in Markdown or HTML: findings, devices, specs, restrictions, versions",
    "top": "interactive full-screen monitor of devices, processes and recent history",
    "watch": "monitor devices over time: on the terminal, as CSV or JSON lines, to a recording, as a plot",
    "advise": "find out why an accelerator is idle, with evidence and what to change",
    "fleet": "diagnose many machines together: which nodes are faulty, what they share, which did not answer",
    "serve": "serve readings over HTTP: Prometheus metrics, JSON and a live page",
    "snapshot": "write everything known about this machine as one JSON document",
    "plugins": "list installed plugins and their status; tools for plugin authors",
}


_REAP_SECONDS: Final = 0.2  # a process stuck in a driver cannot be waited for


def entry() -> None:
    """Run the command of this process and exit at once: shutting down the interpreter costs as much as an answer."""
    import os

    from accel.apps.cli.output import guard

    guard()
    code = 130
    try:
        code = main()
        for stream in (sys.stdout, sys.stderr):
            try:
                stream.flush()
            except (OSError, ValueError):  # main has already reported that it cannot be written
                code = code or 2
        reap()
    except KeyboardInterrupt:  # pressed again after everything was printed
        pass
    finally:
        os._exit(code)


def reap() -> None:
    """End third-party plugins' child processes, and reap ended children, as nothing else may do in a container."""
    import os
    import time

    if "accel.plugins.guard" in sys.modules:
        sys.modules["accel.plugins.guard"].end_all()

    until = time.monotonic() + _REAP_SECONDS
    try:
        while hasattr(os, "WNOHANG") and (os.waitpid(-1, os.WNOHANG)[0] or time.monotonic() < until):
            time.sleep(0.0005)
    except ChildProcessError:  # no child is left
        pass


def main(argv: list[str] | None = None) -> int:
    """Run one command; return its exit code. Any failure is a sentence and a 2, never a 1, which means "found"."""
    from accel.apps.cli.output import prepare, say, silence_stdout
    from accel.model.errors import AccelError

    words = sys.argv[1:] if argv is None else argv
    prepare(_parted(words)[0])
    try:
        code = _run(words)
        sys.stdout.flush()  # here, where a reader that closed the pipe is handled
        return code
    except AccelError as error:
        say(str(error))
        return 2
    except BrokenPipeError:
        silence_stdout()
        return 0
    except KeyboardInterrupt:
        say("interrupted")
        return 130
    except BaseException as error:  # a plugin may raise something that is not an Exception
        silence_stdout()
        if isinstance(error, OSError) and error.errno in _UNWRITABLE:
            say(f"the answer cannot be written: {error.strerror}. Give another file or disk.")
        else:
            say(_own_fault(error))
        return 2


_UNWRITABLE: Final = (errno.ENOSPC, errno.EIO, errno.EBADF, errno.EDQUOT, errno.EFBIG)


def _run(words: list[str]) -> int:
    import gc
    import importlib

    gc.set_threshold(500_000)  # loading a report's modules and tables makes 100,000 objects, and none is garbage
    try:
        if not words or words[0] not in COMMANDS:
            from accel.apps.cli.overview import overview

            return overview(words, COMMANDS)
        words = _logging(words)
        return int(importlib.import_module(f"accel.apps.cli.{words[0]}").run(words[1:]))
    except SystemExit as leaving:
        if not _is_of_argparse(leaving):
            raise
        return leaving.code if isinstance(leaving.code, int) else 2 if leaving.code else 0


def _is_of_argparse(leaving: SystemExit) -> bool:
    """Return whether argparse raised it, after printing everything. Third-party code may raise SystemExit too."""
    last = leaving.__traceback__
    while last is not None and last.tb_next is not None:
        last = last.tb_next
    return last is None or last.tb_frame.f_globals.get("__name__") == "argparse"


def _own_fault(error: BaseException) -> str:
    """Return the report of an unexpected exception; with -v or ACCEL_LOG, the full traceback."""
    import os
    import traceback

    frame = traceback.extract_tb(error.__traceback__)[-1]  # main's own if there is no other
    place = f"{'/'.join(frame.filename.replace(os.sep, '/').split('/')[-3:])}:{frame.lineno}"
    said = " ".join(f"{type(error).__name__}: {error}".split())[:300]
    told = "".join(traceback.format_exception(error)) if "accel.apps.cli.log" in sys.modules else ""
    return (
        f"{told}this is a bug in accel, and nothing was decided: {said} ({place}). Please report this line with "
        "accel's input; -v shows more."
    )


def _logging(words: list[str]) -> list[str]:
    """Remove -v and -vv from the words, and start the logging that they or ACCEL_LOG request."""
    import os

    own, command = _parted(words)
    asked = [word for word in own[1:] if word in ("-v", "-vv")]
    level = os.environ.get("ACCEL_LOG", "")
    if not asked and not level:
        return words
    from accel.apps.cli.log import start

    start(sum(len(word) - 1 for word in asked), level)
    return [words[0], *(word for word in own[1:] if word not in ("-v", "-vv")), *command]


def _parted(words: list[str]) -> tuple[list[str], list[str]]:
    """Return accel's own words, and "--" with the words of another command, which accel does not parse."""
    place = words.index("--") if "--" in words else len(words)
    return words[:place], words[place:]
