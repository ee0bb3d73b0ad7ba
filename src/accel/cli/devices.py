"""`accel devices`: every accelerator of this machine, or of a report."""

import argparse
import os
import sys

from accel.cli.source import add_source_options, read_files


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
    from accel.gather import plugin_gaps, reports
    from accel.merge import merged_devices
    from accel.registry import Registry

    registry = Registry(os.environ)
    if options.files:
        from accel.facts import Facts

        facts = Facts(read_files(options.files, registry))
        devices, gaps = facts.devices, facts.gaps
    else:
        from accel.machine import LiveMachine

        found = reports(LiveMachine(), registry, depth="devices", isolate=True, timeout_seconds=options.timeout)
        devices, disagreements = merged_devices(found)
        gaps = tuple(gap for report in found for gap in report.gaps) + disagreements + plugin_gaps(registry)
    if options.json:
        from accel.render.json import devices_json

        sys.stdout.write(devices_json(devices, gaps))
    else:
        from accel.render.devices_text import print_devices

        print_devices(devices, gaps)
    return 1 if any(d.health == "critical" for d in devices) else 0
