from typing import Final

from accel.facts.containers import in_container, is_kubernetes
from accel.vendors.contract.check import Facts, Problem, Problems, Remedy, Specs, check, quoted
from accel.vendors.contract.command import command_line, path_word
from accel.vendors.toolkit.table_steps import fix
from accel_nvidia import around

_STATIC: Final = "cpu-manager-static"
_BY_KUBELET: Final = (
    "kubelet's CPU manager (static) rewrites the container's device rules without the GPU: NVML answers Unknown Error"
)


@check(
    code="NV009",
    name="container-lost-gpu",
    layer="access",
    reads=(
        *("nvml-unknown-error", "cgroup-denies-nvidia", "container-reload-named", "worked-before", *around.AROUND),
        *(_STATIC, "container-restart-cures", "cuda-no-device", "no-cuda-gpus", "no-gpu-seen"),
    ),
    needs=("use.torch|jax|tensorflow",),
    requires=(
        *("gpu-lost", "gpu-xid", "driver-not-loaded", "driver-library-mismatch", "wsl-driver-libs"),
        *("container-cgroup-denied", "selinux-denied", "vgpu-unlicensed"),
    ),
)
def container_lost_gpu(facts: Facts, specs: Specs) -> Problems:
    """A container that had the GPU lost it: nvmlInit returns "Unknown Error".

    Why it matters   systemd rewrote the container's device rules (a daemon-reload is enough) without the NVIDIA nodes.
                     Running programs continue; new ones see no GPU.
    What to do       Recreate the container; then pass the devices by CDI or explicitly, to prevent a recurrence.
    Looks at         the result of nvmlInit; the device cgroup's list; a GPU that disappears after a while and returns
                     when the container restarts
    Silent when      the GPU itself is failing, the driver is not loaded, or the GPU never worked in this container
    Source           NVIDIA container toolkit: troubleshooting, "Failed to initialize NVML: Unknown Error"
    """
    if around.on_windows(facts):
        return  # containers of this kind are Linux's
    stated = facts.stated("nvml-unknown-error", "cgroup-denies-nvidia")
    cured = facts.stated("container-restart-cures")
    gone = facts.stated("cuda-no-device", "no-cuda-gpus", "no-gpu-seen") if cured else ()
    if not stated and gone and in_container(facts) and facts.stated("worked-before"):
        stated = (*gone[:2], *cured[:1])
    if not stated:
        return
    again = fix(specs, "nvidia", "recreate-lost-container")
    nodes = Remedy(
        text="Pass the device nodes explicitly, so that a daemon-reload keeps them, beside the options of its start.",
        command=command_line("docker run --gpus all", *_nodes(facts), "IMAGE"),
        action="admin",
    )
    by_cdi = fix(specs, "nvidia", "cdi-instead-of-nodes")
    if is_kubernetes(facts):
        again = Remedy(
            text="Until then, delete the pod, so that it is recreated.", command="kubectl delete pod POD", action="app"
        )
        nodes = fix(specs, "nvidia", "device-plugin-passes-nodes")
    if is_kubernetes(facts) and facts.stated(_STATIC):
        nodes = fix(specs, "nvidia", "report-nodes-to-kubelet")
    static = facts.stated(_STATIC) if is_kubernetes(facts) else ()
    cgroups = fix(specs, "nvidia", "docker-cgroupfs")
    yield Problem(
        title=_BY_KUBELET
        if static
        else "The container lost its access to the GPU: systemd on the host took it out of the device rules, as "
        "at every daemon-reload",
        evidence=quoted((*stated, *static[:1], *facts.stated("container-reload-named", "worked-before")[:1])),
        remedies=(nodes, again) if is_kubernetes(facts) else (nodes, by_cdi, cgroups, *(() if cured else (again,))),
    )


def _nodes(facts: Facts) -> tuple[str, ...]:
    """Return the options that pass the node of every listed GPU, and the nodes that all GPUs share."""
    numbers = sorted({device.index for device in around.listed(facts)}) or [0]
    words = (path_word(f"/dev/nvidia{number}") for number in numbers)
    shared = ("--device /dev/nvidiactl", "--device /dev/nvidia-uvm", "--device /dev/nvidia-uvm-tools")
    return (*(f"--device {word}" for word in words if word is not None), *shared)
