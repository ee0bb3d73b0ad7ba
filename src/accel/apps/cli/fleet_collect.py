"""`accel fleet collect`: what probes wrote in the logs of a cluster, as one answer."""

import argparse
from typing import Any

from accel.apps.cli import fleet_merge
from accel.apps.cli.fleet_doctor import add_round, merged


def add(actions: Any) -> None:
    """Add the action's parser."""
    it = actions.add_parser(
        "collect",
        help="merge what the probes of a Kubernetes cluster wrote in their logs",
        description="Merge what the pods of  docs/examples/kubernetes  wrote in their logs, by kubectl get and kubectl "
        "logs. Nodes that are not ready, or whose pod waits, have their rows; labels of nodes are their places.",
        epilog="exit code: 0 all nodes are well, 1 something was found, 2 accel could not do it, 3 incomplete",
        allow_abbrev=False,
    )
    it.add_argument("--k8s", action="store_true", required=True, help="from Kubernetes")
    it.add_argument("--namespace", default="default", metavar="NAME", help="of the pods (default: default)")
    it.add_argument("--selector", default="app=accel-fleet", metavar="LABELS", help="of the pods (app=accel-fleet)")
    it.add_argument("--context", metavar="NAME", help="of kubectl's configuration")
    add_round(it)
    fleet_merge.add_output(it)


def run(options: argparse.Namespace) -> int:
    """Collect; return the exit code that --help states."""
    from accel.fleet.carriers.kubernetes import Kubernetes

    cluster = Kubernetes(namespace=options.namespace, selector=options.selector, context=options.context)
    return fleet_merge.show(merged(options, cluster.answers(options.deadline), ()), options)
