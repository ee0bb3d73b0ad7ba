"""`accel snapshot`: all facts of this machine as one JSON document that is safe to share."""

import argparse
import os

from accel.apps.cli.output import write_answer
from accel.apps.cli.parsing import Parser
from accel.apps.cli.source import add_deep, add_timeout, check_deep, taken_snapshot


def parser() -> argparse.ArgumentParser:
    """Return the command's parser."""
    it = Parser(
        prog="accel snapshot",
        description="Write everything known about this machine as one JSON document, which  accel doctor --from FILE  "
        "reads. Host and user names, serial numbers, unique IDs, addresses and secrets are replaced unless "
        "--identifiers is given.",
    )
    it.add_argument(
        "--from", dest="files", nargs="+", metavar="FILE", help="build the document from these texts instead"
    )
    it.add_argument("--identifiers", action="store_true", help="keep names, serial numbers, unique IDs and addresses")
    it.add_argument("--output", "-o", metavar="FILE", help="write to this file instead of stdout")
    it.add_argument("--python", metavar="PATH", help="inspect this interpreter's packages instead of accel's own")
    add_deep(it)
    it.add_argument("--json", action="store_true", help="accepted for consistency: the document is always JSON")
    add_timeout(it, 20.0)
    return it


def run(words: list[str]) -> int:
    """Write the snapshot."""
    options = parser().parse_args(words)
    check_deep(options, options.files)
    from accel.model.codec import encode_snapshot
    from accel.plugins.registry import Registry

    registry = Registry(os.environ, guarded=True)
    snapshot = taken_snapshot(options, registry)
    write_answer(encode_snapshot(snapshot), options.output)
    return 0
