from collections.abc import Iterator
from typing import Final

from accel.facts.containers import OF_LXC, in_container
from accel.vendors.contract.check import Evidence, Fact, Facts, Problem, Problems, Remedy, Specs, check, quoted
from accel.vendors.contract.command import chained
from accel.vendors.toolkit.table_steps import fix, fixes
from accel_nvidia import around

_FAILS: Final = (
    *("cuda-unknown-error", "driver-insufficient", "cuda-initialization-failed", "libcuda-missing"),
    *around.NO_GPU,
)

_AT_BOOT: Final = "echo nvidia_uvm | sudo tee /etc/modules-load.d/nvidia-uvm.conf"
_MADE: Final = "sudo nvidia-modprobe -c 0 -u"
_SHOWN: Final = "ls -l /dev/nvidia-uvm"


@check(
    code="NV096",
    name="uvm-node-missing",
    layer="access",
    family="device-permission",
    reads=(
        *("uvm-node-absent", "device-nodes-absent", "device-node-listed", "smi-works-said", *_FAILS, *around.AROUND),
        *("nodes-made-by-first-use", OF_LXC),
    ),
    needs=("use.torch|jax|tensorflow",),
    requires=("driver-too-old",),
)
def uvm_node_missing(facts: Facts, specs: Specs) -> Problems:
    """nvidia-smi works but CUDA does not: /dev/nvidia-uvm is missing, or was not passed to the container.

    Why it matters   CUDA needs the node, nvidia-smi does not; CUDA reports error 999 or "no device".
    What to do       Create the node on the host (nvidia-modprobe -c 0 -u) and pass it to the container.
    Looks at         the list of nodes; messages that it is missing, or that it exists only after nvidia-smi ran
    Silent when      the other nodes are missing too, so there is no driver; under WSL
    Source           NVIDIA driver README: device nodes; nvidia-modprobe(1)
    """
    absent = facts.stated("uvm-node-absent")
    late = facts.stated("nodes-made-by-first-use")
    if late and not absent and (in_container(facts) or facts.stated("device-node-listed", "device-nodes-absent")):
        yield _late(facts, specs, late)
        return
    names = {fact.value("name") or "" for fact in facts.stated("device-nodes-absent")}
    if any(name in ("/dev/nvidia*", "/dev/nvidiactl", "/dev/nvidia0") for name in names) or facts.on_wsl:
        return
    nodes = {fact.value("path") or "" for fact in facts.stated("device-node-listed")}
    fails = facts.stated(*_FAILS)
    unlisted = "/dev/nvidiactl" in nodes and not any("nvidia-uvm" in path for path in nodes)
    works = facts.stated("smi-works-said") if in_container(facts) and facts.stated("cuda-unknown-error") else ()
    if not absent and not (unlisted and fails and not around.closed_nodes(facts)) and not works:
        return
    shown = (Evidence(fact="device nodes", value=", ".join(sorted(nodes))[:200]),) if unlisted and not absent else ()
    yield Problem(
        title="/dev/nvidia-uvm is missing; CUDA needs it, nvidia-smi does not"
        if absent or unlisted
        else (
            "CUDA fails although nvidia-smi works: /dev/nvidia-uvm is missing in the container, or its module is stale"
        ),
        evidence=(*quoted((*absent[:2], *works[:1], *fails[:2])), *shown),
        remedies=tuple(_made(facts, specs)),
    )


def _made(facts: Facts, specs: Specs) -> Iterator[Remedy]:
    """Yield how to create the node before it is needed: on the host at each boot, then in the container."""
    if facts.first(OF_LXC) is not None or facts.host.container == "lxc":
        yield Remedy(
            text="On the host that runs the LXC containers (Proxmox, Incus), not in the container: make sure that "
            "nvidia_uvm is loaded and its nodes are created at each boot before the container starts, that its "
            "configuration mounts /dev/nvidia-uvm and /dev/nvidia-uvm-tools, then restart the container.",
            command=chained(_AT_BOOT, _MADE, _SHOWN, "sudo pct reboot CONTAINER"),
            action="admin",
        )
        return
    yield Remedy(
        text="On the host: load nvidia_uvm, create its node, and make sure that both happen at each boot.",
        command=chained(_MADE, _AT_BOOT, _SHOWN),
        action="admin",
    )
    if in_container(facts):
        yield fix(specs, "nvidia", "pass-uvm-node")


def _late(facts: Facts, specs: Specs, late: tuple[Fact, ...]) -> Problem:
    """Return the facts that the first program creates the nodes: a container started earlier does not get them."""
    return Problem(
        title="The GPU's device nodes are only created when a program on the host first uses the GPU",
        evidence=quoted((*late[:2], *facts.stated("device-nodes-absent")[:1], *facts.stated("device-node-listed")[:2])),
        remedies=fixes(specs, "nvidia", "nodes-at-boot"),
    )
