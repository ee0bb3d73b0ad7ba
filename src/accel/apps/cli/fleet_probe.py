"""`accel fleet probe`: prints one line about this node, for the transports to collect."""

import argparse
import os
import sys
from typing import Any

from accel.apps.cli.source import add_timeout


def add(actions: Any) -> None:
    """Add the action's parser."""
    it = actions.add_parser(
        "probe",
        help="probe this node and print one line for the merge, within a time limit",
        description="Check this node as accel doctor does, without starting any framework, and print one line of JSON "
        "(schema accel.node/1) for  accel fleet merge .",
        epilog="exit code: 0 nothing found, 1 something was found, 2 accel failed, 3 not everything was checked",
        allow_abbrev=False,
    )
    it.add_argument("--node", metavar="NAME", help="the node's name in the merge (default: its host name)")
    add_timeout(it, 20.0)


def run(options: argparse.Namespace) -> int:
    """Probe; return the exit code documented in --help."""
    from accel import __version__
    from accel.collect.live import judged
    from accel.fleet.node import answer_of, node_line
    from accel.machine.live import LiveMachine
    from accel.plugins.registry import Registry
    from accel.watch.holders.snapshot import snapshot

    registry = Registry(os.environ, guarded=True)
    found = snapshot(LiveMachine(), registry, depth="health", timeout_seconds=options.timeout)
    answer = answer_of(found, judged(found, registry), options.node, release=__version__)
    sys.stdout.write(node_line(answer))
    return {"ok": 0, "ill": 1}.get(answer.state, 3)
