"""`accel devices`: every accelerator of this machine, or of a report."""

import argparse
import os
import sys
from typing import TYPE_CHECKING

from accel.cli.source import add_source_options, read_files

if TYPE_CHECKING:
    from accel.model.device import Device, Gap
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
    """List the devices; 1 if one of them is in critical health."""
    options = parser().parse_args(words)
    from accel.registry import Registry

    registry = Registry(os.environ)
    devices, gaps = _of_files(options.files, registry) if options.files else _of_this_machine(registry, options.timeout)
    if options.json:
        from accel.render.json import devices_json

        sys.stdout.write(devices_json(devices, gaps))
    else:
        from accel.render.devices_text import print_devices

        print_devices(devices, gaps)
    return 1 if any(d.health == "critical" for d in devices) else 0


def _of_files(files: list[str], registry: "Registry") -> "tuple[tuple[Device, ...], tuple[Gap, ...]]":
    from accel.facts import Facts

    facts = Facts(read_files(files, registry))
    return facts.devices, facts.gaps


def _of_this_machine(registry: "Registry", timeout_seconds: float) -> "tuple[tuple[Device, ...], tuple[Gap, ...]]":
    from accel.gather import Gathering, plugin_gaps
    from accel.machine import LiveMachine
    from accel.merge import merged_devices

    gathering = Gathering(LiveMachine(), registry, depth="devices", isolate=True, timeout_seconds=timeout_seconds)
    found = gathering.reports()
    devices, disagreements = merged_devices(found)
    return devices, tuple(gap for report in found for gap in report.gaps) + disagreements + plugin_gaps(registry)
