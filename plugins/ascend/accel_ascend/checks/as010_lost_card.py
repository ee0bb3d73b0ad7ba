"""A chip that the machine has is not listed any more."""

from collections.abc import Iterator

from accel.contract.check import Problem, Remedy, check, quoted
from accel.facts.questions import Facts
from accel.specs import Specs
from accel_ascend.concern import chips


@check(
    code="AS010",
    name="npu-lost-card",
    layer="hardware",
    family="gpu-hardware-fault",
    reads=("npu-not-listed", "npu-card-dropped", "npu-smi-invalid-card"),
    needs=("ascend.devices.health",),
)
def npu_lost_card(facts: Facts, specs: Specs) -> Iterator[Problem]:
    """A chip that the machine has is not listed any more.

    Why it matters   It dropped off the bus or failed to start; jobs that count on it fail with 207004 or 107001.
    What to do       Read the kernel's log; restart the host with a power cycle; if it stays away, have the card
                     replaced.
    Looks at         nodes and PCI functions against npu-smi's table; fault code 40F84E00
    Silent when      as many chips are listed as there are nodes, or npu-smi lists none at all (then AS002 speaks)
    Source           mind-cluster faultCode.json (40F84E00), Comp_NPU_DRV_Custom_02
    """
    told = facts.stated("npu-not-listed", "npu-card-dropped")
    if not told and not chips(facts):  # else it is a mistyped -i
        told = facts.stated("npu-smi-invalid-card")
    if not told:
        return
    certain = any(fact.name != "npu-smi-invalid-card" for fact in told)
    yield Problem(
        title="A card that was there is lost" if certain else "npu-smi was asked for a card that it does not list",
        severity="error" if certain else "warning",
        evidence=quoted(told),
        remedies=(
            Remedy(
                text="See what the bus and the kernel say of it.",
                command="lspci | grep -i -E 'accelerator.*huawei'; dmesg | grep -i -E 'pcie|davinci|devdrv'",
                action="admin",
                kind="look",
            ),
            Remedy(text="Power the host off and on; a restart alone may not revive a card.", action="reboot"),
            Remedy(text="If it stays away, have the card replaced.", action="service", kind="ask"),
        ),
    )
