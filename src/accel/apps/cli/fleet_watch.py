"""`accel fleet watch`: repeated rounds over live nodes, with a line for each change."""

import argparse
import time
from collections import Counter
from collections.abc import Callable, Iterator
from contextlib import ExitStack
from typing import TYPE_CHECKING, Any

from accel.apps.cli import fleet_merge
from accel.apps.cli.fleet_doctor import add_carriers, asked, ray_of
from accel.apps.cli.parsing import add_seconds
from accel.apps.cli.stopping import Stop
from accel.model.errors import BadInput

if TYPE_CHECKING:
    from accel.apps.serve.fleet_metrics import WatchedRound
    from accel.apps.serve.fleet_server import FleetServer
    from accel.fleet.changes import Change
    from accel.fleet.model import Merged, NodeAnswer
    from accel.machine.growing import GrowingFile


def add(actions: Any) -> None:
    """Add the action's parser."""
    from accel.apps.cli.serve import add_gate

    it = actions.add_parser(
        "watch",
        help="probe live nodes repeatedly: one line per change, and metrics for Prometheus",
        description="Probe live nodes repeatedly, over ssh, a Ray cluster or Slurm. Prints one line per change: a node "
        "that vanished or returned, became faulty or recovered, changed a version, or lost a device. A "
        "node that returns is compared with its last answer.",
        epilog="exit code: 0 if ended by --rounds or a signal, 2 if it could not start or write. On Ctrl-C and SIGTERM "
        "everything is written, and nothing is left on the nodes.",
        allow_abbrev=False,
    )
    add_carriers(it)
    it.add_argument("--expect", nargs="+", metavar="NODES", help="further nodes that should answer, or a file of them")
    add_seconds(it, "--deadline", 60.0, "time limit for one round")
    it.add_argument(
        "--every",
        default="60s",
        metavar="TIME",
        help="time from the start of one round to the next: 1s to 24h (default 60s)",
    )
    it.add_argument("--rounds", type=int, metavar="N", help="stop after this many rounds")
    it.add_argument("--jsonl", metavar="FILE", help="also write changes and rounds as JSON lines; - is stdout")
    it.add_argument(
        "--serve", metavar="HOST:PORT", help="serve the metrics of the last round for Prometheus at /metrics"
    )
    add_gate(it)


def run(options: argparse.Namespace) -> int:
    """Watch until interrupted; return the exit code documented in --help."""
    from accel.machine.growing import CannotWrite

    every = _checked(options)
    with ExitStack() as stack:
        answers = _answers(options, stack)  # first: Ray takes SIGTERM for itself when it is connected to
        stop = stack.enter_context(Stop())
        lines = _lines(options, stack)
        server = _server(options, every, stack)
        try:
            for watched, changes in _rounds(options, every, stop, answers):
                if server is not None:
                    server.show(watched)
                for write in lines:
                    write(watched, changes)
        except CannotWrite as error:
            raise BadInput(f"{error.strerror} Make room, or give another place.") from None
    return 0


def _checked(options: argparse.Namespace) -> float:
    """Return the seconds between two rounds. Raises BadInput for an invalid value."""
    from accel.text.durations import seconds_of

    every = seconds_of(options.every)
    if every is None or not 1 <= every <= 86400:
        raise BadInput(f"--every {options.every}: give 1s to 24h, such as 30s or 5m.")
    if options.rounds is not None and options.rounds < 1:
        raise BadInput(f"--rounds {options.rounds}: give 1 or more.")
    return every


def _answers(options: argparse.Namespace, stack: ExitStack) -> "Callable[[], Iterator[NodeAnswer]]":
    """Return the function that runs a round. With Ray, actors stay on the nodes between rounds."""
    from accel.fleet.node import expected_names

    if not options.ray:
        return lambda: asked(options)[1]
    from accel.fleet.carriers.ray_actors import RayActors

    actors = stack.enter_context(RayActors(ray_of(options)))
    expected = expected_names(fleet_merge.named(options.expect))
    return lambda: actors.answers(expected, options.deadline)


def _rounds(
    options: argparse.Namespace, every: float, stop: Stop, answers: "Callable[[], Iterator[NodeAnswer]]"
) -> "Iterator[tuple[WatchedRound, tuple[Change, ...]]]":
    """Yield each round with its changes. A failed round, as when Slurm does not respond, is reported and skipped."""
    from accel.apps.cli.output import say
    from accel.apps.serve.fleet_metrics import WatchedRound
    from accel.fleet.changes import Seen, advanced
    from accel.fleet.node import expected_names

    expected = expected_names(fleet_merge.named([*(options.hosts or ()), *(options.expect or ())]))
    seen: dict[str, Seen] = {}
    counts: Counter[str] = Counter()
    number = 0
    while not stop.asked:
        moment, start = time.time(), time.monotonic()
        try:
            merged = _one(answers, expected, options, stop)
        except BadInput as error:
            if not number:
                raise
            say(f"no round: {error}")
            merged = None
        if stop.asked:
            return
        if merged is not None:
            number += 1
            seen, changes = advanced(seen, merged.rows, moment, first=number == 1)
            counts.update(change.kind for change in changes)
            yield (
                WatchedRound(
                    merged=merged,
                    seen=seen,
                    number=number,
                    moment=moment,
                    seconds=time.monotonic() - start,
                    changes=dict(counts),
                ),
                changes,
            )
        if number == options.rounds or stop.waited(start + every - time.monotonic()):
            return


def _one(
    answers: "Callable[[], Iterator[NodeAnswer]]", expected: tuple[str, ...], options: argparse.Namespace, stop: Stop
) -> "Merged | None":
    """Return one round; None if a signal interrupted it, after ending what it had started."""
    from accel.fleet.merging import merge

    round_ = answers()
    stop.raises = True
    try:
        return merge(round_, expected=expected)
    except KeyboardInterrupt:
        return None
    finally:
        stop.raises = False
        round_.close()  # type: ignore[attr-defined]  # a generator


def _lines(options: argparse.Namespace, stack: ExitStack) -> "list[Callable[[WatchedRound, tuple[Change, ...]], None]]":
    """Return the function that writes a round's lines."""
    from accel.apps.render.fleet_changes import changes_jsonl, changes_lines

    def text(watched: "WatchedRound", changes: "tuple[Change, ...]") -> None:
        print("".join(f"{line}\n" for line in changes_lines(watched, changes)), end="", flush=True)

    def json_out(watched: "WatchedRound", changes: "tuple[Change, ...]") -> None:
        print(changes_jsonl(watched, changes), end="", flush=True)

    if options.jsonl == "-":
        return [json_out]
    if not options.jsonl:
        return [text]
    file = _file(options.jsonl)
    stack.callback(file.close)

    def json_file(watched: "WatchedRound", changes: "tuple[Change, ...]") -> None:
        file.append(changes_jsonl(watched, changes).encode("utf-8", "replace"))

    return [text, json_file]


def _file(path: str) -> "GrowingFile":
    """Return the file to append to, without a partial line at its end."""
    from accel.machine.growing import GrowingFile

    try:
        file = GrowingFile(path)
        file.cut_half_a_line()
    except OSError as error:
        raise BadInput(f"{path}: {error.strerror or error}. Give a file that can be written.") from None
    return file


def _server(options: argparse.Namespace, every: float, stack: ExitStack) -> "FleetServer | None":
    if not options.serve:
        return None
    from accel.apps.cli.extras import check_extra
    from accel.apps.cli.output import say
    from accel.apps.cli.serve import gate_of
    from accel.apps.serve.fleet_server import FleetServer
    from accel.apps.serve.run import listening

    check_extra("serve", "accel fleet watch --serve", "prometheus_client")
    host, _, port = options.serve.rpartition(":")
    options.host = host.strip("[]")
    if not options.host or not port.isdecimal() or int(port) > 65535:
        raise BadInput(f"--serve {options.serve}: give HOST:PORT, such as 127.0.0.1:9836.")
    gate = gate_of(options)
    place = f"--serve {options.serve}"
    listener, shown = listening(options.host, int(port), place, "Give another port or host.")
    say(f"metrics at http://{shown}/metrics")
    return stack.enter_context(FleetServer(listener, gate, every))
