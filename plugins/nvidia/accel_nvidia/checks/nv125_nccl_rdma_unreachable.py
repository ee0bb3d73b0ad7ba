from collections.abc import Iterator
from typing import Final

from accel.vendors.contract.check import Facts, Problem, Problems, Remedy, Specs, check, quoted
from accel.vendors.contract.command import assignment_word, command_line, number_word

_GIVE_INTERFACE: Final = (
    Remedy(
        text="Give the container the host's network, or the card's own interface (Kubernetes: a secondary network such "
        "as macvlan, host-device or SR-IOV).",
        command="docker run --network host --device /dev/infiniband --cap-add IPC_LOCK IMAGE",
        action="env",
    ),
    Remedy(
        text="Check which GIDs have an interface here: a line without one cannot be used.",
        command="show_gids; grep . /sys/class/infiniband/*/ports/1/gid_attrs/ndevs/*",
        action="admin",
        kind="look",
    ),
    Remedy(text="Until then, use TCP, which is slower.", command="export NCCL_IB_DISABLE=1", action="env"),
)

_CHOOSE_INDEX: Final = Remedy(
    text="Use the index of a line that has this container's own IPv4 address and is RoCE v2, the same on every "
    "machine; NCCL from 2.26 on skips those that it cannot read.",
    command="show_gids; export NCCL_IB_GID_INDEX=3",
    action="env",
)
_RAISE_LIMIT: Final = (
    Remedy(
        text="Let the program lock as much memory as it needs, and pass the cards to it.",
        command="docker run --ulimit memlock=-1 --cap-add IPC_LOCK --device /dev/infiniband --network host IMAGE",
        action="env",
    ),
    Remedy(
        text="Check the limit where the program runs, and the state of the cards there.",
        command="ulimit -l; ibv_devinfo | grep -E 'hca_id|state|link_layer'; ls -l /dev/infiniband",
        action="env",
        kind="look",
    ),
    Remedy(text="Until then, use TCP, which is slower.", command="export NCCL_IB_DISABLE=1", action="env"),
)


@check(
    code="NV125",
    name="nccl-rdma-unreachable",
    layer="access",
    family="nccl-problem",
    reads=(
        *("rdma-unreachable", "rdma-netdev-absent", "rdma-queue-refused", "rdma-gid-unreadable", "rdma-gid-routable"),
        *("rdma-gid-v4-used", "rdma-no-route", "rdma-gid-link-local"),
    ),
    needs=("run.program",),
    requires=("memlock-too-low",),
)
def nccl_rdma_unreachable(facts: Facts, specs: Specs) -> Problems:
    """Two RDMA network cards set up a connection, but data from one does not reach the other.

    Why it matters   The job stops after seconds or at its first collective; TCP between the same machines may work.
    What to do       Use the GID index of RoCE v2; test the cards without NCCL; use one rail if rails are separate.
    Looks at         "Got completion with error 12", timeouts of ibv_modify_qp, exhausted retry counts; ibv_modify_qp
                     without a device; queues or memory that the card refuses; GIDs that cannot be read here
    Silent when      the registration fails because locked memory is limited
    Source           NCCL user guide: NCCL_IB_GID_INDEX, NCCL_CROSS_NIC; libibverbs: ibv_poll_cq(3), ibv_modify_qp(3)
    """
    absent = facts.stated("rdma-netdev-absent")
    if absent:
        yield Problem(
            title="The network interface of an RDMA card is not in this container's network: its GID cannot be used",
            evidence=quoted(absent[:3]),
            remedies=(_CHOOSE_INDEX, *_GIVE_INTERFACE) if facts.stated("rdma-gid-link-local") else _GIVE_INTERFACE,
        )
        return
    unread = facts.stated("rdma-gid-unreadable")
    if unread:
        yield Problem(
            title="An address (GID) of the RDMA card cannot be read here: it belongs to another container's network",
            evidence=quoted(unread[:3]),
            remedies=(_CHOOSE_INDEX, *_GIVE_INTERFACE),
        )
        return
    lost = facts.stated("rdma-unreachable")
    refused = facts.stated("rdma-queue-refused")
    if refused and not lost:
        yield Problem(
            title="The RDMA card denies the program a queue or memory",
            detail="If the system gives no reason, the usual cause is the limit on locked memory, which "
            "containers and services set separately.",
            evidence=quoted(refused[:3]),
            remedies=_RAISE_LIMIT,
        )
        return
    if not lost:
        return
    yield Problem(
        title="The network cards of two machines cannot reach each other over RDMA",
        evidence=quoted(lost[:4]),
        remedies=tuple(_reach(facts)),
    )


def _reach(facts: Facts) -> Iterator[Remedy]:
    """Yield steps that let the cards reach each other, with the GID index if the text lists the card's GIDs."""
    index = next((i for fact in facts.stated("rdma-gid-routable") if (i := fact.value("index"))), None)
    tried = index is not None and facts.variable("NCCL_IB_GID_INDEX") == index
    known = command_line("export", assignment_word("NCCL_IB_GID_INDEX", number_word(index)))
    if index is not None and not tried:
        yield Remedy(
            text=f"Line {index} of the card's addresses (GIDs) is RoCE v2 with an IPv4 address, which is routed: "
            "use it, the same on every machine.",
            command=known,
            action="env",
        )
    of_rail = Remedy(
        text="If only cards of one rail can reach each other, keep rings on their rail.",
        command="export NCCL_CROSS_NIC=0",
        action="env",
    )
    apart, fits = facts.stated("rdma-no-route"), bool(facts.stated("rdma-gid-v4-used"))
    if apart:
        yield Remedy(
            text="The addresses of the cards are in networks without a route between them: give each card's "
            "interface an address in its peers' network, or a route to theirs; NCCL_IB_HCA can exclude "
            "cards that have none.",
            command="show_gids; ip -br address; ip route show table all | grep -v local",
            action="admin",
        )
    if fits:
        yield of_rail
    yield Remedy(
        text="Test the cards of both machines without NCCL, with each pair that the job uses.",
        command="show_gids; ib_write_bw -d mlx5_0 -x 3 OTHER_HOST",
        action="admin",
        kind="look",
    )
    if index is None and not fits:
        yield Remedy(
            text="On RoCE, use the index of the GID that is RoCE v2 with an IPv4 address, the same everywhere.",
            command="export NCCL_IB_GID_INDEX=3",
            action="env",
        )
    if not fits:
        yield of_rail
    yield Remedy(text="Until then, use TCP, which is slower.", command="export NCCL_IB_DISABLE=1", action="env")
