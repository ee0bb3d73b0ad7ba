"""`accel fleet pairs`: finds the node that hangs, fails or is slow in collectives, by tests between nodes."""

import argparse
import asyncio
import os
import re
import sys
from collections.abc import Callable, Coroutine, Sequence
from typing import TYPE_CHECKING, Any, Final

from accel.apps.cli import fleet_merge
from accel.apps.cli.output import write_answer
from accel.apps.cli.parsing import add_seconds
from accel.model.errors import BadInput

if TYPE_CHECKING:
    from accel.apps.cli.stopping import Stop
    from accel.fleet.pairs.found import Found
    from accel.fleet.pairs.running import Ranks, Settings
    from accel.fleet.pairs.seats import Place

_VARIABLE: Final = re.compile(r"[A-Za-z_][A-Za-z0-9_]{0,99}=.{0,1000}", re.DOTALL)
_DEVICE: Final = re.compile(r"auto|cpu|(?:cuda|npu|xpu|mlu)(?::\d{1,3})?")
_MOST_LOCAL: Final = 256


def add(actions: Any) -> None:
    """Add the action's parser."""
    it = actions.add_parser(
        "pairs",
        help="find the node that hangs, fails or is slow in collectives, by all-reduce between pairs and groups",
        description="Find the node that hangs, fails, sums wrongly or is slow in collectives. The torch in each node's "
        "own Python runs all-reduce (NCCL, HCCL, XCCL, or gloo between CPUs): first between pairs in "
        "parallel, then between all remaining nodes and halves of them. A test that exceeds its time limit "
        "is a finding. It uses the devices while it runs, so run it when no job does.",
        epilog="exit code: 0 all pass, 1 something was found, 2 accel failed, 3 incomplete: nodes could not be tested, "
        "or it was stopped",
        allow_abbrev=False,
    )
    who = it.add_mutually_exclusive_group(required=True)
    who.add_argument("--hosts", nargs="+", metavar="NODES", help="over ssh: gpu[01-40], a,b,c, or a file with names")
    who.add_argument("--slurm", metavar="JOB", help="the nodes of a running job, with one step on each")
    who.add_argument("--local", type=int, metavar="N", help="this many ranks on this machine, one per device")
    who.add_argument(
        "--rank", action="store_true", help="this process was started by mpirun or srun; the first one runs the tests"
    )
    it.add_argument(
        "--meet", metavar="HOST:PORT", help="with --rank: address where the first process listens for the others"
    )
    it.add_argument("--python", metavar="PATH", help="the Python with torch on the nodes (default python3)")
    it.add_argument(
        "--device", default="auto", metavar="DEVICE", help="auto, cpu, cuda, cuda:1, npu, xpu, mlu (default auto)"
    )
    it.add_argument(
        "--size", metavar="SIZE", help="size of an all-reduce (default 4MiB between CPUs, otherwise 128MiB)"
    )
    it.add_argument(
        "--repeats",
        type=int,
        default=5,
        metavar="N",
        help="number of all-reduces in a test after the first one (default 5)",
    )
    add_seconds(it, "--timeout", 20.0, "time limit for one test")
    add_seconds(it, "--start-timeout", 60.0, "time limit for torch to start")
    add_seconds(it, "--deadline", 1800.0, "time limit for everything")
    it.add_argument(
        "--slow",
        type=float,
        default=2.0,
        metavar="TIMES",
        help="report pairs that are this many times slower than similar pairs (default 2)",
    )
    it.add_argument("--least", metavar="RATE", help="report pairs below this rate, whatever others reach: 10GB/s")
    it.add_argument(
        "--set", action="append", default=[], metavar="NAME=VALUE", help="environment variable for every rank"
    )
    it.add_argument("--at-once", type=int, default=64, metavar="N", help="nodes started in parallel (default 64)")
    add_seconds(it, "--connect-timeout", 5.0, "time limit for ssh to connect")
    it.add_argument(
        "--ssh-option", action="append", default=[], metavar="WORD", help="extra argument for ssh; may be repeated"
    )
    it.add_argument("--format", choices=("text", "json"), default="text")
    it.add_argument("--json", action="store_const", const="json", dest="format", help="print JSON, for programs")
    it.add_argument("-o", "--output", metavar="FILE", help="write to this file instead of stdout")


def run(options: argparse.Namespace) -> int:
    """Test; return the exit code documented in --help."""
    from accel.apps.cli.stopping import Stop

    settings = _settings(options)
    if not hasattr(os, "killpg"):
        raise BadInput("accel fleet pairs is carried out from Linux or macOS.")
    if options.rank:
        return _run_launched(options, settings)
    places = _places(options)
    if len(places) < 2:
        raise BadInput("A collective needs two nodes or more.")
    _make_room(len(places))
    _say(f"starting {len(places)} ranks")
    with Stop() as stop:
        return _show(asyncio.run(_found(settings, lambda ranks: ranks.start(places), stop)), options)


def _run_launched(options: argparse.Namespace, settings: "Settings") -> int:
    from accel.apps.cli.stopping import Stop
    from accel.fleet.pairs.launched import gather, join, launched

    own = launched(os.environ, options.meet)
    python = options.python or _python_here(None)
    if own.rank:
        asyncio.run(join(own, python, settings.start_seconds))
        return 0
    with Stop() as stop:
        return _show(asyncio.run(_found(settings, lambda ranks: gather(ranks, own, python), stop)), options)


async def _found(settings: "Settings", start: "Callable[[Ranks], Coroutine[Any, Any, None]]", stop: "Stop") -> "Found":
    """Start the ranks, test, and always end them; a signal ends the tests but keeps the results so far."""
    from accel.fleet.pairs.running import Ranks, isolate

    loop = asyncio.get_running_loop()
    ranks = Ranks(settings)
    over: asyncio.Future[None] = loop.create_future()
    loop.add_reader(stop.fileno(), lambda: None if over.done() else over.set_result(None))
    starting = asyncio.ensure_future(start(ranks))
    try:
        await asyncio.wait({starting, over}, return_when=asyncio.FIRST_COMPLETED)
        if over.done():
            raise BadInput("It was stopped before a test was made.")
        await starting
        return await isolate(ranks, _progress, over)
    finally:
        loop.remove_reader(stop.fileno())
        starting.cancel()
        await asyncio.gather(starting, return_exceptions=True)
        await ranks.close()
        _say("")


def _settings(options: argparse.Namespace) -> "Settings":
    """Return the test settings. Raises BadInput for invalid ones."""
    from accel.fleet.pairs.running import Settings
    from accel.fleet.pairs.seats import Workers
    from accel.text.amounts import size_bytes

    size = None if options.size is None else size_bytes(options.size)
    if options.size is not None and (size is None or not 4096 <= size <= 1 << 36):
        raise BadInput(f"--size {options.size}: give 4KiB to 64GiB, such as 64MiB.")
    least = None if options.least is None else size_bytes(options.least.removesuffix("/s"))
    if options.least is not None and not least:
        raise BadInput(f"--least {options.least}: give a rate such as 10GB/s.")
    if not _DEVICE.fullmatch(options.device):
        raise BadInput(f"--device {options.device}: give auto, cpu, cuda, cuda:1, npu, xpu or mlu.")
    if not 1.1 <= options.slow <= 1000:
        raise BadInput(f"--slow {options.slow}: give 1.1 or more.")
    if not 1 <= options.repeats <= 10_000 or options.at_once < 1:
        raise BadInput("--repeats and --at-once are 1 or more.")
    for pair in options.set:
        if not _VARIABLE.fullmatch(pair):
            raise BadInput(f"--set {pair[:60]}: give NAME=VALUE.")
    return Settings(
        size_bytes=size,
        repeats=options.repeats,
        test_seconds=options.timeout,
        start_seconds=options.start_timeout,
        deadline_seconds=options.deadline,
        slow=options.slow,
        least_bytes_per_second=None if least is None else float(least),
        at_once=options.at_once,
        workers=Workers(device=options.device, environment=dict(pair.split("=", 1) for pair in options.set)),
    )


def _places(options: argparse.Namespace) -> "Sequence[Place]":
    from accel.fleet.node import expected_names
    from accel.fleet.pairs import seats

    if options.local is not None:
        if not 2 <= options.local <= _MOST_LOCAL:
            raise BadInput(f"--local {options.local}: give 2 to {_MOST_LOCAL} ranks.")
        return seats.here(options.local, _python_here(options.python))
    python = options.python or "python3"
    if options.slurm:
        from accel.fleet.carriers.slurm import Slurm

        return seats.by_slurm(options.slurm, Slurm(where=options.slurm).nodes_of_job(), python)
    nodes = expected_names(fleet_merge.named(options.hosts))
    return seats.by_ssh(nodes, python, options.ssh_option, options.connect_timeout)


def _make_room(nodes: int) -> None:
    """Raise this process's file descriptor limit for the connections to all nodes, as far as the system allows."""
    import resource

    soft, hard = resource.getrlimit(resource.RLIMIT_NOFILE)
    needed = 256 + 8 * nodes
    if soft != resource.RLIM_INFINITY and soft < needed:
        most = needed if hard == resource.RLIM_INFINITY else min(needed, hard)
        resource.setrlimit(resource.RLIMIT_NOFILE, (most, hard))


def _python_here(python: str | None) -> str:
    """Return the Python whose torch is used, selected as in `accel bench`."""
    from accel.collect.environment.interpreter import interpreter_of
    from accel.machine.live import LiveMachine

    found, gaps = interpreter_of(LiveMachine(), python)
    if found is None:
        why = gaps[0].reason if gaps else "it is not a Python interpreter."
        raise BadInput(why.replace("accel doctor --python", "accel fleet pairs --python"))
    return found.executable or "python3"


def _progress(number: int, groups: int) -> None:
    _say(f"round {number}: {groups} side by side")


def _say(text: str) -> None:
    """Replace the progress line on a terminal."""
    if sys.stderr.isatty():
        sys.stderr.write(f"\r\x1b[K{text}")
        sys.stderr.flush()


def _show(found: "Found", options: argparse.Namespace) -> int:
    """Write the answer; return the exit code."""
    from accel.apps.render.pairs import pairs_json, pairs_lines
    from accel.apps.render.width import page_width

    text = (
        pairs_json(found) if options.format == "json" else "".join(f"{s}\n" for s in pairs_lines(found, page_width()))
    )
    write_answer(text, options.output)
    if found.nodes or found.pairs or found.nothing_passes:
        return 1
    if not found.tests:
        return 2
    return 0 if found.whole and not found.not_tested and not found.unclear else 3
