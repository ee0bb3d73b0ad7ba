"""The command `accel`: parsing, printing, exit codes. Only what a command needs is imported.

Exit codes: 0 clear, 1 something found, 2 accel could not do it.
"""

import sys
from typing import Final

COMMANDS: Final = {
    "devices": "list every accelerator of this machine, or of a report",
    "doctor": "say what is broken first, why, and what to type",
    "resolve": "say which build of torch, jax, … fits this machine, and the command for it",
    "specs": "show, compare and rank products; match this machine's to what is known of them",
    "restrictions": "say which export rules and technical limits apply to a chip, with the arithmetic",
    "explain": "explain a check's code or name, an Xid, or an error message",
    "report": "write one document, Markdown or HTML: findings, devices, specs, restrictions, versions",
    "snapshot": "write all facts of this machine as one JSON document",
    "plugins": "list the installed plugins and what became of them",
}


def main(argv: list[str] | None = None) -> int:
    """Run one command; return its exit code."""
    import gc
    import importlib

    from accel.errors import AccelError

    gc.set_threshold(100_000)  # a command ends soon: looking for cycles while modules load is a tenth of its time
    words = sys.argv[1:] if argv is None else argv
    try:
        if not words or words[0] not in COMMANDS:
            from accel.cli.top import top

            return top(words)
        code = int(importlib.import_module(f"accel.cli.{words[0]}").run(words[1:]))
        sys.stdout.flush()  # here, where a reader that has left the pipe is expected
        return code
    except AccelError as error:
        print(f"accel: {error}", file=sys.stderr)
        return 2
    except BrokenPipeError:
        _silence_stdout()
        return 0
    except KeyboardInterrupt:
        print("accel: interrupted", file=sys.stderr)
        return 130


def _silence_stdout() -> None:
    """Let the interpreter's last flush go nowhere: the reader of the pipe has left (`accel devices | head`)."""
    import os

    os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
