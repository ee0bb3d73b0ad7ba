"""NCCL set up wrongly by the job: two ranks on one GPU, or a network interface that is not there."""

from collections.abc import Iterator
from typing import TYPE_CHECKING

from accel.contract.check import Problem, Remedy, check
from accel_nvidia import signs

if TYPE_CHECKING:
    from accel.facts.questions import Facts
    from accel.specs import Specs


@check(code="NV056", name="nccl-set-up-wrong", layer="application", family="nccl-problem")
def nccl_set_up_wrong(facts: "Facts", specs: "Specs") -> Iterator[Problem]:
    """The job gives NCCL something that cannot work: one GPU for two ranks, or no network interface.

    Why it matters   The job stops when its processes first talk to each other.
    What to do       Give each rank its own GPU; name an interface that exists, or none.
    Looks at         NCCL's sentences about duplicate GPUs and socket interfaces
    Silent when      NCCL says neither
    Source           NCCL: src/init.cc, src/bootstrap.cc
    """
    twice = facts.events("nccl-duplicate-gpu")
    if twice:
        remedy = Remedy(
            text="Let each rank take the GPU of its local rank, and start no more ranks than there are GPUs.",
            action="app",
        )
        yield Problem(title="Two ranks of this job use the same GPU", evidence=signs.quoted(twice), remedies=(remedy,))
    lost = facts.events("nccl-no-interface")
    if lost:
        remedy = Remedy(
            text="Unset NCCL_SOCKET_IFNAME, or name an interface that is up.",
            command="unset NCCL_SOCKET_IFNAME; ip -brief address",
        )
        yield Problem(title="NCCL finds no network interface", evidence=signs.quoted(lost), remedies=(remedy,))
