from accel.facts.containers import OF_LXC, in_container
from accel.vendors.contract.check import Facts, Problem, Problems, Remedy, Specs, check, quoted
from accel.vendors.contract.command import command_line, name_word
from accel.vendors.toolkit.table_steps import fix, fixes
from accel_nvidia import around


@check(
    code="NV005",
    name="device-permission",
    layer="access",
    reads=(
        *("nvml-no-permission", "device-node-denied", "device-node-listed", "cuda-unknown-error", "nvml-unknown-error"),
        *("rootless-named", "user-in-groups", "node-open-to-all", "works-as-root", *around.NO_GPU, *around.AROUND),
    ),
    needs=("use.torch|jax|tensorflow",),
    requires=("driver-not-loaded", "selinux-denied", "container-cgroup-denied", "uvm-node-missing"),
)
def device_permission(facts: Facts, specs: Specs) -> Problems:
    """The user, or the user inside the container, may not open the NVIDIA device nodes.

    Why it matters   The driver and the GPU are fine, but this user's programs see no GPU.
    What to do       Join the group that owns the nodes and log in again, or open the nodes to all users; with rootless
                     podman keep the supplementary groups.
    Looks at         NVML's "Insufficient Permissions", refused opens of /dev/nvidia* and of Jetson nodes, their modes
                     and groups; programs that work only as root
    Silent when      the nodes are open to all and no open was refused; SELinux or the device cgroup explains it
    Source           NVML API: NVML_ERROR_NO_PERMISSION; NVIDIA driver README: module parameters NVreg_DeviceFile*
    """
    refused, closed = facts.stated("nvml-no-permission", "device-node-denied"), around.closed_nodes(facts)
    if not refused and facts.seen("nvidia"):
        refused = facts.stated("works-as-root")
    fails = around.sees_no_gpu(facts) or facts.first("cuda-unknown-error") is not None
    if not refused and not (closed and fails):
        return
    if facts.stated("node-open-to-all") and not closed and all(f.name == "nvml-no-permission" for f in refused):
        return  # their modes let everybody in: something else refuses (a device cgroup, a service's sandbox)
    if refused and not closed and facts.stated("nvml-unknown-error") and all(_by_cgroup(fact.text) for fact in refused):
        return
    group = next((g for node in closed if (g := node.value("group")) not in (None, "root")), None)
    yield Problem(
        title="This user has no permission to open the NVIDIA device nodes"
        + ((f" (they belong to the group {group})") if group else ""),
        evidence=quoted(refused) + quoted(closed),
        remedies=fixes(specs, "nvidia", "jetson-groups")
        if any(_by_tegra(fact.text) for fact in refused)
        else _remedies(facts, specs, group),
    )


def _by_tegra(text: str) -> bool:
    """Return whether access to a Jetson device node was refused."""
    return any(word in text for word in ("NvRmMem", "/dev/nvmap", "/dev/nvhost"))


def _by_cgroup(text: str) -> bool:
    """Return whether the device cgroup refused the open (EPERM), not the mode of the node (EACCES)."""
    return "EPERM" in text or "Operation not permitted" in text


def _remedies(facts: Facts, specs: Specs, group: str | None) -> tuple[Remedy, ...]:
    if facts.first(OF_LXC) is not None:
        from accel_nvidia.container_remedies import of_lxc

        return of_lxc(facts, specs)
    join = Remedy(
        text=f"Join the group {group} and log in again."
        if group
        else "Join the groups that own these nodes (ls -l /dev/nvidia* shows them), and log in again.",
        command=command_line("sudo usermod -aG", name_word(group) or "video,render", "$USER"),
        action="admin",
    )
    everyone = fix(specs, "nvidia", "nodes-open-to-all")
    member = group is not None and any(
        group in (fact.value("groups") or "").split() for fact in facts.stated("user-in-groups")
    )
    if not in_container(facts) and not member:
        return (join, everyone)
    number = fix(specs, "nvidia", "docker-group-number")
    keep = fix(specs, "nvidia", "podman-keep-groups")
    if member:  # a container, or a session older than the membership, does not have the group
        again = Remedy(
            text=f"The user is already in the group {group}: make sure that the process is, too; log in again.",
            command="id; ls -l /dev/nvidia*",
            action="env",
        )
        return (keep, number, again)
    podman = facts.host.container == "podman"
    return (keep, join, everyone) if podman else (number, keep, everyone)
