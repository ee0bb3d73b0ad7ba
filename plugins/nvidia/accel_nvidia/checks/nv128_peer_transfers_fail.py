from accel.resolver.system_tools import kernel_option
from accel.vendors.contract.check import Facts, Problem, Problems, Remedy, Specs, check, quoted
from accel.vendors.toolkit.table_steps import fix
from accel_nvidia import driver_that_works


@check(
    code="NV128",
    name="peer-transfers-fail",
    layer="hardware",
    family="nccl-problem",
    reads=(
        "peer-access-is-suspected",
        "peer-transfer-wrong",
        "peer-copies-slower",
        "peer-test-hangs",
        driver_that_works.FACT,
    ),
    needs=("run.program",),
    requires=("pcie-acs-breaks-p2p", "iommu-breaks-p2p", "gpu-without-p2p"),
)
def peer_transfers_fail(facts: Facts, specs: Specs) -> Problems:
    """Multi-GPU work hangs or fails, but runs with GPU peer-to-peer transfers (P2P) disabled.

    Why it matters   P2P is reported as available but does not work; without it data goes through host memory (slower).
    What to do       Check the two usual causes: access control (ACS) of the PCIe ports, and the IOMMU.
    Looks at         a job that works with NCCL_P2P_DISABLE=1 and hangs, crashes or returns wrong data without it; a
                     peer-to-peer test that hangs, or in which peer access makes copies slower
    Silent when      the text shows which one it is; nothing failed
    Source           NCCL user guide: troubleshooting, GPU direct; PCI access control services
    """
    cure, trouble = facts.stated("peer-access-is-suspected"), facts.stated("peer-transfer-wrong")
    tests, slower = facts.stated("peer-test-hangs"), facts.stated("peer-copies-slower")
    if not ((cure and trouble) or tests or slower):
        return
    failing = bool(tests or trouble)
    yield Problem(
        title="Transfers between the GPUs (P2P) do not work here: access control (ACS) or the IOMMU redirects them"
        if failing
        else "Transfers between the GPUs (P2P) are slower than through the host: something redirects them",
        severity=None if failing else "warning",
        evidence=quoted((*tests[:1], *slower[:2], *trouble[:2], *cure[:2])),
        remedies=(
            *driver_that_works.go_back(facts),
            fix(specs, "nvidia", "acs-and-iommu-state"),
            Remedy(
                text="On the host: boot with iommu=pt, or disable VT-d or AMD-Vi if no virtual machine uses devices; "
                "if ReqRedir+ is set, also disable ACS in the firmware setup.",
                command=kernel_option("iommu", "pt", facts, specs),
                action="admin",
            ),
            fix(specs, "nvidia", "peer-bandwidth-test"),
            Remedy(text="Until then, do without them.", command="export NCCL_P2P_DISABLE=1", action="env"),
        ),
    )
