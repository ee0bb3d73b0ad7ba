"""`accel doctor`: what is broken first, why, and what to type."""

import argparse
import os
import sys
from typing import TYPE_CHECKING

from accel.cli.source import add_files, add_source_options, asked_files, read_files

if TYPE_CHECKING:
    from accel.model.diagnosis import Diagnosis
    from accel.model.snapshot import Snapshot

_SEVERITIES = ("info", "warning", "error")


def parser() -> argparse.ArgumentParser:
    """Return the command's parser."""
    it = argparse.ArgumentParser(
        prog="accel doctor",
        description="Say what is broken first, why, and what to type: of this machine, or of a text that is given as "
        "a file or piped in.",
        epilog="exit code: 0 nothing found, 1 found something of --fail-on or above, 2 accel could not do it, "
        "3 undecided: an error, or the whole text, is not understood",
        allow_abbrev=False,
    )
    add_files(it)
    add_source_options(it)
    it.add_argument("--python", metavar="PATH", help="look at this interpreter's packages instead of accel's own")
    it.add_argument("--deep", action="store_true", help="also ask the frameworks themselves, in child processes")
    it.add_argument("--verbose", action="store_true", help="also show what was clear, undecided and not applicable")
    it.add_argument(
        "--fail-on",
        choices=_SEVERITIES,
        default="warning",
        help="the lowest severity that makes the exit code 1 (default warning)",
    )
    it.add_argument(
        "--timeout", type=float, default=20.0, metavar="SECONDS", help="deadline of the probes (default 20)"
    )
    return it


def run(words: list[str]) -> int:
    """Diagnose; return the exit code that --help states."""
    options = parser().parse_args(words)
    from accel.cli.specs import say_problems, show_warnings_in_one_line
    from accel.collect.live import judged
    from accel.plugins.registry import Registry

    show_warnings_in_one_line()
    registry = Registry(os.environ, guarded=True)
    files = asked_files(options)
    if files:
        snapshot = read_files(files, registry)
    else:
        from accel.collect.live import snapshot as gathered
        from accel.machine.live import LiveMachine

        snapshot = gathered(
            LiveMachine(),
            registry,
            depth="deep" if options.deep else "health",
            timeout_seconds=options.timeout,
            python=options.python,
        )
    say_problems(registry.specs)
    diagnosis = judged(snapshot, registry)
    if options.json:
        from accel.render.json import diagnosis_json

        sys.stdout.write(diagnosis_json(diagnosis))
    else:
        from accel.render.diagnosis_text import print_diagnosis

        print_diagnosis(diagnosis, snapshot, verbose=options.verbose)
    return exit_code(diagnosis, snapshot, options.fail_on)


def exit_code(diagnosis: "Diagnosis", snapshot: "Snapshot", fail_on: str) -> int:
    """Return 0 nothing found, 1 found something of `fail_on` or above, 3 an error or the whole text is unexplained."""
    from accel.model.snapshot import is_empty

    lowest = _SEVERITIES.index(fail_on)
    if any(_SEVERITIES.index(f.severity) >= lowest for f in diagnosis.findings):
        return 1
    return 3 if diagnosis.verdict == "undecided" and (diagnosis.unexplained or is_empty(snapshot)) else 0
