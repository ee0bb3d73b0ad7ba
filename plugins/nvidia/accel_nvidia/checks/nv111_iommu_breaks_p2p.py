from accel.resolver.system_tools import kernel_option
from accel.vendors.contract.check import Facts, Problem, Problems, Remedy, Specs, check, quoted


@check(
    code="NV111",
    name="iommu-breaks-p2p",
    layer="hardware",
    family="nccl-problem",
    reads=(
        *("iommu-is-the-cure", "iommu-fault", "iommu-on", "iommu-pass-through-wanted"),
        *("peer-transfer-wrong", "peer-access-is-suspected", "peer-copies-slower", "peer-test-hangs"),
    ),
    needs=("nvidia.devices", "source.kernel log"),
    requires=("pcie-acs-breaks-p2p", "gpu-without-p2p"),
)
def iommu_breaks_p2p(facts: Facts, specs: Specs) -> Problems:
    """The IOMMU translates the addresses of GPU peer transfers, and the transfers hang or are refused.

    Why it matters   Peer access is reported as available but does not work: collectives hang, or return wrong data.
    What to do       Boot with iommu=pt, or with the IOMMU off if no virtual machine uses passed-through devices.
    Looks at         a hang or fault that iommu=off or iommu=pt fixed; logged IOMMU faults; the IOMMU on, and transfers
                     that fail only with peer access or in a peer-to-peer test; RCCL's warning together with a hang
    Silent when      the user tried it without success; nothing fails; "CANNOT access peer" across sockets (normal)
    Source           NCCL user guide: troubleshooting, IO virtualization; Linux: kernel-parameters
    """
    cure, faults, on = facts.stated("iommu-is-the-cure"), facts.stated("iommu-fault"), facts.stated("iommu-on")
    trouble, suspected = facts.stated("peer-transfer-wrong"), facts.stated("peer-access-is-suspected")
    tested = facts.stated("peer-copies-slower", "peer-test-hangs")
    wanted = facts.stated("iommu-pass-through-wanted")
    measured = bool((on or faults) and tested) or bool(wanted and (trouble or suspected or tested))
    if not (cure or (faults and (trouble or suspected)) or (on and suspected) or measured):
        return
    yield Problem(
        title="The IOMMU breaks transfers between the GPUs",
        evidence=quoted(
            (*cure[:1], *faults[:2], *wanted[:1], *on[:1], *tested[:1], *suspected[:1], *trouble[:1]), most=5
        ),
        severity=None if cure or faults or measured else "warning",
        remedies=(
            Remedy(
                text="Boot with the kernel option iommu=pt; if that does not help, intel_iommu=off or amd_iommu=off.",
                command=kernel_option("iommu", "pt", facts, specs),
                action="admin",
            ),
            Remedy(
                text="Until then, let NCCL use shared memory, which is slower.",
                command="export NCCL_P2P_DISABLE=1",
                action="env",
            ),
        ),
    )
