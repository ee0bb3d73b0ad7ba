from accel.facts.containers import CONTAINER, in_container
from accel.vendors.contract.check import Evidence, Fact, Facts, Problem, Problems, Remedy, Specs, check, quoted
from accel.vendors.toolkit.table_steps import fix
from accel_tpu.accelerator_type import nodes_of
from accel_tpu.signs import need_tpu, type_here


@check(
    code="TP007",
    name="tpu-device-node-missing",
    layer="access",
    reads=("tpu-node-missing", "tpu-after-restart", "tpu-type", *CONTAINER),
    needs=("tpu.devices.device_path",),
    requires=("tpu-container-without-devices",),
    explained_by=("tpu-vm-runtime-mismatch",),
)
def device_node_missing(facts: Facts, specs: Specs) -> Problems:
    """A machine with a TPU has no device node for it, or not for every chip.

    Why it matters   A container without the nodes, or a machine without the driver, finds no TPU.
    What to do       Pass every node to the container; on the host, recreate the machine: it came back without its
                     device, or its image lost the driver.
    Looks at         the PCI bus against /dev/accelN and /dev/vfio/N; "No such file" and "not found" about a node
    Silent when      every chip has its node; the text lists only the bus; v5e or later, whose nodes are /dev/vfio/N
    Source           marin-community/marin pull 3871; jax issue 13260; tpu-info: device.py
    """
    need_tpu(facts)
    here = type_here(facts, specs)
    wanted = nodes_of(here.generation, specs) if here else None
    said = [fact for fact in facts.stated("tpu-node-missing") if _is_of(fact, wanted)]
    chips = facts.of("tpu") if facts.live else ()  # a pasted lspci does not show the nodes
    bare = tuple(d.id for d in chips if d.pci_address and getattr(d, "device_path", None) is None)
    if not said and not bare:
        return
    restarted = facts.stated("tpu-after-restart")
    yield Problem(
        title=f"{len(bare)} TPU chips have no device node" if bare else "A TPU chip's device node is missing",
        devices=bare,
        evidence=quoted((*said, *restarted))
        + tuple(Evidence(fact="device_path", value=f"{device}: none") for device in bare[:4]),
        remedies=_remedies(in_container(facts), bool(restarted), specs),
    )


def _is_of(fact: Fact, wanted: str | None) -> bool:
    """Return whether this generation has such a node; True if unknown."""
    text = fact.text.lower()
    if wanted is None or "/dev/" not in text:
        return True
    return wanted.rstrip("*/0123456789") in text


def _remedies(contained: bool, restarted: bool, specs: Specs) -> tuple[Remedy, ...]:
    pass_on = fix(specs, "tpu", "pass-nodes")
    look = fix(specs, "tpu", "nodes-and-bus")
    recreate = fix(specs, "tpu", "recreate-vm")
    if restarted:
        return (recreate, look)
    return (pass_on, look, recreate) if contained else (look, recreate, pass_on)
