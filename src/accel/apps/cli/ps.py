"""`accel ps`: which processes hold which device, and memory held by no visible process; ends them if confirmed."""

import argparse
import os
import sys
from collections.abc import Callable, Iterator, Mapping, Sequence
from datetime import datetime, timezone
from typing import TYPE_CHECKING, Any, Final

from accel.apps.cli.output import write_json
from accel.apps.cli.parsing import Parser
from accel.apps.cli.source import add_source_options, add_timeout
from accel.model.errors import BadInput

if TYPE_CHECKING:
    from accel.facts.ghosts import Ghost
    from accel.model.device import Device, Gap
    from accel.model.holding import Holder, Holdings, RunningProcess
    from accel.plugins.registry import Registry
    from accel.watch.holders.ending import Ended

_LOOK_SECONDS: Final = 5.0  # for scanning the open files of all processes
_YES: Final = "yes"
_BECAME: Final = {
    "ended": "ended",
    "killed": "killed: it did not exit when asked to",
    "still-there": "still there: it waits in the kernel, and only a reboot ends it",
    "gone": "gone already",
    "not-allowed": "another user's: type  sudo accel ps … --kill",
    "spared": "spared: accel runs below it, or is it",
}


def parser() -> argparse.ArgumentParser:
    """Return the command's parser."""
    it = Parser(
        prog="accel ps",
        description="Show which processes use which device: user, memory, state, command, container, pod, batch job; "
        "including processes that the driver does not list but that have a device node open. Run as root "
        "to see everybody's.",
        epilog="exit code: 0, or 1 if --ghosts finds any, or if a process to be ended is still running",
        allow_abbrev=False,
    )
    it.add_argument(
        "devices",
        nargs="*",
        metavar="DEVICE",
        help="only these devices: an ID, an index, a UUID, a PCI address, cuda:0",
    )
    it.add_argument(
        "--ghosts", action="store_true", help="explain memory that is held by no visible process, and what frees it"
    )
    it.add_argument(
        "--kill",
        action="store_true",
        help="end the processes shown, for named devices or with --ghosts, after confirmation: TERM, then KILL",
    )
    it.add_argument("--yes", action="store_true", help="with --kill: do not ask for confirmation")
    it.add_argument(
        "--grace",
        type=float,
        default=10.0,
        metavar="SECONDS",
        help="with --kill: seconds between TERM and KILL (default 10)",
    )
    add_source_options(it)
    add_timeout(it, 8.0)
    return it


def run(words: list[str]) -> int:
    """Show the processes that hold devices; return the exit code described in --help."""
    options = parser().parse_args(words)
    _check(options)
    from accel.facts.device_names import devices_named
    from accel.facts.ghosts import ghosts
    from accel.plugins.registry import Registry

    registry = Registry(os.environ, guarded=True)
    devices, holdings, gaps, now = _looked(options, registry)
    if options.devices:
        devices = devices_named(devices, options.devices)
        shown = {device.id for device in devices}
        holdings = _only(holdings, shown)
        gaps = tuple(gap for gap in gaps if gap.device is None or gap.device in shown)
    found = ghosts(devices, holdings)
    became: Sequence[Ended] = ()
    if options.json:
        became = _end(options, holdings, found) if options.kill else ()
        _write_json(holdings, found, became, gaps)
    else:
        from accel.apps.render.holders_text import ghosts_page, holders_page
        from accel.apps.render.page import print_page

        if options.ghosts:
            print_page(ghosts_page(found, devices, _resets(devices, registry), gaps, now))
        else:
            print_page(holders_page(holdings, devices, gaps, now))
        if options.kill:
            became = _end(options, holdings, found)
            print_page(_became(became))
    if options.kill:
        kept = any(one.outcome in ("still-there", "not-allowed", "spared") for one in became)
        return 1 if kept or (options.ghosts and found and not became) else 0
    return 1 if options.ghosts and found else 0


def _check(options: argparse.Namespace) -> None:
    """Raise BadInput for conflicting options, before anything is read."""
    if not options.kill:
        if options.yes:
            raise BadInput("--yes goes with --kill.")
        return
    if options.files:
        raise BadInput("--kill ends processes of this machine, and --from reads of another. Give one of them.")
    if not options.devices and not options.ghosts:
        raise BadInput("--kill needs to know whom: name devices (accel ps nvidia:0 --kill), or give --ghosts.")
    if not sys.platform.startswith("linux"):
        raise BadInput("--kill works on Linux: elsewhere it cannot be told whether a number is still the same process.")
    if not options.yes and (options.json or not (sys.stdin.isatty() and sys.stdout.isatty())):
        raise BadInput("--kill asks before it acts, and this is no terminal. Look at the list first, then add --yes.")


def _looked(
    options: argparse.Namespace, registry: "Registry"
) -> "tuple[tuple[Device, ...], Holdings, tuple[Gap, ...], datetime]":
    """Return the devices, their holders, what is unknown, and the time of reading."""
    from accel.model.merge import merged_devices

    now = datetime.now(timezone.utc)
    if options.files:
        from accel.apps.cli.source import read_one_machine
        from accel.watch.holders.gather import holdings_of

        snapshot = read_one_machine(options.files, registry)
        devices, _ = merged_devices(snapshot.reports)
        if snapshot.taken_at is not None:
            now = datetime.strptime(snapshot.taken_at, "%Y-%m-%dT%H:%M:%SZ").replace(tzinfo=timezone.utc)
        holdings = holdings_of(snapshot, devices)
        return devices, holdings, holdings.gaps, now
    from accel.collect.live import reports
    from accel.machine.live import LiveMachine
    from accel.watch.holders.gather import Holders

    machine = LiveMachine()
    found = reports(machine, registry, depth="devices", isolate=True, timeout_seconds=options.timeout)
    devices, _ = merged_devices(found)
    failed = tuple(
        gap for report in found for gap in report.gaps if gap.fact == "processes" or report.status == "failed"
    )
    holdings = Holders(machine, registry.backends_on(machine)).of(devices, _LOOK_SECONDS, twice=True)
    return devices, holdings, (*holdings.gaps, *failed), now


def _only(holdings: "Holdings", ids: set[str]) -> "Holdings":
    from accel.model.dataclass import replace

    backends = {name.partition(":")[0] for name in ids}
    held = (h for h in holdings.holders if h.device in ids or (h.device is None and h.backend in backends))
    return replace(holdings, holders=tuple(held))


def _resets(devices: "Sequence[Device]", registry: "Registry") -> Mapping[str, str]:
    """Return the command that resets each device, if its vendor states one."""
    from accel.vendors.contract.command import filled

    def fact_of(device: "Device") -> "Callable[[str], str | None]":
        return lambda name: None if getattr(device, name, None) is None else str(getattr(device, name))

    found: dict[str, str] = {}
    for device in devices:
        stated: Any = getattr(registry.backend(device.backend), "stated", None)
        command = filled(stated.reset, fact_of(device)) if stated and stated.reset else None
        if command:
            found[device.id] = command
    return found


def _end(options: argparse.Namespace, holdings: "Holdings", found: "Sequence[Ghost]") -> "Sequence[Ended]":
    """Ask, and end the processes. Raises BadInput if the answer is not yes."""
    processes = _doomed(options.ghosts, holdings, found)
    if not processes:
        return ()
    if not options.yes:
        pids = ", ".join(str(process.pid) for process in processes)
        count = "this process" if len(processes) == 1 else f"these {len(processes)} processes"
        sys.stdout.write(f"\nEnd {count}: {pids}? Type {_YES}: ")
        sys.stdout.flush()
        if sys.stdin.readline().strip().lower() != _YES:
            raise BadInput("nothing was ended.")
    from accel.machine.live import LiveMachine
    from accel.watch.holders.ending import end

    return end(LiveMachine(), processes, max(0.0, options.grace))


def _doomed(ghosts_only: bool, holdings: "Holdings", found: "Sequence[Ghost]") -> "list[RunningProcess]":
    """Return the processes that --kill ends, without duplicates.

    A vendor's services are left out, and processes that have ended or cannot be ended.
    """
    held: Sequence[Holder] = holdings.holders
    if ghosts_only:
        held = [holder for ghost in found if ghost.reason == "unlisted" for holder in ghost.holders]
    placed = (holder for holder in held if holder.device is not None)  # otherwise it may be on another device
    living = (h.process for h in placed if h.process.start_ticks is not None and h.process.role is None)
    return list({one.pid: one for one in living if one.state not in ("zombie", "ended")}.values())


def _became(became: "Sequence[Ended]") -> "Iterator[Any]":
    from accel.apps.render.page import Paragraph

    if not became:
        yield Paragraph("\nThere is no process to end.")
    for one in became:
        yield Paragraph(f"{one.pid}: {_BECAME[one.outcome]}")


def _write_json(
    holdings: "Holdings", found: "Sequence[Ghost]", became: "Sequence[Ended]", gaps: "Sequence[Gap]"
) -> None:
    """Write the output of --json: a holder's row includes the fields of its process."""
    from accel.facts.ghost_words import why
    from accel.model.to_builtins import plain

    rows = []
    for holder in holdings.holders:
        row = plain(holder)
        process = row.pop("process")
        rows.append({**row, **{f"host_{k}" if k == "memory_bytes" else k: v for k, v in process.items()}})
    told = [
        {
            "device": ghost.device,
            "reason": ghost.reason,
            "memory_bytes": ghost.memory_bytes,
            "pids": [holder.process.pid for holder in ghost.holders],
            "text": why(ghost),
        }
        for ghost in found
    ]
    write_json("accel.ps/1", holders=rows, ghosts=told, ended=plain(became), gaps=plain(gaps))
