"""`accel plugins check NAME`: test a plugin against its contract, and name every broken promise."""

import argparse
import os
import sys
from pathlib import Path
from typing import Any


def add(actions: "argparse._SubParsersAction[Any]") -> None:
    """Add the action's parser."""
    it = actions.add_parser(
        "check",
        help="test a plugin against its contract",
        description="Test an installed plugin in a separate process: on its recorded machines, with unreadable files, "
        "hanging tools and truncated output, and on this machine. Reports every violation with what to do, "
        "and the level reached: discover, monitor, health or diagnose.",
        epilog="Exit codes: 0 every rule of the level discover passed, 1 violations or rules not proven, 2 the plugin "
        "cannot be tested.",
    )
    it.add_argument("name", metavar="NAME", help="the plugin, as  accel plugins list  names it")
    it.add_argument(
        "--machines", metavar="FOLDER", help="recorded machines and texts to use instead of those that it ships"
    )
    it.add_argument("--rule", metavar="RULE", action="append", default=[], help="test only this rule; may be repeated")
    it.add_argument("--output", metavar="FILE", help="also write the result as JSON: ship it as conformance.json")
    it.add_argument("--json", action="store_true", help="print the result as JSON")
    it.add_argument("--verbose", action="store_true", help="also list the rules that passed")


def run(options: argparse.Namespace) -> int:
    """Test it; return 0 if all rules of the level discover pass, else 1."""
    from accel.kit.result import as_json, state_file, write_result
    from accel.kit.run import check_plugin

    result = check_plugin(options.name, machines=options.machines, rules=options.rule)
    if not result.chosen:
        _remember(lambda: write_result(result, state_file(result.plugin, os.environ)))
    if options.output:
        write_result(result, Path(options.output))
    if options.json:
        sys.stdout.write(as_json(result))
    else:
        from accel.apps.render.console import console
        from accel.kit.text import print_result

        print_result(result, console(), verbose=options.verbose)
    if result.chosen:
        return 1 if any(outcome.status in ("failed", "not proven") for outcome in result.outcomes) else 0
    return 0 if result.level else 1


def _remember(write: Any) -> None:
    """Save the result for `accel plugins list`; ignore a home folder that is not writable."""
    from accel.model.errors import BadInput

    try:
        write()
    except BadInput as error:
        print(f"accel: the result is not kept for  accel plugins list: {error}", file=sys.stderr)
