"""This user may not open the TPU's device nodes."""

from collections.abc import Iterator
from typing import TYPE_CHECKING

from accel.contract.check import Evidence, Problem, Remedy, check, need
from accel_tpu.signs import need_tpu, quoted, with_nodes

if TYPE_CHECKING:
    from accel.facts.questions import Facts
    from accel.specs import Specs


@check(code="TP002", name="tpu-device-permission", layer="access")
def device_permission(facts: "Facts", specs: "Specs") -> Iterator[Problem]:
    """This user, or this container, may not open the chips' device nodes.

    Why it matters   The chips are there and no program of this user can have them.
    What to do       Run as a user who may, or give the container the nodes.
    Looks at         "Operation not permitted" and "Permission denied" of the nodes; whether this process may open them
    Silent when      the nodes open; undecided where nothing tells of them
    Source           pytorch/xla issues 3883 and 3165
    """
    need_tpu(facts)
    refused = facts.events("tpu-node-refused")
    access = {d.id: getattr(d, "node_accessible", None) for d in facts.of("tpu")}
    closed = tuple(device for device, may in access.items() if may is False)
    if not refused and not closed:
        need(next((may for may in access.values() if may is not None), None), "node_accessible")
        return
    paths = [event.value("path") or event.value("node") for event in refused]
    paths += [getattr(d, "device_path", None) for d in facts.of("tpu") if d.id in closed]
    nodes = sorted({path for path in paths if path})
    yield Problem(
        title=f"This user may not open {', '.join(nodes[:4]) or 'the device nodes of the TPU'}",
        devices=tuple(dict.fromkeys((*closed, *with_nodes(facts, nodes)))),
        evidence=quoted(refused) + tuple(Evidence(fact="node_accessible", value=f"{d}: no") for d in closed),
        remedies=(
            Remedy(
                text="In a container: pass every node, and /dev/vfio/vfio with those of VFIO, or run it privileged.",
                command=f"docker run --privileged --device {nodes[0] if nodes else '/dev/accel0'} IMAGE",
                action="env",
            ),
            Remedy(
                text="On the host: see who may open the nodes; run as root, or have them opened to your group.",
                command="ls -l /dev/accel* /dev/vfio/",
                action="admin",
            ),
        ),
    )
