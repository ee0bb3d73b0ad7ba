from typing import Final

from accel.vendors.contract.check import Evidence, Facts, Problem, Problems, Remedy, Specs, applies, check, need, quoted

_JOIN: Final = (
    Remedy(text="Join the group, then log in again.", command='sudo usermod -aG render "$USER"', action="admin"),
    Remedy(
        text="In a container: pass the nodes and the group.",
        command='docker run --device /dev/dri --group-add "$(stat -c %g /dev/dri/renderD128)" IMAGE',
        action="env",
    ),
)


@check(
    code="IN002",
    name="intel-gpu-permission",
    layer="access",
    severity="warning",
    family="device-permission",
    reads=("intel-works-as-root", "intel-named", "dri-denied", "xpu-not-found", "works-as-root", "render-node-closed"),
    needs=("intel.devices",),
)
def intel_gpu_permission(facts: Facts, specs: Specs) -> Problems:
    """The render node exists, but this process may not open it.

    Why it matters   Level Zero and OpenCL then list no GPU, without saying why.
    What to do       Add the user to the node's group, "render"; pass the group's number to a container too.
    Looks at         whether this process may open /dev/dri/renderD*; what root can see and the user cannot; refused
                     opens of /dev/dri; ls -l of the nodes with the user's groups
    Silent when      every node opens; undecided if that was not tried
    Source           dgpu-docs.intel.com: installation, "Configuring permissions"
    """
    devices = facts.of("intel")
    by_root = facts.stated("intel-works-as-root")
    if by_root and (devices or facts.stated("intel-named")):
        yield Problem(
            title="Root sees the Intel GPU, but this user does not: it has no permission to open the render node",
            evidence=quoted(by_root[:3]),
            remedies=_JOIN,
        )
        return
    denied = facts.stated("dri-denied", "render-node-closed", "works-as-root")
    if denied and (devices or facts.stated("intel-named", "xpu-not-found")):
        yield Problem(
            title="This user has no permission to open the Intel GPU's render node",
            evidence=quoted(denied[:3]),
            remedies=_JOIN,
        )
        return
    applies(bool(devices), "no Intel GPU is known")
    access = {d.id: getattr(d, "node_accessible", None) for d in devices}
    need(next((may for may in access.values() if may is not None), None), "node_accessible")
    closed = [d for d in devices if access[d.id] is False]
    if not closed:
        return
    nodes = [str(getattr(d, "device_path", None)) for d in closed]
    yield Problem(
        title=f"This user has no permission to open {', '.join(nodes[:4])}",
        devices=tuple(d.id for d in closed),
        evidence=tuple(Evidence(fact="node_accessible", value=f"{node}: no") for node in nodes[:4]),
        remedies=_JOIN,
    )
