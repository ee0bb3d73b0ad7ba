"""PCIe errors around a GPU."""

from collections.abc import Iterator
from typing import TYPE_CHECKING, Final

from accel.contract.check import Evidence, Problem, Remedy, check
from accel_nvidia import signs

if TYPE_CHECKING:
    from accel.facts.questions import Facts
    from accel.specs import Specs

_MANY_REPLAYS: Final = 1000


@check(code="NV023", name="gpu-pcie-errors", layer="hardware", family="gpu-hardware-fault")
def gpu_pcie_errors(facts: "Facts", specs: "Specs") -> Iterator[Problem]:
    """The kernel reports PCIe errors, and a GPU is lost or the errors were not corrected.

    Why it matters   A link that fails takes the GPU with it; corrected errors in masses foretell it.
    What to do       Reseat the board; change slot, riser or cable; check its power.
    Looks at         AER lines of the kernel log; what NVML says of the GPU; PCIe replays
    Silent when      no GPU has to do with it. Corrected errors alone are a warning
    Source           PCI Express: advanced error reporting; Linux: Documentation/PCI/pcieaer-howto
    """
    events = facts.events("pcie-aer")
    if events and (
        signs.nvidia_seen(facts) or signs.hardware_errors(facts) or facts.events("xid", "nvml-unknown-error")
    ):
        serious = any((e.value("severity") or "corrected")[:7] != "correct" for e in events)
        lost = bool(signs.hardware_errors(facts))
        yield Problem(
            title="The kernel reports PCIe errors" + (", and a GPU does not answer" if lost else ""),
            severity="error" if serious or lost else "warning",
            evidence=signs.quoted(events),
            remedies=_REMEDIES,
        )
    for device in signs.gpus(facts):
        replays = device.pcie_replay_count
        if replays is not None and replays >= _MANY_REPLAYS:
            yield Problem(
                title=f"The PCIe link of {device.id} repeated {replays} transfers",
                severity="warning",
                devices=(device.id,),
                evidence=(Evidence(fact="pcie_replay_count", value=str(replays)),),
                remedies=_REMEDIES,
            )


_REMEDIES: Final = (
    Remedy(
        text="With the power off: reseat the board, change slot, riser or cable, check the power cables.",
        action="service",
    ),
    Remedy(
        text="See what the kernel says of the link.",
        command="sudo lspci -vv -d 10de: | grep -E 'LnkCap|LnkSta'",
        action="admin",
    ),
)
