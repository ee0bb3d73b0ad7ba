"""`accel devices`: every accelerator of this machine, or in a report."""

import os
import sys
from typing import TYPE_CHECKING, Final

if TYPE_CHECKING:
    import argparse
    from collections.abc import Mapping, Sequence

    from accel.apps.render.columns import Column
    from accel.collect.listing import Listed
    from accel.facts.devices_apart import Listing
    from accel.model.device import Gap
    from accel.model.report import Report
    from accel.plugins.registry import Registry
    from accel.vendors.contract.backend import Depth


_TIMEOUT_SECONDS: Final = 8.0


def parser() -> "argparse.ArgumentParser":
    """Return the command's parser."""
    from accel.apps.cli.parsing import Parser
    from accel.apps.cli.source import add_source_options, add_timeout

    it = Parser(
        prog="accel devices",
        description="List every accelerator of this machine or of a report, and who is using it.",
        epilog="exit code: 0, or 1 if a device's health is critical, a source failed that should know the devices, or "
        "a driver call did not return",
    )
    it.add_argument(
        "words",
        nargs="*",
        metavar="FILE|DEVICE",
        help="the same as --from FILE; or only these devices: nvidia:2, an index, a UUID, a PCI address, cuda:0",
    )
    add_source_options(it)
    it.add_argument("--csv", action="store_true", help="print one CSV line per accelerator, with units in the header")
    it.add_argument(
        "--query",
        metavar="COLUMNS",
        help="print these columns as CSV, by accel's names or those of nvidia-smi --query-gpu: "
        "name,memory.used,power.draw; for rates such as pcie.sent use accel watch --csv",
    )
    it.add_argument(
        "--format",
        choices=("dra", "slurm-gres", "ray"),
        help="print a Kubernetes ResourceSlice, lines for Slurm's gres.conf, or arguments for  ray start",
    )
    add_timeout(it, _TIMEOUT_SECONDS)
    return it


def run(words: list[str]) -> int:
    """List the devices; return the exit code described in --help."""
    files, names, as_json, timeout_seconds, columns, form = _asked(words)
    if form is not None:
        return _write_inventory(form, files, names, timeout_seconds)
    listed = _listed(timeout_seconds) if as_json and not files and not names else None
    if listed is not None and (rows := listed.rows()) is not None:
        from accel.apps.render.json import devices_json

        sys.stdout.write(devices_json(*rows))
        return 1 if any(row["health"] == "critical" for row in rows[0]) else 0
    from accel.plugins.registry import Registry

    registry = Registry(os.environ, guarded=True)
    if files:
        from accel.apps.cli.source import read_files
        from accel.facts.devices_apart import devices_apart

        snapshot = read_files(files, registry)
        listings = devices_apart(snapshot)
        if len(listings) > 1:
            return _print_apart(listings, snapshot.gaps, as_json, columns)
        reports, gaps = snapshot.reports, snapshot.gaps
    else:
        depth: Depth = "health" if any(column.deep for column in columns) else "devices"
        reports, gaps = _live(registry, timeout_seconds, listed, depth)
    from accel.model.merge import merged_devices

    devices, disagreements = merged_devices(reports)
    if files:
        from accel.collect.chip_facts import completed

        devices = completed(devices, registry.specs)
    gaps = (*(gap for report in reports for gap in report.gaps), *disagreements, *gaps)
    if names:
        from accel.facts.device_names import devices_named

        devices = devices_named(devices, names)
        gaps = tuple(gap for gap in gaps if gap.device is None or gap.device in {device.id for device in devices})
    if as_json:
        from accel.apps.render.json import devices_json

        sys.stdout.write(devices_json(devices, gaps))
    elif columns:
        import time

        from accel.apps.render.columns import write_csv

        shown = [device for device in devices if device.kind != "cpu"]
        write_csv(sys.stdout, shown, columns, None if files else time.time())
    else:
        from accel.apps.render.devices_text import print_devices

        print_devices(devices, gaps)
    failed = any(report.status == "failed" for report in reports) or any(
        gap.source in ("probe", "time") for gap in gaps
    )
    return 1 if failed or any(device.health == "critical" for device in devices) else 0


def _asked(words: list[str]) -> "tuple[list[str] | None, list[str], bool, float, tuple[Column, ...], str | None]":
    """Return files, device names, whether JSON is wanted, deadline, CSV columns and scheduler format."""
    if words in ([], ["--json"]):  # as programs call it: argparse would take an eighth of the total time
        return None, [], bool(words), _TIMEOUT_SECONDS, (), None
    it = parser()
    options = it.parse_args(words)
    from accel.facts.device_names import may_name_a_device

    names = [word for word in options.words if may_name_a_device(word) and not os.path.exists(word)]
    files = [*(word for word in options.words if word not in names), *(options.files or ())] or None
    if options.format is not None and (options.json or options.csv or options.query is not None):
        it.error("--format excludes --json, --csv and --query")
    if not options.csv and options.query is None:
        return files, names, options.json, options.timeout, (), options.format
    if options.json:
        it.error("--json and --csv exclude each other")
    from accel.apps.render.columns import columns_of

    return files, names, False, options.timeout, columns_of(options.query, vendors=_columns_here), None


def _columns_here() -> "Mapping[str, str]":
    from accel.plugins.registry import Registry

    return vendors_columns(Registry(os.environ, guarded=True))


def vendors_columns(registry: "Registry") -> "Mapping[str, str]":
    """Return the names that vendors' tools use for fields of their devices' records, by tool."""
    return {name: field for one in registry.backends for name, field in getattr(one, "columns", {}).items()}


def _listed(timeout_seconds: float) -> "Listed | None":
    """Start the probes that need no spec records; None if some do."""
    from accel.collect.listing import listed
    from accel.machine.live import LiveMachine

    found = listed(LiveMachine(), timeout_seconds)
    import accel.apps.render.json  # noqa: F401  # loaded while the probes run

    return found


def _print_apart(
    listings: "Sequence[Listing]", gaps: "tuple[Gap, ...]", as_json: bool, columns: "Sequence[Column]"
) -> int:
    """Print the devices of each machine or run in a text separately; return the exit code."""
    if as_json:
        from accel.apps.render.json import listings_json

        sys.stdout.write(listings_json(listings, gaps))
    elif columns:
        from accel.apps.render.columns import csv_line, written

        sys.stdout.write(csv_line(("where", *(column.head for column in columns))))
        for one in listings:
            for cells in written((device for device in one.devices if device.kind != "cpu"), columns):
                sys.stdout.write(csv_line((one.says, *cells)))
    else:
        from accel.apps.render.devices_text import print_listings

        print_listings(listings, gaps)
    return 1 if any(device.health == "critical" for one in listings for device in one.devices) else 0


def _live(
    registry: "Registry", timeout_seconds: float, listed: "Listed | None", depth: "Depth"
) -> "tuple[tuple[Report, ...], tuple[Gap, ...]]":
    from importlib import import_module

    from accel.collect.live import Gathering, plugin_gaps
    from accel.machine.live import LiveMachine

    if listed is not None:
        return listed.reports(registry), plugin_gaps(registry)
    gathering = Gathering(LiveMachine(), registry, depth=depth, isolate=True, timeout_seconds=timeout_seconds)
    for module in ("accel.model.merge", "accel.apps.render.json"):  # imported while the probes run
        import_module(module)

    return gathering.reports(), plugin_gaps(registry)


def _write_inventory(form: str, files: "Sequence[str] | None", names: "Sequence[str]", timeout_seconds: float) -> int:
    """Print the devices for Kubernetes, Slurm or Ray; return the exit code of `accel devices`.

    names  of the wanted devices; empty: all accelerators
    """
    from accel.apps.cli.output import say
    from accel.apps.render.inventory import gres_lines, ray_resources, resource_slice
    from accel.collect.chip_facts import completed
    from accel.collect.live import devices_and_wiring
    from accel.facts.device_names import devices_named
    from accel.facts.questions import Facts
    from accel.machine.live import LiveMachine
    from accel.plugins.registry import Registry
    from accel.watch.holders.gather import Holders
    from accel.watch.topology import topology

    registry = Registry(os.environ, guarded=True)
    machine = None if files else LiveMachine()
    if machine is None:
        from accel.apps.cli.source import read_one_machine

        snapshot = read_one_machine(list(files or ()), registry)
    else:
        snapshot = devices_and_wiring(machine, registry, timeout_seconds=timeout_seconds)
    facts = Facts(snapshot)
    devices = [device for device in completed(facts.devices, registry.specs) if device.kind != "cpu"]
    if names:
        devices = list(devices_named(devices, names))
    members = {member.id: member for member in topology(facts, registry.specs).members}
    host = snapshot.host.name or "localhost"
    if form == "dra":
        text = resource_slice(devices, members, host)
    elif form == "slurm-gres":
        nodes = Holders(machine or LiveMachine(), registry.backends).nodes
        text = "".join(f"{line}\n" for line in gres_lines(devices, members, lambda d: nodes.node_of(d, machine), host))
    else:
        table = registry.specs.table("frameworks/device_types") or {"device_types": ()}
        called = {row["backend"]: row.get("ray") for row in table["device_types"]}
        text = ray_resources(devices, lambda device: called.get(device.backend))
    if not devices:
        say(f"No accelerator {'is in the text' if files else 'was found'}, so nothing is listed. Try  accel doctor")
    sys.stdout.write(text if devices or form == "dra" else "")
    failed = any(report.status == "failed" for report in snapshot.reports)
    return 1 if failed or not devices or any(device.health == "critical" for device in devices) else 0
