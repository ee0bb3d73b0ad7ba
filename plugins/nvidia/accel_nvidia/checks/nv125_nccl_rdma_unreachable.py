"""Packets between two network cards for RDMA do not arrive."""

from collections.abc import Iterator
from typing import TYPE_CHECKING

from accel.contract.check import Problem, Remedy, check, quoted

if TYPE_CHECKING:
    from accel.facts.questions import Facts
    from accel.specs import Specs


@check(
    code="NV125",
    name="nccl-rdma-unreachable",
    layer="access",
    family="nccl-problem",
    reads=("rdma-unreachable",),
    needs=(),
    requires=("memlock-too-low",),
)
def nccl_rdma_unreachable(facts: "Facts", specs: "Specs") -> Iterator[Problem]:
    """Two network cards for RDMA set up a connection, and what one sends does not reach the other.

    Why it matters   The job stops after seconds or at its first collective; TCP between the same machines may work.
    What to do       Take the GID index of RoCE v2; try the cards without NCCL; keep to one rail where rails are apart.
    Looks at         "Got completion with error 12", timeouts of ibv_modify_qp, retry counts that are used up
    Silent when      the connection cannot be registered for want of locked memory
    Source           NCCL user guide: NCCL_IB_GID_INDEX, NCCL_CROSS_NIC; libibverbs: ibv_poll_cq(3), ibv_modify_qp(3)
    """
    lost = facts.stated("rdma-unreachable")
    if not lost:
        return
    yield Problem(
        title="The network cards of two machines do not reach each other over RDMA",
        evidence=quoted(lost[:4]),
        remedies=(
            Remedy(
                text="Try the cards of both machines without NCCL, with each pair that the job uses.",
                command="show_gids; ib_write_bw -d mlx5_0 -x 3 OTHER_HOST",
                action="admin",
            ),
            Remedy(
                text="On RoCE take the index of the GID that is RoCE v2 with an IPv4 address, the same everywhere.",
                command="export NCCL_IB_GID_INDEX=3",
                action="env",
            ),
            Remedy(
                text="Where only cards of one rail reach each other, keep rings on their rail.",
                command="export NCCL_CROSS_NIC=0",
                action="env",
            ),
            Remedy(text="Until then go over TCP, which is slower.", command="export NCCL_IB_DISABLE=1", action="env"),
        ),
    )
