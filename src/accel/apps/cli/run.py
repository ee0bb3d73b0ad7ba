"""`accel run`: runs a command with free devices only, reserved while it runs."""

import sys
from typing import TYPE_CHECKING

from accel.model.errors import BadInput, RequirementUnmet

if TYPE_CHECKING:
    import argparse


def parser() -> "argparse.ArgumentParser":
    """Return the command's parser."""
    from accel.apps.cli.parsing import Parser
    from accel.apps.cli.pick import add_wishes

    it = Parser(
        prog="accel run",
        usage="accel run [-n N] [--min-free SIZE] [--wait TIME] [options] -- COMMAND ...",
        description="Choose free devices as accel pick does, then run a command that sees only those. While it runs, "
        "accel pick and accel run do not hand them out again; signals, terminal and exit code are the "
        "command's own.",
        epilog="exit code: that of the command; 1 if nothing fits (stderr says why for each device), 2 accel failed, "
        "126 the command cannot be run, 127 there is no such command",
    )
    add_wishes(it)
    it.add_argument("command", nargs="*", metavar="-- COMMAND", help="the command and its options")
    return it


def run(words: list[str]) -> int:
    """Replace this process by the command; return the exit code only if that fails."""
    import os

    from accel.apps.cli import reap
    from accel.apps.cli.pick import chosen, say_unmet
    from accel.machine.foreground import NotStarted, become

    place = words.index("--") if "--" in words else len(words)
    options, command = parser().parse_args(words[:place]), words[place + 1 :]
    if options.command or not command:
        raise BadInput("put -- before the command:  accel run -n 2 -- python train.py")
    try:
        choice, lease = chosen(options, hold=os.path.basename(command[0]))
    except RequirementUnmet as unmet:
        say_unmet(unmet)
        return 1
    if lease is not None:
        lease.hand_on()
    reap()  # the command must not inherit other children
    try:
        return become(command, {**os.environ, **choice.environment})
    except NotStarted as error:
        if lease is not None:
            lease.release()
        print(f"accel: {command[0]}: {error.strerror}", file=sys.stderr)
        return error.exit_code
