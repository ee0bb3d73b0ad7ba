"""`accel fleet`: many machines as one patient."""

import importlib
import sys
from typing import Final

from accel.apps.cli.parsing import Parser

ACTIONS: Final = {
    "merge": "merge what many nodes wrote: causes with their nodes, drift, outliers, and who did not answer",
    "doctor": "ask live nodes once, by ssh or by Ray, and merge what they say",
    "probe": "look at this node and print one line for the merge, within a deadline",
}


def parser() -> Parser:
    """Return the command's parser."""
    it = Parser(
        prog="accel fleet",
        description="Many machines as one patient: which nodes are ill, what they have in common, who did not answer. "
        "accel acts on no node: it advises.",
        allow_abbrev=False,
    )
    actions = it.add_subparsers(dest="action", metavar="ACTION", required=True)
    for name, said in ACTIONS.items():
        actions.add_parser(name, help=said, add_help=False)
    return it


def run(words: list[str]) -> int:
    """Run one action; return its exit code."""
    if not words or words[0] not in ACTIONS:
        if words and not words[0].startswith("-"):
            parser().parse_args(words[:1])
        sys.stdout.write(parser().format_help())
        return 0 if words[:1] in (["-h"], ["--help"]) else 2
    return int(importlib.import_module(f"accel.apps.cli.fleet_{words[0]}").run(words[1:]))
