"""`accel advise`: why an accelerator is idle."""

import argparse
import os
from collections.abc import Sequence
from typing import TYPE_CHECKING, Final

from accel.apps.cli.output import write_json
from accel.apps.cli.parsing import Parser
from accel.model.errors import BadInput

if TYPE_CHECKING:
    from accel.machine.protocol import Machine
    from accel.model.device import Device
    from accel.model.work import Program, Work
    from accel.plugins.registry import Registry
    from accel.watch.advise.advice import Advice
    from accel.watch.advise.look import Look
    from accel.watch.sampling.engine import Engine
    from accel.watch.sampling.tick import Tick

_INTERVAL_SECONDS: Final = 0.25  # NVIDIA averages utilisation over a sixth of a second to one second
_CODES: Final = {"working": 0, "causes": 1, "undecided": 3}
_MOST_PROGRAMS: Final = 8


def parser() -> argparse.ArgumentParser:
    """Return the command's parser."""
    it = Parser(
        prog="accel advise",
        description="Find out why an accelerator is idle or underused: watch a program's devices, CPU and storage for "
        "a few seconds, then name the bottleneck, how certain it is, and what to change.",
        epilog="exit code: 0 the devices are busy, 1 a cause was found, 2 accel failed, 3 the devices are idle and the "
        "cause is unknown",
        allow_abbrev=False,
    )
    it.add_argument(
        "pid", nargs="?", type=int, metavar="PID", help="process ID (default: every process that uses a device)"
    )
    it.add_argument(
        "--seconds", type=float, default=10.0, metavar="N", help="how long to watch, in seconds (default 10)"
    )
    it.add_argument("--json", action="store_true", help="print JSON, for programs")
    it.add_argument("--record", metavar="FILE", help="save the observations to this file, for --from")
    it.add_argument(
        "--from", dest="file", metavar="FILE", help="analyse a recording of accel advise or accel watch instead"
    )
    it.add_argument(
        "--memory",
        metavar="FILE",
        help="analyse a framework's memory instead, from a file written by torch.cuda.memory._dump_snapshot(FILE) or "
        "jax.profiler.save_device_memory_profile(FILE); nothing in the file is executed",
    )
    return it


def run(words: list[str]) -> int:
    """Watch, and report what was found; return the exit code described in --help."""
    options = parser().parse_args(words)
    if not 1 <= options.seconds <= 3600:
        raise BadInput(f"--seconds {options.seconds:g}: give 1 to 3600.")
    if options.memory and (options.file or options.record or options.pid is not None):
        raise BadInput("--memory is about a file of torch or JAX: it goes without PID, --from and --record.")
    if options.memory:
        return _of_memory(options.memory, options.json)
    if options.file and (options.record or options.pid):
        raise BadInput("--from is about what was recorded: it goes without PID and --record.")
    from accel.plugins.registry import Registry
    from accel.watch.advise.advice import advice

    registry = Registry(os.environ, guarded=True)
    looks = _recorded(options.file, registry) if options.file else _watched(options, registry)
    told = [(advice(look), look.program) for look in looks]
    _print(told, options.json)
    return max((_CODES[one.verdict] for one, _ in told), key=lambda code: (code == 1, code))


def _of_memory(path: str, as_json: bool) -> int:
    """Print the contents of a framework's memory file; return 1 if something in it should be changed."""
    from accel.machine.outside import read_regular
    from accel.watch.advise.memory.file import read_memory
    from accel.watch.advise.memory.findings import findings_of
    from accel.watch.advise.memory.pickled import MOST_BYTES

    try:
        data = read_regular(path, MOST_BYTES)
    except OSError as error:
        why = f"{path}: {error.strerror}" if error.strerror else str(error)
        raise BadInput(
            f"{why}. Give the file that torch or JAX has written; one that is too large with a smaller max_entries."
        ) from None
    picture = read_memory(path, data)
    found = findings_of(picture)
    if as_json:
        from accel.model.to_builtins import plain

        write_json("accel.memory/1", **plain(picture), causes=plain(found))
    else:
        from accel.apps.render.advice_text import memory_page
        from accel.apps.render.page import print_page

        print_page(memory_page(picture, found))
    return 1 if found else 0


def _watched(options: argparse.Namespace, registry: "Registry") -> "list[Look]":
    """Watch this machine; return a look for each program. Raises BadInput if there is nothing to watch."""
    from accel.machine.live import LiveMachine
    from accel.vendors.contract.watching import Wanted
    from accel.watch.sampling.engine import Engine
    from accel.watch.sampling.record import Recorder
    from accel.watch.sampling.work import WorkOf

    machine = LiveMachine()
    wanted = Wanted(links=True, activity=True)
    with Engine(machine, registry, interval_seconds=_INTERVAL_SECONDS, wanted=wanted) as engine:
        first = _first(engine)
        pids = [options.pid] if options.pid is not None else _holders(machine, first)
        programs = _programs(machine, pids)
        if options.pid is not None and not programs:
            raise BadInput(f"There is no process {options.pid} here. See who uses the devices:  accel ps")
        if not programs and not any(device.kind != "cpu" for device in first.devices):
            raise BadInput("No accelerator and no program to watch. Give the process:  accel advise PID")
        recorder = Recorder(options.record, _INTERVAL_SECONDS) if options.record else None
        watched = {one.pid: WorkOf(machine, one.pid) for one in programs}
        ticks: list[Tick] = []
        works: dict[int, list[Work]] = {pid: [] for pid in watched}
        for tick in engine.ticks(count=max(4, round(options.seconds / _INTERVAL_SECONDS) + 1)):
            ticks.append(tick)
            for pid, one in watched.items():
                works[pid].append(one.now(tick.seconds))
            if recorder is not None:
                recorder.write(tick, {pid: rows[-1] for pid, rows in works.items()}, programs)
        if recorder is not None:
            recorder.close()
    return _looks(ticks, programs, works)


def _first(engine: "Engine") -> "Tick":
    """Return the second of two ticks; if a driver takes too long to read link traffic, stop reading it."""
    from accel.model.dataclass import replace

    engine.take()
    first = engine.take()
    if any(readings.state == "late" for readings in first.readings):
        engine.wanted = replace(engine.wanted, links=False)
    return first


def _holders(machine: "Machine", tick: "Tick") -> list[int]:
    """Return the processes that hold a device, the largest first; only the oldest of each process family."""
    from accel.machine.process_stat import parent_of

    held: dict[int, int] = {}
    for readings in tick.readings:
        for process in readings.processes or ():
            held[process.pid] = held.get(process.pid, 0) + (process.memory_bytes or 0)
    eldest: dict[int, int] = {}
    for pid, size in held.items():
        top, above = pid, parent_of(machine, pid)
        while above is not None and above > 1:
            top = above if above in held else top
            above = parent_of(machine, above)
        eldest[top] = eldest.get(top, 0) + size
    return sorted(eldest, key=lambda pid: -eldest[pid])[:_MOST_PROGRAMS]


def _programs(machine: "Machine", pids: Sequence[int]) -> "tuple[Program, ...]":
    from accel.watch.sampling.work import program

    return tuple(found for pid in pids if (found := program(machine, pid)) is not None)


def _looks(ticks: "Sequence[Tick]", programs: "Sequence[Program]", works: "dict[int, list[Work]]") -> "list[Look]":
    """Return a look for each program at the devices it holds; without programs, a single one at all accelerators."""
    from accel.watch.advise.look import Look
    from accel.watch.advise.steps import steps_of

    devices = [device for device in ticks[-1].devices if device.kind != "cpu"]
    if not programs:
        return [Look(steps_of(ticks, (), [device.id for device in devices]), devices)]
    looks = []
    for one in programs:
        family = {process.pid for work in works[one.pid] for process in work.processes}
        own = [device for device in devices if _is_held(device, ticks, family)]
        looks.append(Look(steps_of(ticks, works[one.pid], [device.id for device in own]), own, one))
    return looks


def _is_held(device: "Device", ticks: "Sequence[Tick]", family: set[int]) -> bool:
    """Return whether one of these processes was on a device; assume so if its processes are not listed."""
    rows = [r for tick in ticks for r in tick.readings if r.id == device.id]
    listed = [r.processes for r in rows if r.processes is not None]
    if not listed:
        return bool(rows)
    return any(process.pid in family for held in listed for process in held)


def _recorded(path: str, registry: "Registry") -> "list[Look]":
    from accel.collect.live import device_types
    from accel.machine.live import LiveMachine
    from accel.watch.sampling.record import Record

    record = Record(LiveMachine(), path, device_types(registry))
    ticks = list(record.ticks())
    return _looks(ticks, record.programs, record.works)


def _print(told: "Sequence[tuple[Advice, Program | None]]", as_json: bool) -> None:
    if as_json:
        from accel.model.to_builtins import plain
        from accel.watch.advise.advice import SCHEMA

        programs = [{**plain(one), "program": plain(program)} for one, program in told]
        write_json(SCHEMA, programs=programs)
        return
    from accel.apps.render.advice_text import advice_page
    from accel.apps.render.page import Paragraph, print_page

    for number, (one, program) in enumerate(told):
        print_page([*([Paragraph("")] if number else []), *advice_page(one, program)])
