"""`accel plugins`: list plugins, check one, record a machine for one, create one, get a code for a new check."""

import argparse
import importlib
from typing import Any, Final

from accel.apps.cli.parsing import Parser

_ACTIONS: Final = {
    "list": "accel.apps.cli.plugins_list",
    "check": "accel.apps.cli.plugins_check",
    "record": "accel.apps.cli.plugins_record",
    "new": "accel.apps.cli.plugins_new",
    "next-code": "accel.apps.cli.plugins_next_code",
}


def parser() -> argparse.ArgumentParser:
    """Return the command's parser, with those of all actions."""
    it = Parser(prog="accel plugins", description="List installed plugins, and tools for plugin authors.")
    actions = it.add_subparsers(dest="action", metavar="ACTION", required=True)
    for module in _ACTIONS.values():
        importlib.import_module(module).add(actions)
    return it


def run(words: list[str]) -> int:
    """Run the action; return its exit code."""
    options = parser().parse_args(words or ["list"])
    action: Any = importlib.import_module(_ACTIONS[options.action])
    return int(action.run(options))
