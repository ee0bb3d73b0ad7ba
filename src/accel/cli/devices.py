"""`accel devices`: every accelerator of this machine, or of a report."""

import argparse
import os
import sys
from typing import TYPE_CHECKING

from accel.cli.source import add_source_options, read_files

if TYPE_CHECKING:
    from accel.model.device import Gap
    from accel.model.report import Report
    from accel.registry import Registry


def parser() -> argparse.ArgumentParser:
    """Return the command's parser."""
    it = argparse.ArgumentParser(
        prog="accel devices", description="List every accelerator of this machine, or of a report."
    )
    add_source_options(it)
    it.add_argument("--timeout", type=float, default=8.0, metavar="SECONDS", help="deadline of the probes (default 8)")
    return it


def run(words: list[str]) -> int:
    """List the devices; 1 if one is in critical health, or if a source that should know them failed."""
    options = parser().parse_args(words)
    from accel.registry import Registry

    registry = Registry(os.environ)
    reports, gaps = _of_files(options.files, registry) if options.files else _live(registry, options.timeout)
    from accel.merge import merged_devices

    devices, disagreements = merged_devices(reports)
    gaps = (*(gap for report in reports for gap in report.gaps), *disagreements, *gaps)
    if options.json:
        from accel.render.json import devices_json

        sys.stdout.write(devices_json(devices, gaps))
    else:
        from accel.render.devices_text import print_devices

        print_devices(devices, gaps)
    failed = any(report.status == "failed" for report in reports)
    return 1 if failed or any(device.health == "critical" for device in devices) else 0


def _of_files(files: list[str], registry: "Registry") -> "tuple[tuple[Report, ...], tuple[Gap, ...]]":
    snapshot = read_files(files, registry)
    return snapshot.reports, snapshot.gaps


def _live(registry: "Registry", timeout_seconds: float) -> "tuple[tuple[Report, ...], tuple[Gap, ...]]":
    from accel.gather import Gathering, plugin_gaps
    from accel.machine import LiveMachine

    gathering = Gathering(LiveMachine(), registry, depth="devices", isolate=True, timeout_seconds=timeout_seconds)
    return gathering.reports(), plugin_gaps(registry)
