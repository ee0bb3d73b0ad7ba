"""`accel plugins list`: the installed plugins, their state, and the devices they find here."""

import argparse
import os
from collections.abc import Mapping
from typing import TYPE_CHECKING, Any, Final

from accel.apps.cli.output import write_json

if TYPE_CHECKING:
    from accel.apps.render.plugins_text import Found
    from accel.plugins.registry import Registry

_SECONDS: Final = 5.0  # for all probes together, in parallel


def add(actions: "argparse._SubParsersAction[Any]") -> None:
    """Add the action's parser."""
    it = actions.add_parser(
        "list",
        help="list the plugins",
        description="List the installed plugins: status, the level reached in  accel plugins check,  how many devices "
        "each finds on this machine, and its load time in milliseconds.",
    )
    it.add_argument("--no-probe", action="store_true", help="do not probe for devices")
    it.add_argument("--json", action="store_true", help="print JSON, for programs")


def run(options: argparse.Namespace) -> int:
    """List the plugins; return 1 if one of them failed."""
    from accel.kit.result import level_shown
    from accel.model.to_builtins import plain
    from accel.plugins.registry import Registry

    registry = Registry(os.environ, guarded=True)
    counts = {
        "backends": [backend.name for backend in registry.backends],
        "readers": len(registry.readers),
        "checks": len(registry.checks),
    }
    found = {} if options.no_probe else _probed(registry)
    rows = [(p, level_shown(p.name, p.module, p.version, os.environ), found.get(p.name)) for p in registry.plugins]
    if options.json:
        plugins = [
            {**plain(p), "level": level, "devices": it.devices if it else None, "probe": it.reason if it else None}
            for p, level, it in rows
        ]
        write_json("accel.plugins/1", plugins=plugins, **counts)
    else:
        from accel.apps.render.plugins_text import print_plugins

        print_plugins(rows)
    return 1 if any(p.status in ("failed", "clash") for p, _, _ in rows) else 0


def _probed(registry: "Registry") -> "Mapping[str, Found]":
    """Probe every backend whose hardware may be here, in child processes with a deadline."""
    from accel.apps.render.plugins_text import Found
    from accel.collect.live import reports
    from accel.machine.live import LiveMachine
    from accel.model.merge import merged_devices

    answers = reports(LiveMachine(), registry, depth="devices", isolate=True, timeout_seconds=_SECONDS)
    devices = merged_devices(answers)[0]
    found = {}
    for plugin, backend in registry.backend_names.items():
        count = sum(device.backend == backend for device in devices)
        own = [report for report in answers if report.backend == backend]
        failed = own and not count and all(report.status == "failed" for report in own)
        reason = next((gap.reason for report in own for gap in report.gaps), None) if failed else None
        found[plugin] = Found(devices=None if failed else count, reason=reason)
    return found
