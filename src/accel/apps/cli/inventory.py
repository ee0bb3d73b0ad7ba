"""`accel devices --format`: the devices in the formats of Kubernetes, Slurm and Ray."""

import os
import sys
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Sequence


def write(form: str, files: "Sequence[str] | None", names: "Sequence[str]", timeout_seconds: float) -> int:
    """Print the devices of this machine, or of one in files; return the exit code of `accel devices`.

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
