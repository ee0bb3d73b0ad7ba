from collections.abc import Iterator
from typing import Final

from accel.facts.questions import Facts
from accel.specs import Specs
from accel.vendors.contract.check import Evidence, Problem, Remedy, check, quoted

_WANTED: Final = (
    *("pod-devices-insufficient", "kubernetes-without-gpus", "no-gpu-seen"),
    *("device-plugin-without-nvml", "device-plugin-saw-none"),
)
_OF_OTHERS: Final = ("works-for-the-first", "worked-before")  # the node offers GPUs, and others hold them
_CLUSTER_KIND: Final = "cluster-kind"
_NVIDIA: Final = "kubernetes-without-gpus"


@check(
    code="AC253",
    name="node-offers-no-devices",
    layer="access",
    reads=(
        *("node-offers", "node-offers-none", "device-plugin-named", "cluster-addon-tried", _CLUSTER_KIND),
        "accelerated-image-named",
        *(*_OF_OTHERS, *_WANTED),
    ),
    needs=("fact.node-offers.amount",),
    requires=(
        *("driver-not-loaded", "amd-driver-not-loaded", "npu-driver-not-loaded", "gpu-lost", "gpu-init-failed"),
        *("k8s-nvidia-runtime-missing", "pod-devices-unhealthy", "device-plugin-not-answering"),
    ),
)
def node_offers_no_devices(facts: Facts, specs: Specs) -> Iterator[Problem]:
    """A node's capacity lists no device, though the node has accelerators, or pods wait for them.

    Why it matters   The scheduler gives no pod of this node a device: they stay pending, or start without one.
    What to do       Start this kind of cluster as it requires for GPUs (minikube --gpus, an image with the driver);
                     deploy the device plugin; run its pod under the runtime that gives it the driver; read its log.
    Looks at         Capacity and Allocatable of kubectl describe node, together with the devices that the driver lists
                     and the events of pods
    Silent when      no accelerator is known to be on the node, and no pod requests one; the driver or the plugin states
                     the reason itself
    Source           Kubernetes: device plugins; NVIDIA k8s-device-plugin: README
    """
    none = facts.stated("node-offers-none")
    offered = facts.stated("node-offers")
    zero = tuple(fact for fact in offered if fact.value("amount") == "0")
    wanted = facts.stated(*_WANTED)
    listed = facts.accelerators
    if len(zero) < len(offered):
        return
    bare = not (none or zero) and _is_bare(facts, specs)
    if not bare and (not (none or zero) or not (wanted or listed)):
        return
    from accel.vendors.toolkit.clusters import of_cluster  # few texts are about Kubernetes

    plugin = of_cluster(facts, specs, "plugin")
    of_nvidia = bool(facts.stated(_NVIDIA)) or any("nvidia" in fact.text for fact in (*none, *zero))
    told = bool(facts.stated(_CLUSTER_KIND)) or not facts.stated("device-plugin-named")
    shown = (Evidence(fact="listed", value=", ".join(device.id for device in listed[:8])),) if listed else ()
    yield Problem(
        title="No node of this cluster offers a GPU, but a pod requests one"
        if bare
        else "The node offers none of its accelerators to Kubernetes"
        if listed
        else "The node offers Kubernetes no device of the requested type",
        evidence=(*quoted((*none[:2], *zero[:2], *wanted[:1])), *shown),
        remedies=(
            *((plugin,) if of_nvidia and told else ()),
            Remedy(
                text="Check whether the device plugin runs on this node, and what it logs: without it a node offers "
                "nothing. If there is none, deploy it (NVIDIA: the GPU operator or nvidia-device-plugin).",
                command="kubectl get pods -A -o wide | grep -iE 'device-plugin|gpu-operator'; kubectl logs -n "
                "NAMESPACE PLUGIN_POD --tail=50",
                action="admin",
            ),
            Remedy(
                text="If it finds no device: its pod needs the runtime that provides the driver (containerd's "
                "default, or runtimeClassName), and its selector and tolerations must admit this node.",
                command="kubectl get runtimeclass; kubectl describe node NODE | grep -E 'Taints|nvidia.com|Capacity'",
                action="admin",
            ),
        ),
    )


def _is_bare(facts: Facts, specs: Specs) -> bool:
    """Return whether a pod waits for GPUs, this kind of cluster offers none by default, and no plugin is named."""
    from accel.vendors.toolkit.clusters import cluster_of

    wanted = facts.stated(_NVIDIA) and not facts.stated("device-plugin-named", *_OF_OTHERS)
    return bool(wanted and cluster_of(facts, specs).get("bare"))
