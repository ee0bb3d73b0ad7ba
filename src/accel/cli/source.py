"""Where a command's facts come from: this machine, or the files of --from."""

import os
import select
import stat
import sys
from typing import TYPE_CHECKING, Any, Final

from accel.model.errors import BadInput

_MOST_BYTES: Final = 100_000_000  # of one file: a device or a pipe may have no end
_IDLE_SECONDS: Final = 1.0  # in which a pipe on stdin must show that it holds something

if TYPE_CHECKING:
    import argparse

    from accel.model.snapshot import Snapshot
    from accel.plugins.registry import Registry


def add_source_options(parser: "argparse.ArgumentParser") -> None:
    """Add --from and --json, which every reading command has."""
    parser.add_argument(
        "--from",
        dest="files",
        nargs="+",
        metavar="FILE",
        help="read reports, tools' outputs or saved snapshots instead of this machine; - is stdin",
    )
    parser.add_argument("--json", action="store_true", help="print JSON, for programs")


def add_files(parser: "argparse.ArgumentParser") -> None:
    """Let files be given without --from, as most people first try."""
    parser.add_argument("words", nargs="*", metavar="FILE", help="the same as --from FILE")


def asked_files(options: "argparse.Namespace") -> list[str]:
    """Return the files to read: those given, or stdin where a text is piped or redirected into it; [] for this machine.

    A pipe into which nobody has written within a second is taken for a script's idle stdin.
    """
    given = [*options.words, *(options.files or ())]
    if given or not _holds_text(sys.stdin):
        return given
    print("accel: reading the text on stdin; to look at this machine give  < /dev/null", file=sys.stderr)
    return ["-"]


def _holds_text(stream: Any) -> bool:
    try:
        descriptor = stream.fileno()
        mode, size = os.fstat(descriptor).st_mode, os.fstat(descriptor).st_size
    except (OSError, ValueError, AttributeError):  # closed, or a test's own
        return False
    if stat.S_ISREG(mode):
        return size > 0
    if not stat.S_ISFIFO(mode) or os.name != "posix":
        return False
    ready, _, _ = select.select([descriptor], [], [], _IDLE_SECONDS)
    return bool(ready) and bool(stream.buffer.peek(1))


def read_files(files: list[str], registry: "Registry") -> "Snapshot":
    """Return what the files say together. Raises BadInput naming the file that cannot be read."""
    from accel.collect.text import decode_bytes, read_texts

    return read_texts([(name, decode_bytes(name, _bytes(name))) for name in files], registry)


def taken_snapshot(options: "argparse.Namespace", registry: "Registry") -> "Snapshot":
    """Return what the files of --from say, or this machine as --deep, --python and --timeout ask; redacted unless
    --identifiers.
    """
    if options.files:
        snapshot = read_files(options.files, registry)
    else:
        from accel.collect import live as gather
        from accel.machine.live import LiveMachine

        snapshot = gather.snapshot(
            LiveMachine(),
            registry,
            depth="deep" if options.deep else "health",
            timeout_seconds=options.timeout,
            python=options.python,
        )
    if options.identifiers:
        return snapshot
    from accel.privacy.redact import redacted

    return redacted(snapshot)


def _bytes(name: str) -> bytes:
    if name == "-":
        return sys.stdin.buffer.read(_MOST_BYTES)
    try:
        with open(name, "rb") as file:
            return file.read(_MOST_BYTES)
    except OSError as error:
        raise BadInput(f"{name}: {error.strerror or error}. Give a file that can be read, or - for stdin.") from None
