"""`accel pick`: free devices, and the variables that restrict a program to them."""

import os
import sys
from typing import TYPE_CHECKING, Final

from accel.apps.cli.output import write_json
from accel.model.errors import BadInput, RequirementUnmet

if TYPE_CHECKING:
    import argparse
    from collections.abc import Mapping, Sequence

    from accel.text.assignments import Shell
    from accel.watch.choose.choice import Choice
    from accel.watch.choose.fitness import Wanted
    from accel.watch.choose.leases import Lease

SCHEMA: Final = "accel.pick/1"
_TIMEOUT_SECONDS: Final = 8.0


def parser() -> "argparse.ArgumentParser":
    """Return the command's parser."""
    from accel.apps.cli.parsing import Parser
    from accel.apps.cli.source import add_source_options
    from accel.text.assignments import SHELLS

    it = Parser(
        prog="accel pick",
        description=(
            "Choose free devices of one vendor, close to each other, and print the environment "
            'variables that select them:  eval "$(accel pick -n 2)"  Masks that are already set are '
            "respected; devices held by accel run are skipped."
        ),
        epilog="exit code: 0; 1 if nothing fits (stderr says why for each device); 2 accel failed",
    )
    add_wishes(it)
    add_source_options(it)
    it.add_argument("--shell", choices=SHELLS, help="shell syntax to print (default: bash; powershell on Windows)")
    return it


def add_wishes(it: "argparse.ArgumentParser") -> None:
    """Add the options that select devices."""
    from accel.apps.cli.source import add_timeout

    it.add_argument("-n", "--count", type=int, default=1, metavar="N", help="number of devices (default 1)")
    it.add_argument(
        "--min-free",
        metavar="SIZE",
        help="free memory on each: 20GiB (GB is read as GiB) or 80%% (default: half, or a device that nobody uses)",
    )
    it.add_argument(
        "--max-use", type=float, metavar="PERCENT", help="highest utilisation in percent (default 50; 100: any)"
    )
    it.add_argument("--unused", action="store_true", help="only devices that no process uses")
    it.add_argument("--dtype", metavar="FORMAT", help="a number format that it supports: bf16, fp8, int8")
    it.add_argument("--compute-capability", metavar="X.Y", help="at least this: 8.0")
    it.add_argument("--vendor", metavar="NAME", help="only this vendor's: nvidia, amd, ascend")
    it.add_argument("--kind", choices=("gpu", "npu", "tpu", "accelerator"), help="only this kind")
    whole = it.add_mutually_exclusive_group()
    whole.add_argument("--partition", action="store_true", help="only partitions, such as MIG instances")
    whole.add_argument("--whole", action="store_true", help="only whole devices")
    it.add_argument("--wait", metavar="TIME", help="wait up to this long for devices: 60s, 10m, 2h")
    add_timeout(it, _TIMEOUT_SECONDS, "one look at all devices")


def run(words: list[str]) -> int:
    """Print the answer; return the exit code described in --help."""
    options = parser().parse_args(words)
    try:
        choice = _of_files(options) if options.files else chosen(options)[0]
    except RequirementUnmet as unmet:
        if options.json:
            _print_json((), {}, str(unmet).splitlines()[:1], unmet.reasons)
        say_unmet(unmet)
        return 1
    if options.json:
        ids = [device.id for device in choice.devices]
        _print_json(ids, choice.environment, choice.why, choice.passed_over)
    else:
        _export(choice, options.shell)
    return 0


def chosen(options: "argparse.Namespace", hold: str | None = None) -> "tuple[Choice, Lease | None]":
    """Return the devices that the options ask for. hold: the name of the command that reserves them.

    Raises RequirementUnmet if nothing fits.
    """
    from accel.machine.live import LiveMachine
    from accel.plugins.registry import Registry
    from accel.watch.choose.leases import Leases
    from accel.watch.choose.picking import pick, seen_here

    wanted, wait_seconds = _wanted(options), _seconds(options.wait)
    machine = LiveMachine()
    registry = Registry(os.environ, guarded=True)
    leases = Leases(machine)
    choice, lease = pick(
        wanted,
        registry,
        machine.environment,
        look=lambda: seen_here(
            machine, registry, several=wanted.count > 1, isolate=True, timeout_seconds=options.timeout
        ),
        leases=leases,
        hold=hold,
        wait_seconds=wait_seconds,
        waiting=lambda reason: print(f"accel: {reason}\naccel: waiting {options.wait}", file=sys.stderr),
    )
    if leases.trouble is not None and hold is not None:
        print(
            f"accel: no lease is held, so another process may choose the same devices: {leases.trouble}. "
            "ACCEL_LEASES=FOLDER sets another folder.",
            file=sys.stderr,
        )
    return choice, lease


def _of_files(options: "argparse.Namespace") -> "Choice":
    """Return the choice for the machine in the files, with the masks that are set on it."""
    from accel.apps.cli.source import read_one_machine
    from accel.collect.understanding import variables_of
    from accel.model.merge import merged_devices
    from accel.plugins.registry import Registry
    from accel.watch.choose.picking import Seen, joined, pick

    registry = Registry(os.environ, guarded=True)
    snapshot = read_one_machine(options.files, registry)
    near = joined(registry, snapshot.wiring, snapshot.reports)
    seen = Seen(devices=merged_devices(snapshot.reports)[0], near=near)
    return pick(_wanted(options), registry, variables_of(snapshot.environments), look=lambda: seen)[0]


def say_unmet(unmet: RequirementUnmet) -> None:
    """Explain on stderr why nothing fits, and which requirements could be relaxed."""
    print(f"accel: {unmet}", file=sys.stderr)
    if unmet.reasons:
        print("  To wait for free devices:  --wait 10m", file=sys.stderr)


def _print_json(
    ids: "Sequence[str]", environment: "Mapping[str, str]", why: "Sequence[str]", passed_over: "Mapping[str, str]"
) -> None:
    told = {"devices": list(ids), "environment": dict(environment), "why": list(why), "passed_over": dict(passed_over)}
    write_json(SCHEMA, **told)


def _wanted(options: "argparse.Namespace") -> "Wanted":
    from accel.watch.choose.fitness import MAX_USE_PERCENT, Wanted

    free_bytes, free_share = _free(options.min_free)
    return Wanted(
        count=options.count,
        min_free_bytes=free_bytes,
        min_free_share=free_share,
        max_use_percent=MAX_USE_PERCENT if options.max_use is None else options.max_use,
        dtype=options.dtype,
        compute_capability=options.compute_capability,
        vendor=options.vendor,
        kind=options.kind,
        partition=True if options.partition else False if options.whole else None,
        unused=options.unused,
    )


def _free(text: str | None) -> tuple[int | None, float | None]:
    """Return the bytes of "20GiB", or the fraction of "80%"."""
    if text is None:
        return None, None
    from accel.text.amounts import percent, size_bytes

    if text.rstrip().endswith("%") and (part := percent(text)) is not None:
        return None, part / 100
    size = size_bytes(text)
    if size is None:
        raise BadInput(f"--min-free {text}: expected an amount such as 20GiB, or a share such as 80%.")
    return size, None


def _seconds(text: str | None) -> float:
    if text is None:
        return 0.0
    from accel.text.durations import seconds_of

    seconds = seconds_of(text)
    if seconds is None:
        raise BadInput(f"--wait {text}: expected a time such as 60s, 10m or 2h.")
    return seconds


def _export(choice: "Choice", shell: "Shell | None") -> None:
    """Print the lines for the shell; if stderr is a terminal, also what was chosen."""
    from accel.text.assignments import assignments

    for line in assignments(choice.environment, shell or ("powershell" if os.name == "nt" else "bash")):
        print(line)
    if sys.stderr.isatty():
        for sentence in choice.why:
            print(f"accel: {sentence}", file=sys.stderr)
