from collections.abc import Iterator

from accel.facts.containers import CONTAINER, in_container
from accel.model.dataclass import replace
from accel.vendors.contract.check import Facts, Problem, Problems, Remedy, Specs, check, quoted


@check(
    code="NV113",
    name="nccl-ib-not-used",
    layer="access",
    severity="warning",
    family="nccl-problem",
    reads=(
        *("rdma-open-failed", "rdma-listed", "ibverbs-missing", "nccl-over-sockets", "nccl-over-ib", "ib-disabled"),
        "nccl-found-no-rdma",
        *CONTAINER,
    ),
    needs=(),
    explained_by=("memlock-too-low",),
)
def nccl_ib_not_used(facts: Facts, specs: Specs) -> Problems:
    """There is an InfiniBand or RoCE network card, but NCCL uses TCP sockets.

    Why it matters   Multi-node jobs run at a tenth of the speed.
    What to do       Pass the device nodes to the container and install the RDMA libraries; do not disable InfiniBand.
    Looks at         cards that NCCL cannot open; cards that tools list when NCCL reports "NET/Socket"
    Silent when      there is no such card: every cloud node prints "NET/IB : No device found"
    Source           NCCL: src/transport/net_ib.cc; NCCL user guide: networking
    """
    failed, listed = facts.stated("rdma-open-failed"), facts.stated("rdma-listed")
    sockets, lacks = facts.stated("nccl-over-sockets"), facts.stated("ibverbs-missing")
    without = facts.stated("nccl-found-no-rdma")
    if facts.stated("nccl-over-ib") and not failed:
        return
    if not failed and not (listed and (sockets or without)):
        return
    disabled = facts.stated("ib-disabled") if not failed else ()
    device = next((name for fact in (*failed, *listed) if (name := fact.value("device"))), None)
    title = f"NCCL uses TCP sockets although {device or 'an RDMA network card'} is available"
    if without and not sockets:
        title = f"NCCL finds no RDMA network card, although {device or 'one'} is available"
    if failed:
        title = f"NCCL cannot open {device or 'the RDMA network card'} and uses TCP sockets"
    yield Problem(
        title=title,
        evidence=quoted((*failed[:2], *lacks[:1], *disabled[:1], *listed[:1], *sockets[:1], *without[:1]), most=6),
        remedies=tuple(_remedies(facts, bool(disabled), bool(lacks))),
    )


def _remedies(facts: Facts, disabled: bool, lacks: bool) -> Iterator[Remedy]:
    if disabled:
        yield Remedy(
            text="Do not disable InfiniBand for NCCL, unless that is intended.",
            command="unset NCCL_IB_DISABLE",
            action="env",
        )
    container = Remedy(
        text="Start the container with the RDMA device nodes, and let it lock memory.",
        command="docker run --device /dev/infiniband --cap-add IPC_LOCK --ulimit memlock=-1 --network host IMAGE",
        action="env",
    )
    libraries = Remedy(
        text="Install the RDMA libraries where the program runs (in its image).",
        command="sudo apt install -y libibverbs1 ibverbs-providers librdmacm1",
        action="env",
    )
    if in_container(facts):
        yield container
    if lacks:
        yield libraries
    yield Remedy(
        text="Check whether this user sees the card and its device nodes.",
        command="ls -l /dev/infiniband; ibv_devinfo",
        action="env",
        kind="look",
    )
    if not in_container(facts):
        yield replace(container, text=f"In a container: {container.text[:1].lower()}{container.text[1:]}")
