"""`accel snapshot`: all facts of this machine as one JSON document that is safe to share."""

import argparse
import os
import sys

from accel.apps.cli.parsing import Parser
from accel.apps.cli.source import add_deep, add_timeout, check_deep, taken_snapshot
from accel.model.errors import BadInput


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
    _write(encode_snapshot(snapshot), options.output)
    return 0


def _write(text: str, path: str | None) -> None:
    if path is None:
        sys.stdout.write(text)
        return
    try:
        with open(path, "w", encoding="utf-8") as file:
            file.write(text)
    except OSError as error:
        raise BadInput(f"{path}: {error.strerror or error}. Give a path that can be written:  -o FILE") from None
