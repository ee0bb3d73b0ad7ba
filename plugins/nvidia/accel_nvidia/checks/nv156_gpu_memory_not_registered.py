"""A network card cannot register a GPU's memory."""

from collections.abc import Iterator
from typing import TYPE_CHECKING, Final

from accel.contract.check import Problem, Remedy, check, quoted

if TYPE_CHECKING:
    from accel.facts.questions import Facts
    from accel.specs import Specs

_OF_NVIDIA: Final = Remedy(
    text="Load the driver's module of peer memory on each node, and at every start; or take the driver's open kernel "
    "modules on Linux 5.12 or newer, with which UCX and NCCL use dma-buf.",
    command="sudo modprobe nvidia-peermem; echo nvidia-peermem | sudo tee /etc/modules-load.d/nvidia-peermem.conf",
    action="admin",
)
_OF_AMD: Final = Remedy(
    text="Take amdgpu by DKMS, built after the network card's own stack (MLNX_OFED or DOCA), or a kernel whose amdgpu "
    "shares its memory by dma-buf.",
    command="ls /sys/kernel/mm/memory_peers; modinfo amdgpu | head -3; ofed_info -s",
    action="admin",
)
_AROUND: Final = Remedy(
    text="Until then let UCX copy through the host's memory.",
    command="export UCX_IB_GPU_DIRECT_RDMA=no",
    action="env",
)


@check(
    code="NV156",
    name="gpu-memory-not-registered",
    layer="driver",
    family="gpudirect-rdma-off",
    reads=("gpu-memory-unregistered", "card-memory-of-amd"),
    needs=("run.program",),
    requires=("memlock-too-low", "gpudirect-rdma-off"),
)
def gpu_memory_not_registered(facts: "Facts", specs: "Specs") -> Iterator[Problem]:
    """UCX, MPI or NCCL hand a buffer in GPU memory to a network card, and the kernel has no pages for it.

    Why it matters   The call fails at once, and with it the job; between buffers in the host's memory the same works.
    What to do       Load nvidia-peermem, or take a driver that shares its memory by dma-buf; until then copy.
    Looks at         "failed to register address … (cuda)"; ibv_reg_mr that ends with Bad address
    Silent when      the memory is the host's; a limit of locked memory is told
    Source           UCX: FAQ, GPU support; NVIDIA: GPUDirect RDMA, nvidia-peermem
    """
    refused = facts.stated("gpu-memory-unregistered")
    if refused:
        yield Problem(
            title="The network card cannot register the GPU's memory (GPUDirect RDMA)",
            evidence=quoted(refused[:3]),
            remedies=(_OF_AMD if facts.stated("card-memory-of-amd") else _OF_NVIDIA, _AROUND),
        )
