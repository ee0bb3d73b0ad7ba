"""`accel doctor`: what is broken first, why, and what to type."""

import argparse
import os
import sys

from accel.cli.source import add_source_options, read_files

_SEVERITIES = ("info", "warning", "error")


def parser() -> argparse.ArgumentParser:
    """Return the command's parser."""
    it = argparse.ArgumentParser(
        prog="accel doctor", description="Say what is broken first, why, and what to type.", allow_abbrev=False
    )
    add_source_options(it)
    it.add_argument("--python", metavar="PATH", help="look at this interpreter's packages instead of accel's own")
    it.add_argument("--deep", action="store_true", help="also ask the frameworks themselves, in child processes")
    it.add_argument("--verbose", action="store_true", help="also show what was clear, undecided and skipped")
    it.add_argument(
        "--fail-on", choices=_SEVERITIES, default="error", help="the lowest severity that makes the exit code 1"
    )
    it.add_argument(
        "--timeout", type=float, default=20.0, metavar="SECONDS", help="deadline of the probes (default 20)"
    )
    return it


def run(words: list[str]) -> int:
    """Diagnose; 1 if something of --fail-on severity or above was found."""
    options = parser().parse_args(words)
    from accel.cli.specs import say_problems, show_warnings_in_one_line
    from accel.gather import judged
    from accel.registry import Registry

    show_warnings_in_one_line()
    registry = Registry(os.environ, guarded=True)
    if options.files:
        snapshot = read_files(options.files, registry)
    else:
        from accel.gather import snapshot as gathered
        from accel.machine import LiveMachine

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
    lowest = _SEVERITIES.index(options.fail_on)
    return 1 if any(_SEVERITIES.index(f.severity) >= lowest for f in diagnosis.findings) else 0
