"""`accel fleet collect`: merges what probes wrote to a cluster's logs."""

import argparse
from typing import Any

from accel.apps.cli import fleet_merge
from accel.apps.cli.fleet_doctor import add_round, merged


def add(actions: Any) -> None:
    """Add the action's parser."""
    it = actions.add_parser(
        "collect",
        help="merge the output of probe pods in a Kubernetes cluster",
        description="Merge the logs of the pods in  docs/examples/kubernetes , using kubectl get and kubectl logs. "
        "Nodes that are not ready, or whose pod is pending, also get a row; node labels give their "
        "location.",
        epilog="exit code: 0 all nodes are healthy, 1 something was found, 2 accel failed, 3 incomplete",
        allow_abbrev=False,
    )
    it.add_argument("--k8s", action="store_true", required=True, help="collect from Kubernetes")
    it.add_argument("--namespace", default="default", metavar="NAME", help="namespace of the pods (default: default)")
    it.add_argument(
        "--selector",
        default="app=accel-fleet",
        metavar="LABELS",
        help="label selector of the pods (default: app=accel-fleet)",
    )
    it.add_argument("--context", metavar="NAME", help="kubectl context")
    add_round(it)
    fleet_merge.add_output(it)


def run(options: argparse.Namespace) -> int:
    """Collect; return the exit code documented in --help."""
    from accel.fleet.carriers.kubernetes import Kubernetes

    cluster = Kubernetes(namespace=options.namespace, selector=options.selector, context=options.context)
    return fleet_merge.show(merged(options, cluster.answers(options.deadline), ()), options)
