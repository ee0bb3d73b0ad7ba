"""The slot of an AMD GPU passes no PCIe atomic operations on."""

from collections.abc import Iterator
from typing import TYPE_CHECKING

from accel.contract.check import Problem, Remedy, check, quoted

if TYPE_CHECKING:
    from accel.facts.questions import Facts
    from accel.specs import Specs


@check(
    code="AM013",
    name="amd-pcie-atomics-missing",
    layer="hardware",
    reads=("kfd-rejects-atomics",),
    needs=("amd.devices", "source.kernel log"),
)
def amd_pcie_atomics_missing(facts: "Facts", specs: "Specs") -> Iterator[Problem]:
    """The kernel driver leaves an AMD GPU out of compute: its slot, a bridge or the CPU has no PCIe atomics.

    Why it matters   Graphics work and ROCm lists no GPU. It lasts as long as the GPU sits in this slot.
    What to do       Use a slot that is wired to the CPU; in a virtual machine pass the root port's atomics on; newer
                     GPUs (from Vega on, with current firmware) do without.
    Looks at         "skipped device …, PCI rejects atomics" in the kernel's log
    Silent when      the log says of no device that it was skipped
    Source           Linux: amdkfd/kfd_device.c; ROCm: PCIe atomics; QEMU: PCIe root ports
    """
    skipped = facts.stated("kfd-rejects-atomics")
    if not skipped:
        return
    yield Problem(
        title="ROCm leaves this GPU out: its slot passes no PCIe atomic operations on",
        evidence=quoted(skipped),
        remedies=(
            Remedy(
                text="See where the atomics end: the GPU asks for them (AtomicOpsCtl), and each port above must route "
                "them.",
                command="lspci -tv; sudo lspci -vvv | grep -E '^[0-9a-f]|AtomicOps'",
                action="admin",
                kind="look",
            ),
            Remedy(
                text="Move the GPU to a slot wired to the CPU (not to the chipset, a riser or Thunderbolt); CPUs "
                "before Haswell and Zen have none.",
                action="admin",
            ),
            Remedy(
                text="In a virtual machine: a recent QEMU and a root port for the GPU, with the host's slot as above.",
                action="admin",
            ),
        ),
    )
