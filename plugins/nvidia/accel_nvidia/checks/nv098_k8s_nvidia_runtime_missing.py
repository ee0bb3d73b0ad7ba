from typing import Final

from accel.facts.containers import is_kubernetes
from accel.vendors.contract.check import Facts, Problem, Problems, Specs, check, quoted
from accel.vendors.toolkit.table_steps import fix, fixes
from accel_nvidia import around

_CLUSTER_KIND: Final = "cluster-kind"


@check(
    code="NV098",
    name="k8s-nvidia-runtime-missing",
    layer="access",
    family="container-without-gpu",
    reads=(
        *("runtime-class-not-configured", "device-plugin-without-nvml", "kubernetes-without-gpus"),
        *("device-plugin-saw-none", "go-program-without-nvml", "device-plugin-named", _CLUSTER_KIND),
        "cluster-addon-tried",
        *("operator-named", "nouveau-in-use", "other-driver-bound"),
        *("nvml-library-absent", "nvidia-module-absent", *around.AROUND),
    ),
    needs=("use.torch|jax|tensorflow",),
)
def k8s_nvidia_runtime_missing(facts: Facts, specs: Specs) -> Problems:
    """The device plugin, or a pod, runs under containerd's default runtime, which adds no driver library.

    Why it matters   The plugin finds no NVML and offers no nvidia.com/gpu; pods stay pending or see no GPU. Docker on
                     the same node may work: Kubernetes uses containerd, which is configured separately.
    What to do       Register the runtime with containerd, restart it, create the RuntimeClass nvidia, name it in pods.
    Looks at         the device plugin's log; "no runtime for nvidia is configured"; the pod's events; a plugin that
                     loaded NVML and found no device although the driver lists one
    Silent when      pods only wait for GPUs, which may be in use
    Source           NVIDIA k8s-device-plugin: README; Kubernetes: runtime class
    """
    handler = facts.stated("runtime-class-not-configured")
    plugin = facts.stated("device-plugin-without-nvml")
    saw_none = facts.stated("device-plugin-saw-none")
    if saw_none and not (handler or plugin) and around.gpus(facts) and around.driver_version(facts):
        yield Problem(
            title="The Kubernetes device plugin found no GPU when it started, but the driver lists one now",
            detail="The plugin only looks once. After the node boots, it may start before the driver has its devices.",
            evidence=quoted(saw_none[:2]),
            remedies=fixes(specs, "nvidia", "device-plugin-again"),
        )
        return
    plugin += saw_none
    if not plugin and (is_kubernetes(facts) or facts.stated("device-plugin-named")):
        plugin = facts.stated("go-program-without-nvml")
    if not handler and not plugin:
        return
    nouveau = facts.stated("nouveau-in-use", "other-driver-bound") if facts.stated("operator-named") else ()
    if handler and nouveau and not around.driver_version(facts):
        from accel_nvidia.module_remedies import displace_nouveau

        yield Problem(
            title="nouveau holds the node's GPU, so the operator's driver does not load, and its runtime is never "
            "registered",
            evidence=quoted((*nouveau[:2], *handler[:1])),
            remedies=displace_nouveau(facts, specs),
        )
        return
    if not handler and facts.stated("nvidia-module-absent") and not facts.stated("nvml-library-absent"):
        return  # the node itself has no driver
    title = "The Kubernetes device plugin finds no NVML: its pod does not run under NVIDIA's runtime"
    if handler:
        title = "Kubernetes requests the runtime nvidia, which containerd does not know"
    from accel.vendors.toolkit.clusters import of_cluster  # few texts are about Kubernetes

    registered = of_cluster(facts, specs, "handler" if handler else "runtime")
    yield Problem(
        title=title,
        evidence=quoted((*handler[:2], *plugin[:2], *facts.stated("nvml-library-absent")[:1])),
        remedies=(
            registered,
            fix(specs, "nvidia", "runtime-class"),
        ),
    )
