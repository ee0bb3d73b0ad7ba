"""`accel fleet merge`: merges the output of many nodes."""

import argparse
import os
from typing import TYPE_CHECKING, Any

from accel.apps.cli.output import write_answer
from accel.apps.cli.parsing import share
from accel.model.errors import BadInput

if TYPE_CHECKING:
    from accel.fleet.model import Merged

_FORMATS = ("text", "json", "markdown", "html", "csv")


def add(actions: Any) -> None:
    """Add the action's parser."""
    it = actions.add_parser(
        "merge",
        help="merge the output of many nodes: causes with their nodes, drift, outliers, nodes without an answer",
        description="Merge the output of many nodes (accel fleet probe, accel snapshot, accel doctor --json; files, "
        "folders or stdin; also .gz and .zst): causes with the nodes that have them, differing versions, "
        "outlier readings compared with similar devices, and nodes that did not answer.",
        epilog="exit code: 0 all nodes are healthy, 1 something was found, 2 accel failed, 3 incomplete: a node did "
        "not answer or was only partly checked, a file could not be read, or all causes are suspect",
        allow_abbrev=False,
    )
    it.add_argument("paths", nargs="+", metavar="FILE", help="files or folders; - is stdin")
    it.add_argument(
        "--expect", nargs="+", metavar="NODES", help="nodes that should have answered: gpu[001-480], or a file"
    )
    it.add_argument("--since", nargs="+", metavar="FILE", help="the previous round: also report what changed")
    add_output(it)


def add_output(it: argparse.ArgumentParser) -> None:
    """Add the options for merging and output."""
    it.add_argument(
        "--place", metavar="FILE", help="locations of nodes, as JSON or YAML: NODES: {rack: 12, switch: s3}"
    )
    it.add_argument(
        "--max-bad-share",
        type=share,
        metavar="5%",
        help="treat a cause found on more than this share of nodes as suspect: the rule may be wrong",
    )
    it.add_argument("--format", choices=_FORMATS, default="text")
    it.add_argument("--json", action="store_const", const="json", dest="format", help="print JSON, for programs")
    it.add_argument("-o", "--output", metavar="FILE", help="write to this file instead of stdout")
    it.add_argument("--all", action="store_true", help="list every node, cause and outlier")


def run(options: argparse.Namespace) -> int:
    """Merge; return the exit code documented in --help."""
    from accel.fleet.api import merge

    merged = merge(
        options.paths,
        expected=named(options.expect),
        since=options.since or (),
        places=places(options.place),
        max_bad_share=options.max_bad_share,
    )
    return show(merged, options)


def show(merged: "Merged", options: argparse.Namespace) -> int:
    """Write the answer in the requested form; return the exit code."""
    write_answer(_rendered(merged, options), options.output)
    return exit_code(merged)


def exit_code(merged: "Merged") -> int:
    """Return 1 if a node has a finding, 3 if the round is incomplete or a rule is suspect, else 0."""
    found = [cause for cause in merged.causes if cause.severity in ("error", "warning")]
    if merged.drift or merged.outliers or any(not cause.suspect for cause in found):
        return 1
    return 3 if found or merged.problems or merged.asked > merged.totals["ok"] + merged.totals["ill"] else 0


def _rendered(merged: "Merged", options: argparse.Namespace) -> str:
    if options.format == "json":
        from accel.apps.render.fleet_tables import fleet_json

        return fleet_json(merged)
    if options.format == "html":
        from accel.apps.render.fleet_html import fleet_html

        return fleet_html(merged)
    if options.format in ("csv", "markdown"):
        from accel.apps.render.fleet_tables import fleet_csv, fleet_markdown

        return fleet_csv(merged) if options.format == "csv" else fleet_markdown(merged)
    from accel.apps.render.fleet_text import fleet_lines
    from accel.apps.render.width import page_width

    return "".join(f"{line}\n" for line in fleet_lines(merged, page_width(), everything=options.all))


def named(words: list[str] | None) -> list[str]:
    """Return the node names in the words, or in the lines of the files that they name."""
    from accel.machine.outside import read_regular

    texts = []
    for word in words or ():
        if os.path.isfile(word):
            texts += read_regular(word, 16 << 20).decode("utf-8", "replace").splitlines()
        else:
            texts.append(word)
    return [line.partition("#")[0] for line in texts]


def places(path: str | None) -> dict[str, dict[str, str]]:
    """Return nodes -> kind -> place from a JSON or YAML file."""
    if path is None:
        return {}
    from accel.specs.store import parse

    try:
        table = parse(path)
    except (OSError, ValueError) as error:
        raise BadInput(f"{path}: cannot be read: {error}.") from None
    if not isinstance(table, dict):
        raise BadInput(f"{path}: give a mapping from nodes to places: gpu[001-016]: {{rack: 12}}.")
    return table
