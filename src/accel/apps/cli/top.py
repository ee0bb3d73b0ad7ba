"""`accel top`: devices and the processes on them, live, full screen."""

import os
import sys
from typing import TYPE_CHECKING

from accel.model.errors import BadInput

if TYPE_CHECKING:
    import argparse

    from accel.apps.screen.source import Live, Replayed


def parser() -> "argparse.ArgumentParser":
    """Return the command's parser."""
    from accel.apps.cli.parsing import Parser

    it = Parser(
        prog="accel top",
        description="Interactive full-screen monitor of devices, their processes and recent history, with keyboard and "
        "mouse: sort, filter, end a process after confirmation. Busy is the share of time in which "
        "anything ran on a device; saturated is how much of the device was active. A dash means unknown. "
        "Needs Textual (textual>=1).",
        epilog="exit code: 0, or 2 if it could not start: no terminal, no Textual, no such recording",
        allow_abbrev=False,
    )
    it.add_argument(
        "devices", nargs="*", metavar="DEVICE", help="only these devices: an ID, a UUID, a PCI address, cuda:1"
    )
    it.add_argument(
        "--interval", "-i", default="1s", metavar="TIME", help="time between updates: 100ms to 24h (default 1s)"
    )
    it.add_argument("--links", action="store_true", help="show PCIe and link traffic: slow with old drivers")
    it.add_argument("--replay", metavar="FILE", help="replay a recording of  accel watch --record FILE")
    return it


def run(words: list[str]) -> int:
    """Show the screen until the user leaves it."""
    from accel.apps.cli.extras import check_extra
    from accel.text.durations import seconds_of

    options = parser().parse_args(words)
    interval_seconds = seconds_of(options.interval)
    if interval_seconds is None or not 0.1 <= interval_seconds <= 86400:
        raise BadInput(f"--interval {options.interval}: give 100ms to 24h, such as 0.5s, 10s or 5m.")
    if options.replay and options.links:
        raise BadInput("--replay shows what was recorded: it goes without --links.")
    check_extra("top", "accel top", "textual")
    _check_terminal()
    source = _source(options, interval_seconds)
    try:
        from accel.apps.screen.app import Top
        from accel.machine.foreground import give_back_stdout

        give_back_stdout()  # Textual reads the terminal size from it
        top = Top(source)
        top.view.links = options.links
        top.run()
    finally:
        source.close()
    if top.crash is not None:
        raise top.crash
    if top.fault is not None:
        raise BadInput(top.fault)
    return 0


def _check_terminal() -> None:
    streams = (sys.__stdin__, sys.stdout, sys.__stderr__)
    if any(stream is None or not stream.isatty() for stream in streams):
        raise BadInput("accel top needs a terminal. For a pipe or a file:  accel watch")
    encoding = str(getattr(sys.__stderr__, "encoding", None) or "ascii").lower()
    if not encoding.startswith("utf"):  # Textual would fail at the first curve
        raise BadInput(f"accel top draws with signs that {encoding} lacks. Type:  LC_ALL=C.UTF-8 accel top")
    if os.environ.get("TERM", "") in ("", "dumb"):
        raise BadInput("accel top needs a terminal that moves its cursor (TERM). For others:  accel watch")
    if not hasattr(os, "fork"):
        raise BadInput("accel top needs a POSIX system. Here:  accel watch")


def _source(options: "argparse.Namespace", interval_seconds: float) -> "Live | Replayed":
    from accel.apps.screen.source import Live, Replayed
    from accel.machine.live import LiveMachine
    from accel.plugins.registry import Registry

    registry = Registry(os.environ, guarded=True)
    if not options.replay:
        return Live(LiveMachine(), registry, options.devices, interval_seconds, options.links)
    from accel.collect.live import device_types
    from accel.watch.sampling.record import Record

    return Replayed(Record(LiveMachine(), options.replay, device_types(registry)), options.devices)
