from accel.facts.containers import CONTAINER, in_container
from accel.vendors.contract.check import Evidence, Facts, Problem, Problems, Remedy, Specs, applies, check, need, quoted
from accel.vendors.contract.command import command_line, path_word
from accel.vendors.toolkit.table_steps import fix
from accel_tpu.signs import need_tpu, with_nodes


@check(
    code="TP002",
    name="tpu-device-permission",
    layer="access",
    reads=("tpu-node-refused", "tpu-node-not-permitted", *CONTAINER),
    needs=("tpu.devices.node_accessible",),
    requires=("tpu-held-by-other-process", "tpu-container-without-devices"),
)
def device_permission(facts: Facts, specs: Specs) -> Problems:
    """This user, or this container, may not open the chips' device nodes.

    Why it matters   The chips are present, but this user's programs cannot use them.
    What to do       Run as a user with permission, or pass the nodes to the container.
    Looks at         "Operation not permitted" and "Permission denied" on the nodes; whether this process may open them
    Silent when      the nodes open; a process holds them; undecided if nothing mentions them
    Source           pytorch/xla issues 3883 and 3165
    """
    refused = facts.stated("tpu-node-refused", "tpu-node-not-permitted")
    if not refused:
        need_tpu(facts)
    access = {d.id: getattr(d, "node_accessible", None) for d in facts.of("tpu")}
    closed = tuple(device for device, may in access.items() if may is False)
    if not refused and not closed:
        applies(
            facts.live or any(may is not None for may in access.values()), ("nothing is known about the device nodes")
        )
        need(next((may for may in access.values() if may is not None), None), "node_accessible")
        return
    paths = {getattr(d, "device_path", None) for d in facts.of("tpu") if d.id in closed}
    nodes = sorted(path for path in paths if path)
    device = "/dev/vfio" if any("vfio" in fact.text.lower() for fact in refused) else "/dev/accel0"
    contained = Remedy(
        text="In a container: pass every node, including /dev/vfio/vfio for VFIO, or run it privileged.",
        command=command_line("docker run --privileged --device", path_word(nodes[0] if nodes else device), "IMAGE"),
        action="env",
    )
    on_host = fix(specs, "tpu", "who-holds-nodes")
    yield Problem(
        title=f"This user has no permission to open {', '.join(nodes[:4]) or 'the device nodes of the TPU'}",
        devices=tuple(dict.fromkeys((*closed, *with_nodes(facts, refused)))),
        evidence=quoted(refused) + tuple(Evidence(fact="node_accessible", value=f"{d}: no") for d in closed),
        remedies=(contained, on_host) if in_container(facts) else (on_host, contained),
    )
