"""`accel fleet`: many machines as one patient."""

import importlib
from typing import Any, Final

from accel.apps.cli.parsing import Parser

_ACTIONS: Final = ("merge", "doctor", "watch", "pairs", "collect", "probe")


def parser() -> Parser:
    """Return the command's parser, with every action's."""
    it = Parser(
        prog="accel fleet",
        description="Many machines as one patient: which nodes are ill, what they have in common, who did not answer. "
        "accel acts on no node: it advises.",
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
