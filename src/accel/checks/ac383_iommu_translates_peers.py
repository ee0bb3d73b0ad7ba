from collections.abc import Iterator
from typing import Final

from accel.facts.questions import Facts
from accel.facts.wiring import device_ids
from accel.resolver.system_tools import kernel_option
from accel.specs import Specs
from accel.vendors.contract.check import Evidence, Problem, Remedy, applies, check

_SEVERAL: Final = 2
_GUESTS: Final = "vfio-pci"


@check(
    code="AC383",
    name="iommu-translates-peers",
    layer="access",
    severity="info",
    needs=("wiring.functions.iommu_type",),
    explained_by=("iommu-breaks-p2p", "acs-on-peer-path"),
)
def iommu_translates_peers(facts: Facts, specs: Specs) -> Iterator[Problem]:
    """The IOMMU translates every address that two or more accelerators of a bare-metal machine use.

    Why it matters   Peer transfers over PCIe go up to the root for translation: slower, and with some boards and
                     drivers they hang. The makers of such machines recommend pass-through (iommu=pt).
    What to do       Boot the kernel with iommu=pt, if devices are not passed to virtual machines and jobs use several.
    Looks at         the type of the IOMMU group of each accelerator: DMA and DMA-FQ translate, identity does not
    Silent when      there is one accelerator, or a virtual machine; one of them is passed to a guest; they pass through
    Source           Linux: Documentation/ABI/testing/sysfs-kernel-iommu_groups; NCCL user guide: troubleshooting
    """
    applies(facts.host.virtualization in (None, "none"), "a virtual machine: the IOMMU is its host's")
    wiring = facts.snapshot.wiring
    boards = [one for one in (wiring.functions or () if wiring is not None else ()) if one.role == "accelerator"]
    applies(len(boards) >= _SEVERAL, "there are no two accelerators on the bus")
    applies(all(one.driver != _GUESTS for one in boards), "a device is passed to a virtual machine, which needs it")
    translated = [one for one in boards if one.is_translated]
    if len(translated) >= _SEVERAL:
        kinds = sorted({one.iommu_type or "" for one in translated})
        yield Problem(
            title=f"The IOMMU translates the transfers between {len(translated)} accelerators of this machine",
            devices=device_ids(facts, translated),
            evidence=(Evidence(fact="iommu_type", value=", ".join(kinds)),),
            remedies=(
                Remedy(
                    text="Put the IOMMU into pass-through mode: add iommu=pt to the kernel options and reboot.",
                    command=kernel_option("iommu", "pt", facts, specs),
                    action="reboot",
                ),
            ),
        )
