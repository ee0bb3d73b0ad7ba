"""`accel watch`: devices over time, on the terminal, in tables, as a recording, as a picture."""

import argparse
import os
import sys
from collections.abc import Iterable, Iterator, Sequence
from contextlib import ExitStack
from typing import TYPE_CHECKING, Any, Final

from accel.apps.cli.parsing import Parser
from accel.apps.cli.stopping import Stop
from accel.machine.growing import CannotWrite
from accel.model.errors import BadInput

if TYPE_CHECKING:
    from accel.apps.cli.watch_files import Form
    from accel.apps.render.columns import Column
    from accel.plugins.registry import Registry
    from accel.vendors.contract.backend import Depth
    from accel.vendors.contract.watching import Wanted
    from accel.watch.sampling.engine import Engine
    from accel.watch.sampling.tick import Tick

_KEEP: Final = 9
_LEAST_ROTATION: Final = 4096


def parser() -> argparse.ArgumentParser:
    """Return the command's parser."""
    it = Parser(
        prog="accel watch",
        description="Monitor devices over time. On a terminal, a table that is updated in place; elsewhere, one line "
        "per device and tick. Busy is the share of time in which anything ran on a device; saturated is "
        "how much of the device was active (with --activity). A dash means unknown; the column why has the "
        "reason.",
        epilog="exit code: 0 if ended by --count, a signal or the end of a replay; 2 if it could not read or write. On "
        "Ctrl-C and SIGTERM everything is written before it ends.",
        allow_abbrev=False,
    )
    it.add_argument(
        "devices",
        nargs="*",
        metavar="DEVICE",
        help="an ID, a UUID or its beginning, a PCI address, cuda:1, or an index (default: every accelerator); all: "
        "the CPU too",
    )
    it.add_argument(
        "--interval", "-i", default="1s", metavar="TIME", help="time between ticks: 100ms to 24h (default 1s)"
    )
    it.add_argument("--count", "-n", type=int, metavar="N", help="stop after this many ticks")
    it.add_argument(
        "--activity",
        action="store_true",
        help="also read how much of the chip is active, where the hardware reports it",
    )
    it.add_argument("--links", action="store_true", help="also read PCIe and link traffic: slow with old drivers")
    it.add_argument(
        "--csv", metavar="FILE", help="write one CSV line per device and tick, with units in the header; - is stdout"
    )
    it.add_argument("--jsonl", metavar="FILE", help="write JSON lines; - is stdout")
    it.add_argument("--json", action="store_true", help="the same as --jsonl -")
    it.add_argument(
        "--query",
        metavar="COLUMNS",
        help="columns to write, by accel's names or those of nvidia-smi --query-gpu: timestamp,name,utilization.gpu",
    )
    it.add_argument(
        "--rotate-size",
        metavar="SIZE",
        help="start a new file at this size, such as 100MB; the old one gets the suffix .1",
    )
    it.add_argument("--rotate-keep", type=int, default=_KEEP, metavar="N", help=f"old files to keep (default {_KEEP})")
    it.add_argument("--record", metavar="FILE", help="record all readings in a compact file, for --replay and --from")
    it.add_argument("--replay", metavar="FILE", help="show a recording instead of this machine")
    it.add_argument("--speed", type=float, metavar="X", help="playback speed of a replay on a terminal (default 1)")
    it.add_argument(
        "--plot", metavar="FILE", help="plot the readings when it ends: .svg, or .png with resvg_py; needs no display"
    )
    return it


def run(words: list[str]) -> int:
    """Watch until told to stop."""
    options = parser().parse_args(words)
    interval_seconds, rotate_bytes = _checked(options)
    from accel.plugins.registry import Registry

    registry = Registry(os.environ, guarded=True)
    columns = _columns(options, registry)
    with ExitStack() as stack:
        stop = stack.enter_context(Stop())
        ticks: Iterable[Tick]
        if options.replay:
            ticks = _replayed(options, registry, stop)
        else:
            from accel.machine.live import LiveMachine
            from accel.watch.sampling.engine import Engine

            depth: Depth = "health" if any(column.own for column in columns or ()) else "devices"
            engine = stack.enter_context(
                Engine(
                    LiveMachine(),
                    registry,
                    options.devices,
                    interval_seconds=interval_seconds,
                    wanted=_wanted(options, columns),
                    depth=depth,
                )
            )
            _check_watched(engine, options.devices)
            ticks = engine.ticks(options.count, stop.waited)
        sinks = _sinks(options, columns, interval_seconds, rotate_bytes)
        for sink in sinks:
            stack.callback(sink.close)
        try:
            for tick in ticks:
                for sink in sinks:
                    sink.write(tick)
                if stop.asked:
                    break
        except CannotWrite as error:
            raise BadInput(f"{error.strerror} Make room, or give another place.") from None
    return 0


def _check_watched(engine: "Engine", named: Sequence[str]) -> None:
    """Raise BadInput if there is nothing to watch, or only the CPU because the accelerators do not respond."""
    if not engine.devices:
        raise BadInput("No device was found to watch. Find out why:  accel doctor")
    if engine.failed and not named and all(device.kind == "cpu" for device in engine.devices):
        raise BadInput(
            f"No accelerator can be watched: {engine.failed[0]}. What to do:  accel doctor   "
            "To watch the processor all the same:  accel watch all"
        )


def _checked(options: argparse.Namespace) -> tuple[float, int | None]:
    """Return the interval and the rotation size. Raises BadInput for invalid values."""
    from accel.text.amounts import size_bytes
    from accel.text.durations import seconds_of

    seconds = seconds_of(options.interval)
    if seconds is None or not 0.1 <= seconds <= 86400:
        raise BadInput(f"--interval {options.interval}: give 100ms to 24h, such as 0.5s, 10s or 5m.")
    if options.count is not None and options.count < 1:
        raise BadInput(f"--count {options.count}: give 1 or more.")
    if options.json and options.jsonl:
        raise BadInput("--json is --jsonl -. Give one of them.")
    options.jsonl = "-" if options.json else options.jsonl
    if options.csv == "-" and options.jsonl == "-":
        raise BadInput("Both --csv and --jsonl would write to stdout. Give one of them a file.")
    if options.query and not (options.csv or options.jsonl):
        options.csv = "-"
    if options.replay and (options.record or options.activity or options.links):
        raise BadInput("--replay shows what was recorded: it goes without --record, --activity and --links.")
    if options.speed is not None and (not options.replay or not options.speed > 0):
        raise BadInput("--speed is for --replay, and above 0:  accel watch --replay FILE --speed 10")
    if options.plot and not options.plot.lower().endswith((".svg", ".png")):
        raise BadInput(f"--plot {options.plot}: it draws SVG and PNG. Let it end in .svg or .png.")
    if options.plot and options.plot.lower().endswith(".png"):
        from accel.apps.cli.extras import check_extra

        check_extra("plot", "a PNG by accel watch --plot", "resvg_py")
    rotate_bytes = None
    if options.rotate_size is not None:
        rotate_bytes = size_bytes(options.rotate_size)
        if rotate_bytes is None or rotate_bytes < _LEAST_ROTATION:
            raise BadInput(f"--rotate-size {options.rotate_size}: give 4KB or more, such as 100MB.")
    if options.rotate_keep < 1:
        raise BadInput(f"--rotate-keep {options.rotate_keep}: give 1 or more.")
    return seconds, rotate_bytes


def _columns(options: argparse.Namespace, registry: "Registry") -> "tuple[Column, ...] | None":
    """Return the columns of --query, or CSV's default ones; None for JSON lines with everything."""
    if not options.csv and not options.query:
        return None
    from accel.apps.cli.devices import vendors_columns
    from accel.apps.render.columns import WATCHED, columns_of

    usual = [*WATCHED]
    if options.activity:
        usual[6:6] = ["saturation", "tensor.active", "memory.bandwidth"]
    if options.links:
        usual[-5:-5] = ["pcie.sent", "pcie.received", "link.sent", "link.received"]

    return columns_of(options.query, usual, lambda: vendors_columns(registry))


def _wanted(options: argparse.Namespace, columns: "Sequence[Column] | None") -> "Wanted":
    from accel.vendors.contract.watching import Wanted

    asked = columns or ()
    return Wanted(
        links=options.links or any(column.links for column in asked),
        activity=options.activity or any(column.activity for column in asked),
    )


def _sinks(
    options: argparse.Namespace, columns: "Sequence[Column] | None", interval_seconds: float, rotate_bytes: int | None
) -> list[Any]:
    """Return the sinks for ticks, each with write(tick) and close()."""
    from accel.apps.cli.watch_files import Csv, JsonLines, Stdout, Table

    sinks: list[Any] = []
    if options.record:
        from accel.apps.cli.output import say
        from accel.watch.sampling.record import Recorder

        recorder = Recorder(options.record, interval_seconds)
        if recorder.cut:
            say(
                f"{options.record}: {recorder.cut} damaged bytes at its end were removed; recording continues "
                "after them"
            )
        sinks.append(recorder)
    forms: list[tuple[str | None, Form]] = []
    if options.csv:
        forms.append((options.csv, Csv(columns or ())))
    if options.jsonl:
        forms.append((options.jsonl, JsonLines(columns if options.query else None)))
    for path, form in forms:
        table = Stdout(form) if path == "-" else None
        sinks.append(table or Table(str(path), form, rotate_bytes=rotate_bytes, keep=options.rotate_keep))
    if options.plot:
        from accel.apps.cli.watch_files import Plot

        sinks.append(Plot(options.plot))
    if "-" not in (options.csv, options.jsonl) and (sys.stdout.isatty() or not sinks):
        from accel.apps.cli.watch_screen import Lines, Screen

        kind = Screen if sys.stdout.isatty() else Lines
        sinks.append(kind(activity=options.activity, links=options.links))
    return sinks


def _replayed(options: argparse.Namespace, registry: "Registry", stop: Stop) -> "Iterator[Tick]":
    """Yield the ticks of a recording: in real time on a terminal, else as fast as they are read."""
    from itertools import islice

    from accel.apps.cli.output import say
    from accel.collect.live import device_types
    from accel.machine.live import LiveMachine
    from accel.watch.sampling.record import Record
    from accel.watch.sampling.replay import only, paced

    record = Record(LiveMachine(), options.replay, device_types(registry))
    ticks = only(record.ticks(), record.devices, options.devices)
    to_stdout = "-" in (options.csv, options.jsonl)
    if options.speed is not None or (sys.stdout.isatty() and not to_stdout):
        ticks = paced(ticks, options.speed or 1.0, stop.waited)
    yield from islice(ticks, options.count)
    if record.lost:
        say(f"{options.replay}: {record.lost:,} bytes of it are damaged; what could be read was shown")
