"""A user may not open the NVIDIA device nodes."""

from collections.abc import Iterator
from typing import TYPE_CHECKING

from accel.contract.check import Evidence, Problem, Remedy, check
from accel_nvidia import signs

if TYPE_CHECKING:
    from accel.facts.questions import Facts
    from accel.specs import Specs


@check(code="NV005", name="device-permission", layer="access", requires=("driver-not-loaded",))
def device_permission(facts: "Facts", specs: "Specs") -> Iterator[Problem]:
    """The user, or the user inside the container, may not open the NVIDIA device nodes.

    Why it matters   The driver and the GPU are fine, and this user sees none of it.
    What to do       Join the group that owns the nodes and log in again, or open the nodes to all; with rootless
                     podman keep the supplementary groups.
    Looks at         NVML's "Insufficient Permissions", refused opens of /dev/nvidia*, modes and groups of the nodes
    Silent when      the nodes are open to all and nothing was refused
    Source           NVML API: NVML_ERROR_NO_PERMISSION; NVIDIA driver README: module parameters NVreg_DeviceFile*
    """
    refused, closed = signs.refused(facts), signs.closed_nodes(facts)
    fails = signs.sees_no_gpu(facts) or facts.event("cuda-unknown-error") is not None
    if not refused and not (closed and fails):
        return
    group = next((g for e in closed if (g := e.value("group")) not in (None, "root")), None)
    nodes = tuple(
        Evidence(
            fact=e.value("path") or "device node", value=f"{e.value('mode')} {e.value('owner')} {e.value('group')}"
        )
        for e in closed[:4]
    )
    yield Problem(
        title="This user may not open the NVIDIA device nodes" + (f" (they belong to group {group})" if group else ""),
        evidence=signs.quoted(refused) + nodes,
        remedies=_remedies(facts, group),
    )


def _remedies(facts: "Facts", group: str | None) -> tuple[Remedy, ...]:
    join = Remedy(
        text=f"Join the group {group} and log in again."
        if group
        else "Join the group that owns the nodes and log in again.",
        command=f"sudo usermod -aG {group or 'video'} $USER",
        action="admin",
    )
    everyone = Remedy(
        text="Or open the nodes to everybody, as the driver does by default (NVreg_DeviceFileMode=0666).",
        command="sudo chmod 0666 /dev/nvidia*",
        action="admin",
    )
    container = Remedy(
        text="Rootless podman: keep the user's groups. Docker: add the nodes' numeric group.",
        command="podman run --group-add keep-groups --device nvidia.com/gpu=all IMAGE",
        action="env",
    )
    return (join, everyone, container) if signs.in_container(facts) else (join, everyone)
