"""A pod that asks for an accelerator waits, since no node has the labels that it wants."""

from collections.abc import Iterator
from typing import TYPE_CHECKING

from accel.contract.check import Problem, Remedy, check, quoted

if TYPE_CHECKING:
    from accel.facts.questions import Facts
    from accel.specs import Specs


@check(
    code="AC281",
    name="pod-selector-matches-no-node",
    layer="access",
    severity="warning",
    reads=("pod-selector-unmatched", "accelerator-in-kubernetes"),
    needs=("run.program",),
    requires=("pod-devices-insufficient",),
)
def pod_selector_matches_no_node(facts: "Facts", specs: "Specs") -> Iterator[Problem]:
    """A pod that asks for an accelerator waits: no node has the labels that it wants, or all have a taint against it.

    Why it matters   The pod stays Pending for ever, though devices may be free: a label is compared letter by letter.
    What to do       Compare the selector with the nodes' labels; take the word away that no node has, or make nodes of
                     that kind. On GKE accelerator and topology must be a pair that the node pool was made with.
    Looks at         the scheduler's words on affinity, selectors and taints; accelerators among a pod's resources
    Silent when      the pod asks for no accelerator, or the scheduler says that the devices themselves are too few
    Source           Kubernetes: assigning pods to nodes; GKE: TPUs in Autopilot and Standard, node selectors
    """
    said = facts.stated("pod-selector-unmatched")
    asked = facts.stated("accelerator-in-kubernetes")
    if not said or not asked:
        return
    yield Problem(
        title="No node of the cluster has the labels that the pod asks for, or lets it in",
        evidence=quoted((*said[:2], *asked[:3])),
        remedies=(
            Remedy(
                text="Compare what the pod selects and tolerates with what the nodes have.",
                command="kubectl get nodes --show-labels | grep -iE 'accelerator|topology|gpu|npu|tpu'; "
                "kubectl describe nodes | grep -E '^Name:|^Taints:'",
                action="env",
                kind="look",
            ),
            Remedy(
                text="Take out of nodeSelector what no node has, add the toleration of the nodes' taint, or make a "
                "node pool with that accelerator and topology; then recreate the pod.",
                action="admin",
            ),
        ),
    )
