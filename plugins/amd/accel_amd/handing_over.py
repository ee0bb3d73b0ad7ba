"""How to pass AMD's device nodes to a container, for the tool that created the container. Pure."""

from typing import Final

from accel.facts.containers import CONTAINER, OF_DISTROBOX, OF_LXC, container_engine
from accel.vendors.contract.check import Facts, Remedy

READS: Final = (*CONTAINER, OF_LXC, OF_DISTROBOX)
_LXC: Final = Remedy(
    text="On the host, pass both nodes to the guest, with the numbers that the groups render and video have in the "
    "guest (Proxmox; incus:  incus config device add NAME kfd unix-char path=/dev/kfd gid=GID ), and restart it.",
    command="pct set ID --dev0 /dev/kfd,gid=GID --dev1 /dev/dri/renderD128,gid=GID && pct reboot ID",
    action="admin",
)
_BOX: Final = Remedy(
    text="Create the box so that it keeps the groups of the user who creates it; that user must be in the host's "
    "group render (on the host: sudo usermod -aG render,video $USER, and log in again).",
    command="distrobox create --name ROCM --image IMAGE --additional-flags '--device /dev/kfd --device /dev/dri "
    "--group-add keep-groups'",
    action="env",
)
_PODMAN: Final = Remedy(
    text="Keep the groups of the user who starts the container, instead of any other --group-add: rootless "
    "podman can add no others. That user must be in the host's group render. If SELinux still refuses (RHEL, Fedora): "
    "sudo setsebool -P container_use_devices 1",
    command="podman run --device=/dev/kfd --device=/dev/dri --group-add keep-groups IMAGE",
    action="env",
)
_BY_ENGINE: Final = Remedy(
    text="Start the container with the device nodes, and with the number of the host's render group, because group "
    "names differ inside.",
    command='docker run --device=/dev/kfd --device=/dev/dri --group-add "$(getent group render | cut -d: -f3)" IMAGE',
    action="env",
)
_NODES: Final = Remedy(
    text="Pass the device nodes when you start the container; ls -l /dev/kfd on the host must show the node.",
    command="docker run --device=/dev/kfd --device=/dev/dri IMAGE",
    action="env",
)


def with_groups(facts: Facts) -> Remedy:
    """Return how to give a container the nodes and the permission to open them."""
    if facts.first(OF_LXC):
        return _LXC
    if facts.first(OF_DISTROBOX):
        return _BOX
    return _PODMAN if container_engine(facts) == "podman" else _BY_ENGINE


def nodes(facts: Facts) -> Remedy:
    """Return how to give a container the nodes that it lacks."""
    if facts.first(OF_LXC):
        return _LXC
    return _BOX if facts.first(OF_DISTROBOX) else _NODES
