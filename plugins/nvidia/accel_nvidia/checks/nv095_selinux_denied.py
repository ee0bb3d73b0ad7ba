from typing import Final

from accel.facts.containers import in_container, is_of_class
from accel.vendors.contract.check import Evidence, Fact, Facts, Problem, Problems, Remedy, Specs, check, quoted
from accel.vendors.toolkit.table_steps import fixes
from accel_nvidia import around

_ENFORCING: Final = ("fedora", "red hat", "rhel", "centos", "rocky", "alma", "oracle linux", "coreos", "silverblue")
_USABLE: Final = ("container_file_t", "nvidia_device_t")  # types of nodes that a container may open
_HOOK: Final = "container-hook-without-rights"
_REFUSED: Final = ("nvml-no-permission", "device-node-denied")


@check(
    code="NV095",
    name="selinux-denied",
    layer="access",
    family="device-permission",
    reads=(
        *("selinux-denied-nvidia", "selinux-named", "selinux-cured", "device-node-listed", "nvml-unknown-error"),
        *(*_REFUSED, _HOOK, *around.NO_GPU, *around.AROUND),
    ),
    needs=("use.torch|jax|tensorflow",),
)
def selinux_denied(facts: Facts, specs: Specs) -> Problems:
    """SELinux denies a container's processes access to the NVIDIA device nodes.

    Why it matters   NVML reports "Insufficient Permissions" although mode and group of the nodes admit the user.
    What to do       Start the container without SELinux labels, or let containers use devices (container_use_devices).
    Looks at         denial records; "Insufficient Permissions" in a container on an enforcing system, or with nodes
                     that are open to all but labelled for other programs
    Silent when      the mode of the nodes forbids access, or no container is involved
    Source           NVIDIA container toolkit: SELinux; container-selinux: container_use_devices
    """
    denied = facts.stated("selinux-denied-nvidia")
    refused = around.inside(facts.stated(*_REFUSED))
    named, cured = facts.stated("selinux-named"), facts.stated("selinux-cured")
    distribution = (facts.host.distribution or "").lower()
    enforcing = bool(named) or any(name in distribution for name in _ENFORCING)
    fails = refused or (facts.stated("nvml-unknown-error", *around.NO_GPU) if denied else ())
    if around.closed_nodes(facts) and not denied:
        return
    labelled = _kept_by_label(facts) if refused or facts.stated("nvml-no-permission") else ()
    refused = refused or (facts.stated("nvml-no-permission") if labelled else ())
    hook = facts.stated(_HOOK) if named and not facts.stated("rootless-named") else ()
    if (
        not (labelled or hook)
        and not (denied and (fails or any("avc" in f.text.lower() or "preventing" in f.text.lower() for f in denied)))
        and not (refused and (cured or (enforcing and in_container(facts))))
    ):
        return
    place = (
        ()
        if named or denied or cured or labelled
        else (Evidence(fact="distribution", value=facts.host.distribution or "", grade="implied"),)
    )
    podman = facts.host.container == "podman"
    yield Problem(
        title="SELinux blocks the container's access to the NVIDIA device nodes",
        evidence=(*quoted((*denied[:2], *refused[:2], *hook[:1], *named[:1], *cured[:1], *labelled[:2])), *place),
        remedies=(
            *(fixes(specs, "nvidia", "enroot-selinux") if is_of_class(facts, "enroot") else ()),
            Remedy(
                text="Start the container without SELinux labels.",
                command="podman run --device nvidia.com/gpu=all --security-opt label=disable IMAGE nvidia-smi"
                if podman
                else "docker run --gpus all --security-opt label=disable IMAGE nvidia-smi",
                action="admin",
            ),
            *fixes(specs, "nvidia", "container-use-devices", "selinux-audit-log"),
        ),
    )


def _kept_by_label(facts: Facts) -> tuple[Fact, ...]:
    """Return the listed nodes that are open to all by mode but labelled for programs outside containers."""
    return tuple(
        fact
        for fact in facts.stated("device-node-listed")
        if (parts := (fact.value("label") or "").split(":"))[2:3] and parts[2] not in _USABLE and not _closed(fact)
    )


def _closed(node: Fact) -> bool:
    return (node.value("mode") or "")[7:9] != "rw"
