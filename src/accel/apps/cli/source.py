"""The source of a command's facts: this machine, or the files of --from."""

import os
import stat
import sys
from contextlib import contextmanager
from typing import TYPE_CHECKING, Any, Final

from accel.model.dataclass import replace
from accel.model.device import Gap
from accel.model.errors import BadInput

MOST_BYTES: Final = 24_000_000  # per file: a device or a pipe may be endless
RECORD_BEGINS: Final = b"accel-readings 1\n"  # as in accel.watch.sampling.record, which only recordings load
_PATIENCE_SECONDS: Final = 10.0  # for a named pipe or device
_QUIET_SECONDS: Final = 1.0  # before saying what is being read
_IDLE_SECONDS: Final = 1.0  # for a pipe on stdin to have data

if TYPE_CHECKING:
    import argparse
    from collections.abc import Iterator

    from accel.model.snapshot import Snapshot
    from accel.plugins.registry import Registry


def add_source_options(parser: "argparse.ArgumentParser") -> None:
    """Add --from and --json, which all reading commands share."""
    add_from(parser)
    parser.add_argument("--json", action="store_true", help="print JSON, for programs")


def add_from(parser: "argparse.ArgumentParser") -> None:
    """Add --from."""
    parser.add_argument(
        "--from",
        dest="files",
        nargs="+",
        metavar="FILE",
        help="read reports, tool output, saved snapshots, benchmarks or recordings of accel watch instead of this "
        "machine; - is stdin",
    )


def add_timeout(parser: "argparse.ArgumentParser", default_seconds: float, of: str = "the probes") -> None:
    """Add --timeout, in seconds or as "2m"."""
    from accel.apps.cli.parsing import add_seconds

    add_seconds(parser, "--timeout", default_seconds, f"deadline of {of}")


def add_deep(parser: "argparse.ArgumentParser") -> None:
    """Add --deep and --deadline."""
    from accel.apps.cli.parsing import seconds

    parser.add_argument(
        "--deep",
        action="store_true",
        help="also run each framework of the environment in child processes: import, device list, matrix "
        "multiplication in each number format, convolution, FFT, a solver, copies, a collective. A hang, a crash "
        "or a wrong result is a finding",
    )
    parser.add_argument(
        "--deadline",
        type=seconds,
        metavar="SECONDS",
        help="time limit for all steps of --deep (default 300); results up to then are kept",
    )


def check_deep(options: "argparse.Namespace", files: "list[str] | None") -> None:
    """Raise BadInput for --deep with a text, and for --deadline without --deep."""
    if options.deep and files:
        raise BadInput("--deep runs programs on this machine, and a text is of another. Give one of them.")
    if options.deadline and not options.deep:
        raise BadInput("--deadline is of the steps of --deep. Add it; the deadline of the probes is  --timeout")


def add_files(parser: "argparse.ArgumentParser") -> None:
    """Accept files without --from, as most people try first."""
    parser.add_argument("words", nargs="*", metavar="FILE", help="the same as --from FILE")


def asked_files(options: "argparse.Namespace") -> list[str]:
    """Return the files to read: those given, or stdin if a text is piped or redirected into it; [] for this machine.

    A pipe without data within a second is taken for a script's idle stdin.
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
    except (OSError, ValueError, AttributeError):  # closed, or replaced by a test
        return False
    if stat.S_ISREG(mode):
        return size > 0
    if not stat.S_ISFIFO(mode) or os.name != "posix":
        return False
    from accel.machine.descriptors import readable

    return bool(readable([descriptor], _IDLE_SECONDS)) and bool(stream.buffer.peek(1))


def read_files(files: list[str], registry: "Registry") -> "Snapshot":
    """Return the merged snapshot of the files. Raises BadInput naming a file that cannot be read."""
    return read_with_texts(files, registry)[0]


def read_redacted(files: list[str], registry: "Registry") -> "Snapshot":
    """Return the merged snapshot of the files, redacted before parsing: in the text, names appear next to their values.

    Raises BadInput naming a file that cannot be read.
    """
    from accel.apps.privacy.redact import redacted
    from accel.apps.privacy.texts import redacted_texts
    from accel.collect.text import read_texts
    from accel.model.codec import is_snapshot

    with _progress(files):
        texts, gaps = _texts_of(files, registry)
        shown = iter(redacted_texts([text for _, text in texts if not is_snapshot(text)]))
        texts = [(name, text if is_snapshot(text) else next(shown)) for name, text in texts]
        snapshot = read_texts(texts, registry)
    return redacted(replace(snapshot, gaps=(*snapshot.gaps, *gaps)) if gaps else snapshot)


def read_one_machine(files: list[str], registry: "Registry") -> "Snapshot":
    """Return the merged snapshot of the files. Raises BadInput also if they list devices of several machines."""
    from accel.facts.devices_apart import devices_apart

    snapshot = read_files(files, registry)
    listings = devices_apart(snapshot)
    if len(listings) > 1:
        told = "; ".join(one.says or "" for one in listings)
        raise BadInput(
            f"{', '.join(files)}: it contains devices of several machines or times: {told}. Pass one part; to "
            "list all of them separately:  accel devices --from FILE"
        )
    return snapshot


def read_with_texts(
    files: list[str], registry: "Registry", several: bool = False
) -> "tuple[Snapshot, tuple[str, ...]]":
    """Return the merged snapshot of the files, and the text of each. Raises BadInput naming a file that cannot be read.

    several  whether saved snapshots may come from several machines
    """
    from accel.collect.text import read_texts

    with _progress(files):
        texts, gaps = _texts_of(files, registry)
        snapshot = read_texts(texts, registry, several=several)
    whole = replace(snapshot, gaps=(*snapshot.gaps, *gaps)) if gaps else snapshot
    return whole, tuple(text for _, text in texts)


def _texts_of(files: list[str], registry: "Registry") -> "tuple[list[tuple[str, str]], list[Gap]]":
    """Return (name, text) of each file, and gaps for what was not read."""
    from accel.collect.text import decode_bytes
    from accel.model.codec import is_bench

    texts: list[tuple[str, str]] = []
    gaps: list[Gap] = []
    for name in files:
        data, whole = stranger_bytes(name)
        if data.startswith(RECORD_BEGINS):
            texts.append((name, _recorded(name, registry)))
            continue
        text = decode_bytes(name, data)
        if is_bench(text):
            texts.append((name, _measured(name, text, registry, alone=len(files) == 1)))
            continue
        texts.append((name, text))
        if not whole:
            reason = (
                f"it is longer than {MOST_BYTES:,} bytes; of a file the first and last half of them were read, "
                "of a pipe the first; line numbers count what was read. Pass the relevant part:  grep -n -i -E "
                "'nvidia|cuda|npu|tpu|error' FILE"
            )
            gaps.append(Gap(fact=name, reason=reason, source=name))
    return texts, gaps


def is_record_file(name: str) -> bool:
    """Return whether a file is a recording of accel watch."""
    try:
        return stranger_bytes(name)[0].startswith(RECORD_BEGINS)
    except BadInput:
        return False


def _recorded(name: str, registry: "Registry") -> str:
    """Return a recording of accel watch as the text of a snapshot of its last moment. Raises BadInput."""
    from accel.collect.live import device_types
    from accel.machine.live import LiveMachine
    from accel.model.codec import encode_snapshot
    from accel.watch.sampling.record import Record
    from accel.watch.sampling.replay import snapshot_of

    if name == "-":
        raise BadInput("a record of accel watch cannot be read from stdin. Give its file:  --from FILE")
    return encode_snapshot(snapshot_of(Record(LiveMachine(), name, device_types(registry))))


def _measured(name: str, text: str, registry: "Registry", *, alone: bool) -> str:
    """Return a saved benchmark as the text of a snapshot of the time it was made. Raises BadInput."""
    from accel.collect.live import device_types
    from accel.measure.bench.facts import snapshot_of
    from accel.measure.bench.saved import decoded
    from accel.model.codec import encode_snapshot

    return encode_snapshot(snapshot_of(decoded(text, name), name, device_types(registry), alone=alone))


def taken_snapshot(options: "argparse.Namespace", registry: "Registry") -> "Snapshot":
    """Return the snapshot of the --from files, or of this machine with --deep, --python and --timeout.

    It is redacted unless --identifiers is given.
    """
    if options.files:
        read = read_files if options.identifiers else read_redacted
        return read(options.files, registry)
    from accel.collect import live as gather
    from accel.machine.live import LiveMachine
    from accel.watch.holders.snapshot import snapshot as gathered

    machine = LiveMachine()
    snapshot = gathered(
        machine,
        registry,
        depth="deep" if options.deep else "health",
        timeout_seconds=options.timeout,
        python=options.python,
    )
    gather.check_environment(snapshot, options.python)
    if options.deep:
        from accel.apps.cli.deep import tried

        snapshot = tried(snapshot, machine, registry, options.deadline)
    if options.identifiers:
        return snapshot
    from accel.apps.privacy.redact import redacted

    return redacted(snapshot)


def stranger_bytes(name: str) -> tuple[bytes, bool]:
    """Return at most MOST_BYTES of a file, pipe or stdin ("-"), and whether that is all of it. Raises BadInput."""
    if name == "-":
        data = sys.stdin.buffer.read(MOST_BYTES)
        return data, len(data) < MOST_BYTES
    from accel.machine.outside import NoData, read_ends

    if name.startswith(("http://", "https://")):
        raise BadInput(f"{name}: accel opens no addresses. Save the text, and give its file; or pipe it in.")
    try:
        return read_ends(name, MOST_BYTES, _PATIENCE_SECONDS)
    except NoData:
        raise BadInput(
            f"{name}: nothing arrived in {_PATIENCE_SECONDS:.0f} seconds. Write into it first, or pass a file."
        ) from None
    except OSError as error:
        raise BadInput(f"{name}: {error.strerror or error}. Give a file that can be read, or - for stdin.") from None


@contextmanager
def _progress(files: list[str]) -> "Iterator[None]":
    """Say what is being read if it takes more than a second and stderr is a terminal."""
    if not sys.stderr.isatty():
        yield
        return
    from threading import Timer

    words = f"accel: reading {ascii(', '.join(files))[1:60]} ..."
    shown: list[int] = []

    def show() -> None:
        shown.append(sys.stderr.write(words))
        sys.stderr.flush()

    timer = Timer(_QUIET_SECONDS, show)
    timer.daemon = True
    timer.start()
    try:
        yield
    finally:
        timer.cancel()
        timer.join()
        if shown:
            sys.stderr.write("\r" + " " * len(words) + "\r")
            sys.stderr.flush()
