"""`accel doctor`: what is broken first, why, and what to type."""

import argparse
import os
import sys
from typing import TYPE_CHECKING

from accel.apps.cli import source
from accel.apps.cli.parsing import Parser
from accel.model.errors import BadInput

if TYPE_CHECKING:
    from accel.machine.protocol import Machine
    from accel.model.diagnosis import Diagnosis
    from accel.model.snapshot import Snapshot
    from accel.plugins.registry import Registry

_SEVERITIES = ("info", "warning", "error")


def parser() -> argparse.ArgumentParser:
    """Return the command's parser."""
    it = Parser(
        prog="accel doctor",
        description="Find what is broken, why, and the command that fixes it: on this machine, or in a report given as "
        "a file or on stdin.",
        epilog="exit code: 0 nothing found, 1 findings of --fail-on or above, 2 accel failed, 3 undecided: an error or "
        "the whole text was not understood, or a plugin, a reader or a deadline failed",
        allow_abbrev=False,
    )
    source.add_files(it)
    source.add_source_options(it)
    it.add_argument(
        "--python",
        metavar="PATH",
        help="inspect this Python's packages instead of accel's own: an interpreter, python3.11, or the folder of a "
        "virtual environment, conda environment or uv project; with --from, on the machine of the report. It is "
        "started once, with -I -S, to get its version",
    )
    it.add_argument(
        "--all-environments",
        action="store_true",
        help="inspect every environment that has a framework: below this folder, and those of conda, pyenv and PATH. "
        "Only files are read; none is started",
    )
    it.add_argument(
        "--pid",
        type=int,
        metavar="PID",
        help="use the limits, control groups and environment variables of this process instead of accel's own",
    )
    source.add_deep(it)
    it.add_argument(
        "--fix-script",
        nargs="?",
        const="-",
        metavar="SCRIPT",
        help="write all steps in order as a bash script (PowerShell if the report is from Windows) for you to read and "
        "run: to the new file SCRIPT, or to stdout in place of the report; accel never runs it",
    )
    it.add_argument(
        "--case",
        metavar="FOLDER",
        help="also write the input and the findings to a new or empty folder that can be attached to an issue: the "
        "texts and a snapshot, with names, addresses, serial numbers and secrets replaced",
    )
    it.add_argument(
        "--verbose", action="store_true", help="show all evidence, all remedies, and the outcome of each check"
    )
    it.add_argument(
        "--ticket",
        action="store_true",
        help="add to each finding the text of a ticket for the administrator or service who has to act",
    )
    it.add_argument(
        "--fail-on",
        choices=_SEVERITIES,
        default="warning",
        help="lowest severity that gives exit code 1 (default warning)",
    )
    source.add_timeout(it, 20.0)
    return it


def run(words: list[str]) -> int:
    """Diagnose; return the exit code described in --help."""
    options = parser().parse_args(words)
    if options.fix_script is not None:
        from accel.apps.cli import fix_script

        fix_script.check_conflicts(options)
    if options.case is not None:
        from accel.apps.cli import case

        case.check_conflicts(options)
    from accel.apps.cli.output import say_problems, show_warnings_in_one_line
    from accel.collect.live import check_environment, in_environment, judged
    from accel.plugins.registry import Registry

    show_warnings_in_one_line()
    registry = Registry(os.environ, guarded=True)
    files = [] if options.all_environments and not options.words and not options.files else source.asked_files(options)
    if options.all_environments and (files or options.python):
        raise BadInput("--all-environments looks at this machine. Give it alone, or one environment by --python.")
    if options.pid is not None and files:
        raise BadInput("--pid is a process of this machine, and a text is of another. Give one of them.")
    if options.deep and options.all_environments:
        raise BadInput("--deep starts the frameworks of one environment. Name it:  accel doctor --deep --python FOLDER")
    source.check_deep(options, files)
    texts: tuple[str, ...] = ()
    if files:
        snapshot, texts = source.read_with_texts(files, registry, several=not options.python)
        if options.python:
            snapshot = in_environment(snapshot, _this_machine(), options.python)
    else:
        from accel.watch.holders.snapshot import snapshot as gathered

        snapshot = gathered(
            _this_machine(),
            registry,
            depth="deep" if options.deep else "health",
            timeout_seconds=options.timeout,
            python=options.python,
            pid=options.pid,
        )
        check_environment(snapshot, options.python)
        if options.deep:
            from accel.apps.cli.deep import tried

            snapshot = tried(snapshot, _this_machine(), registry, options.deadline)
    say_problems(registry.specs)
    if options.all_environments:
        return _each(options, snapshot, _this_machine(), registry)
    diagnosis = judged(snapshot, registry)
    if options.case is not None:
        case.write_case(options.case, snapshot, () if options.python else texts, registry)
    if options.fix_script is not None:
        fix_script.write_script(options.fix_script, snapshot, registry)
        if options.fix_script == fix_script.STDOUT:
            return exit_code(diagnosis, snapshot, options.fail_on)
    if options.json:
        from accel.apps.render.json import diagnosis_json

        sys.stdout.write(diagnosis_json(diagnosis))
    else:
        from accel.apps.render.diagnosis_text import print_diagnosis

        shown = _with_lines(diagnosis, texts)
        print_diagnosis(shown, snapshot, verbose=options.verbose, ticket=options.ticket, specs=registry.specs)
    return exit_code(diagnosis, snapshot, options.fail_on)


def _with_lines(diagnosis: "Diagnosis", texts: "tuple[str, ...]") -> "Diagnosis":
    """Return the diagnosis of a single text with the lines of its readings."""
    from accel.diagnose.located import located
    from accel.model.codec import is_snapshot

    return located(diagnosis, texts[0]) if len(texts) == 1 and not is_snapshot(texts[0]) else diagnosis


def _this_machine() -> "Machine":
    from accel.machine.live import LiveMachine  # not needed for a text

    return LiveMachine()


def _each(options: argparse.Namespace, snapshot: "Snapshot", machine: "Machine", registry: "Registry") -> int:
    """Diagnose each environment found, reading the machine only once; return the worst exit code."""
    from accel.apps.render.json import diagnoses_json
    from accel.collect.environment.nearby import environments_nearby
    from accel.collect.live import in_environment, judged
    from accel.model.dataclass import replace

    pythons = environments_nearby(machine)
    if not pythons:
        raise BadInput("No environment with a framework was found. Name one:  accel doctor --python FOLDER")
    bare = replace(snapshot, environments=(), observations=())
    codes, answers = [], []
    for number, python in enumerate(pythons):
        one = in_environment(bare, machine, python, named=False)
        diagnosis = judged(one, registry)
        codes.append(exit_code(diagnosis, one, options.fail_on))
        if options.json:
            answers.append((python, diagnosis))
            continue
        from accel.apps.render.diagnosis_text import print_diagnosis

        sys.stdout.write("\n" if number else "")
        print_diagnosis(diagnosis, one, verbose=options.verbose, ticket=options.ticket, specs=registry.specs)
    if options.json:
        sys.stdout.write(diagnoses_json(answers))
    return 1 if 1 in codes else max(codes)


def exit_code(diagnosis: "Diagnosis", snapshot: "Snapshot", fail_on: str) -> int:
    """Return 0 for nothing found, 1 for a finding of severity `fail_on` or above, 3 for undecided.

    Undecided: an unexplained error or text, a fault that may be over, or something accel could not check because a
    plugin, a reader or a check failed or a deadline was missed.
    """
    from accel.diagnose.open_questions import failures
    from accel.model.snapshot import is_empty

    lowest = _SEVERITIES.index(fail_on)
    if any(_SEVERITIES.index(f.severity) >= lowest for f in diagnosis.findings):
        return 1
    if failures(diagnosis.gaps):
        return 3
    quoted = {fact.line for finding in diagnosis.findings for fact in finding.evidence}
    left = bool(diagnosis.unexplained) or any(one.line not in quoted for one in diagnosis.ambiguous_causes)
    left |= any(one.status == "unclear" for one in diagnosis.mentioned)
    return 3 if diagnosis.verdict == "undecided" and (left or is_empty(snapshot)) else 0
