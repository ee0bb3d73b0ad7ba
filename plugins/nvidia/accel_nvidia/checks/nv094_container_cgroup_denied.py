"""The device cgroup of a container that was not, or may not be, opened for the GPU."""

from collections.abc import Iterator
from typing import TYPE_CHECKING, Final

from accel.contract.check import Problem, Remedy, check, quoted

if TYPE_CHECKING:
    from accel.facts.questions import Facts
    from accel.specs import Specs

_LEAVE: Final = "sudo nvidia-ctk config --set nvidia-container-cli.no-cgroups=true --in-place"
_OPEN: Final = "sudo nvidia-ctk config --set nvidia-container-cli.no-cgroups=false --in-place"


@check(
    code="NV094",
    name="container-cgroup-denied",
    layer="access",
    family="device-permission",
    reads=(
        *("hook-may-not-write-cgroup", "no-cgroups-set", "unknown-from-the-first-second", "rootless-named"),
        *("cgroup-lacks-number", "device-number"),
    ),
    needs=("use.torch|jax|tensorflow",),
)
def container_cgroup_denied(facts: "Facts", specs: "Specs") -> Iterator[Problem]:
    """The NVIDIA hook may not write the container's device cgroup, or was told not to where it has to.

    Why it matters   A rootless engine may not change device cgroups: the hook fails, and the container does not start.
                     With root's engine and no-cgroups = true it starts, and NVML answers Unknown Error at once.
    What to do       no-cgroups = true in the toolkit's configuration for a rootless engine, false for root's.
    Looks at         the innermost sentence of the hook's error; an Unknown Error from the first second; the numbers
                     that an LXC container is allowed, against those that the kernel gave the nodes at this boot
    Silent when      the container had the GPU and lost it
    Source           NVIDIA container toolkit: rootless mode; libnvidia-container: nvcgo, device cgroups
    """
    denied = facts.stated("hook-may-not-write-cgroup")
    at_once = facts.stated("unknown-from-the-first-second")
    rootless = facts.first("rootless-named") is not None
    if denied:
        leave = Remedy(
            text="Rootless engine: have the hook leave the cgroup alone (no-cgroups = true below "
            "[nvidia-container-cli] in /etc/nvidia-container-runtime/config.toml).",
            command=_LEAVE,
            action="admin",
        )
        cdi = Remedy(
            text="Or hand the GPU over by CDI, which needs no hook.",
            command="sudo nvidia-ctk cdi generate --output=/etc/cdi/nvidia.yaml",
            action="admin",
        )
        newer = Remedy(
            text="With root's engine: update the NVIDIA container toolkit; old ones do not know cgroup v2.",
            command="nvidia-container-cli --version; stat -fc %T /sys/fs/cgroup",
            action="admin",
        )
        yield Problem(
            title="The NVIDIA hook may not write the container's device cgroup",
            evidence=quoted(denied),
            remedies=(leave, cdi) if rootless else (leave, newer, cdi),
        )
    elif at_once and not rootless:
        yield Problem(
            title="The container's device cgroup does not let the GPU in: NVML answers Unknown Error from the start",
            evidence=quoted((*at_once, *facts.stated("no-cgroups-set")[:1])),
            remedies=(
                Remedy(
                    text="Root's engine: have the hook open the cgroup (no-cgroups = false below "
                    "[nvidia-container-cli] in /etc/nvidia-container-runtime/config.toml).",
                    command=_OPEN,
                    action="admin",
                ),
                Remedy(
                    text="Or name the nodes in the start command.",
                    command="docker run --gpus all --device /dev/nvidia0 --device /dev/nvidiactl "
                    "--device /dev/nvidia-uvm IMAGE nvidia-smi",
                    action="env",
                ),
            ),
        )
    yield from _other_number(facts)


def _other_number(facts: "Facts") -> Iterator[Problem]:
    """An LXC container is allowed numbers that the nodes do not have: nvidia-uvm's changes at each boot."""
    for fact in facts.stated("cgroup-lacks-number")[:1]:
        name, major = fact.value("name"), fact.value("major")
        yield Problem(
            title=f"The LXC container may not open {name}: its number is {major}, which the container is not allowed",
            evidence=quoted((fact, *facts.stated("device-number")[:3])),
            remedies=(
                Remedy(
                    text=f"Allow number {major} in the container's configuration (Proxmox: /etc/pve/lxc/ID.conf) with "
                    f"the line  lxc.cgroup2.devices.allow: c {major}:* rwm  and restart the container. The number "
                    "of nvidia-uvm and nvidia-caps can change with each boot and each driver.",
                    command="grep nvidia /proc/devices; ls -l /dev/nvidia*",
                    action="admin",
                ),
            ),
        )
