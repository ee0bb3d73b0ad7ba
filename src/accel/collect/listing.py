"""The devices of this machine as rows if every required plugin supports that; otherwise as reports.

A plugin of accel's own lists devices through its module `listing`, if it has one, and detects hardware through its
module `presence`, if the signs are not enough. Nothing else of it is loaded: neither its declaration nor its records,
nor pluggy. An unusual probe continues in the same child as any other, with the same deadlines.
"""

import os
import sys
from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

from accel.collect.isolate import Probes, Worker
from accel.model.errors import PluginError
from accel.model.rows import DEVICE_FIELDS, order
from accel.plugins.discovery import OWN, Installed, installed
from accel.plugins.needed import has_module, module_of, needed

if TYPE_CHECKING:
    from accel.machine.protocol import Machine
    from accel.model.report import Report
    from accel.model.rows import Listing, Row
    from accel.plugins.registry import Registry
    from accel.vendors.contract.backend import Request

_OTHERS: tuple[str, ...] = ("ACCEL_PLUGINS", "ACCEL_SPECS")  # what these add may be any code and any table


class Listed:
    """Probes in progress, one for each plugin whose hardware may be present."""

    def __init__(self, plugins: "Sequence[Installed]", machine: "Machine", timeout_seconds: float) -> None:
        self._machine = machine
        self._workers = [
            Worker(_late(one.name), machine, "devices", timeout_seconds, lister=_lister(one)) for one in plugins
        ]

    def rows(self) -> "tuple[list[Row], list[Row]] | None":
        """Wait; return the devices and the gaps, or None if a plugin returned reports."""
        Probes(self._workers).wait()
        if any(worker.listing is None for worker in self._workers):
            return None
        listings = [worker.listing for worker in self._workers if worker.listing is not None]
        devices = [row for listing in listings for row in listing["devices"]]
        devices.sort(key=lambda row: order(row["kind"], row["backend"], row["index"], row["id"], row["parent"]))
        return devices, [row for listing in listings for row in listing["gaps"]]

    def reports(self, registry: "Registry") -> "tuple[Report, ...]":
        """Return all reports, with rows converted to records."""
        from accel.collect.chip_facts import with_chip_facts
        from accel.collect.live import apply_masks
        from accel.collect.system_memory import with_system_memory

        found: list[Report] = []
        for worker in self._workers:
            if worker.listing is not None:
                found.append(_report(worker.backend.name, worker.listing, registry))
            else:
                found += worker.reports or ()
        found = [*with_system_memory(with_chip_facts(found, lambda: registry.specs))]
        return apply_masks(found, registry, self._machine.environment)


def listed(machine: "Machine", timeout_seconds: float) -> Listed | None:
    """Start the probes; None if a required plugin does not support listing, or the system cannot fork."""
    variables = machine.environment
    if not hasattr(os, "fork") or any(variables.get(name) for name in _OTHERS):
        return None
    disabled = {word.strip() for word in variables.get("ACCEL_DISABLE", "").split(",")}
    plugins = list(needed((one for one in installed(sys.path) if one.name not in disabled), machine))
    if all(one.distribution == OWN and not one.data and has_module(one, "listing") for one in plugins):
        return Listed(plugins, machine, timeout_seconds)
    return None


def _lister(plugin: Installed) -> Any:
    return lambda machine, progress, seconds: module_of(plugin, "listing").listing(machine, progress, seconds)


class _Late:
    """What a probe needs from a plugin's backend, which is loaded in the child that needs it."""

    def __init__(self, name: str) -> None:
        self.name = name

    def probe(self, machine: "Machine", request: "Request") -> "Sequence[Report]":
        from accel.plugins.registry import Registry

        registry = Registry(machine.environment)
        backend = registry.backend_of(self.name)
        if backend is None:
            raise PluginError("; ".join(plugin.reason or plugin.status for plugin in registry.looked_at))
        return backend.probe(machine, request)


def _late(name: str) -> Any:
    return _Late(name)


def _report(backend: str, listing: "Listing", registry: "Registry") -> "Report":
    from accel.model.device import Device, Gap, Process
    from accel.model.report import Report

    devices: list[Device] = []
    for row in listing["devices"]:
        its_own = registry.backend(backend) if len(row) > len(DEVICE_FIELDS) else None
        held = row["processes"]
        processes = None if held is None else tuple(Process(**process) for process in held)
        devices.append(
            (its_own.device_type if its_own else Device)(
                **{**row, "processes": processes, "from_specs": tuple(row["from_specs"])}
            )
        )
    gaps = tuple(Gap(**row) for row in listing["gaps"])
    return Report(backend=backend, source=listing["source"], devices=tuple(devices), gaps=gaps)
