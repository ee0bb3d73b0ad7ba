"""`accel plugins check NAME`: try a plugin against its contract, and name every broken promise."""

import argparse
import os
import sys
from pathlib import Path
from typing import Any


def add(actions: "argparse._SubParsersAction[Any]") -> None:
    """Add the action's parser."""
    it = actions.add_parser(
        "check",
        help="try a plugin against its contract",
        description="Try an installed plugin in a process of its own: on its recorded machines, with files "
        "closed, tools "
        "hanging, output cut, and on this machine. Names every fault and what to do, and the level reached: "
        "discover, monitor, health or diagnose.",
        epilog="Exit codes: 0 every rule of the level discover passed, 1 faults or not proven, 2 it cannot be tried.",
    )
    it.add_argument("name", metavar="NAME", help="the plugin, as  accel plugins list  names it")
    it.add_argument("--machines", metavar="FOLDER", help="recorded machines and texts, instead of those that it ships")
    it.add_argument("--rule", metavar="RULE", action="append", default=[], help="judge this rule only; may be repeated")
    it.add_argument("--output", metavar="FILE", help="write the result there too, as JSON: ship it as conformance.json")
    it.add_argument("--json", action="store_true", help="print the result as JSON")
    it.add_argument("--verbose", action="store_true", help="list the rules that passed too")


def run(options: argparse.Namespace) -> int:
    """Try it; 0 if all rules of the level discover hold, else 1."""
    from accel.kit.result_file import as_json, state_file, write_result
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
    """Keep the result for `accel plugins list`; a home that cannot be written to is no reason to fail."""
    from accel.model.errors import BadInput

    try:
        write()
    except BadInput as error:
        print(f"accel: the result is not kept for  accel plugins list: {error}", file=sys.stderr)
