"""`accel fleet`: many machines as one patient."""

import importlib
from typing import Any, Final

from accel.apps.cli.parsing import Parser

_ACTIONS: Final = ("merge", "doctor", "watch", "pairs", "collect", "probe")


def parser() -> Parser:
    """Return the command's parser, with every action's."""
    it = Parser(
        prog="accel fleet",
        description="Diagnose many machines together: which nodes are faulty, what they have in common, which did not "
        "answer. accel changes nothing on any node.",
        allow_abbrev=False,
    )
    actions = it.add_subparsers(dest="action", metavar="ACTION", required=True)
    for name in _ACTIONS:
        _module(name).add(actions)
    return it


def run(words: list[str]) -> int:
    """Run the action; return its exit code."""
    options = parser().parse_args(words)
    return int(_module(options.action).run(options))


def _module(name: str) -> Any:
    return importlib.import_module(f"accel.apps.cli.fleet_{name}")
