"""`accel topology`: how devices and network cards are connected, as a matrix, JSON or a picture."""

import argparse
import os
from typing import TYPE_CHECKING, Any

from accel.apps.cli.parsing import Parser
from accel.apps.cli.source import add_source_options, add_timeout

if TYPE_CHECKING:
    from accel.model.snapshot import Snapshot
    from accel.plugins.registry import Registry
    from accel.watch.topology import Topology


def parser() -> argparse.ArgumentParser:
    """Return the command's parser."""
    it = Parser(
        prog="accel topology",
        description="Show how the accelerators and network cards of a machine are connected, for every vendor at once: "
        "links such as NVLink, XGMI and HCCS, the PCIe path between them, NUMA nodes and CPUs, each "
        "device's PCIe links up to the root, and InfiniBand and RoCE ports.",
        epilog="exit code: 0; 1 if no device and no network card is known; 2 accel failed",
        allow_abbrev=False,
    )
    add_source_options(it)
    it.add_argument("--svg", metavar="FILE", help="also write an SVG picture")
    add_timeout(it, 20.0)
    return it


def run(words: list[str]) -> int:
    """Show the topology; return the exit code described in --help."""
    options = parser().parse_args(words)
    from accel.apps.cli.output import save, say_problems, write_json, write_lines
    from accel.facts.questions import Facts
    from accel.plugins.registry import Registry
    from accel.watch.topology import topology

    registry = Registry(os.environ, guarded=True)
    say_problems(registry.specs)
    it = topology(Facts(_snapshot(options, registry)), registry.specs)
    if options.svg:
        from accel.apps.render.topology_svg import topology_svg

        save(options.svg, topology_svg(it))
    if options.json:
        write_json("accel.topology/1", **_members(it))
    else:
        from accel.apps.render.topology_text import topology_lines
        from accel.apps.render.width import page_width

        write_lines(topology_lines(it, page_width()))
    return 0 if it.members else 1


def _snapshot(options: argparse.Namespace, registry: "Registry") -> "Snapshot":
    if options.files:
        from accel.apps.cli.source import read_one_machine

        return read_one_machine(options.files, registry)
    from accel.collect.live import devices_and_wiring
    from accel.machine.live import LiveMachine

    return devices_and_wiring(LiveMachine(), registry, timeout_seconds=options.timeout)


def _members(it: "Topology") -> dict[str, Any]:
    """Return the members of the JSON document; names include the units."""
    from accel.model.to_builtins import plain

    return {
        "devices": plain(it.devices),
        "cards": plain(it.cards),
        "matrix": plain(it.joints),
        "words": plain(it.words),
        "numa_nodes": plain(it.numa_nodes),
        "domains": plain(it.domains),
        "modules": plain(it.modules) if it.modules is not None else None,
        "gaps": plain(it.gaps),
    }
