"""Access control of PCIe ports (ACS) sends transfers between GPUs over the root."""

from collections.abc import Iterator
from typing import TYPE_CHECKING

from accel.vendors.contract.check import Problem, Remedy, check, quoted
from accel.vendors.contract.command import command_line, pci_word

if TYPE_CHECKING:
    from accel.facts.questions import Facts
    from accel.specs import Specs


@check(
    code="NV110",
    name="pcie-acs-breaks-p2p",
    layer="hardware",
    family="nccl-problem",
    reads=(
        *("peer-requests-redirected", "acs-is-the-cure", "peer-transfer-wrong", "peer-access-is-suspected", "job-slow"),
        "iommu-is-the-cure",
    ),
    needs=(),
)
def pcie_acs_breaks_p2p(facts: "Facts", specs: "Specs") -> Iterator[Problem]:
    """PCIe ports above the GPUs redirect requests between devices (ACS), so transfers between GPUs hang or crawl.

    Why it matters   The GPUs say that they reach each other, and NCCL waits for data that goes to the root and is lost.
    What to do       Switch access control off at these ports: in the firmware, or by setpci until the next start.
    Looks at         ACSCtl with ReqRedir+ or CmpltRedir+ beside a hang, a crash, wrong data or low speed of transfers
    Silent when      nothing fails; only SrcValid+ is set; the IOMMU was shown to be the cause
    Source           NCCL user guide: troubleshooting, PCI access control services; pciutils
    """
    redirected, cure = facts.stated("peer-requests-redirected"), facts.stated("acs-is-the-cure")
    trouble = facts.stated("peer-transfer-wrong", "peer-access-is-suspected", "job-slow")
    if facts.stated("iommu-is-the-cure") or not (cure or (redirected and trouble)):
        return
    ports = tuple(dict.fromkeys(port for fact in redirected if (port := fact.value("port"))))
    where = f" at {', '.join(ports[:4])}" if ports else ""
    yield Problem(
        title=f"PCIe access control (ACS){where} redirects transfers between GPUs",
        evidence=quoted((*redirected[:2], *cure[:1], *trouble[:1])),
        remedies=(
            Remedy(
                text="Switch it off until the next start; each bridge above a GPU with ReqRedir+ needs it.",
                command=command_line("sudo setpci -s", pci_word(ports[0]) if ports else "PORT", "ECAP_ACS+6.w=0000"),
                action="admin",
            ),
            Remedy(
                text="For good: switch ACS (or IO virtualisation, VT-d or AMD-Vi) off in the firmware. Not where "
                "virtual machines are given devices: they need it.",
                action="admin",
            ),
            Remedy(
                text="Until then let NCCL go over shared memory, which is slower.",
                command="export NCCL_P2P_DISABLE=1",
                action="env",
            ),
        ),
    )
