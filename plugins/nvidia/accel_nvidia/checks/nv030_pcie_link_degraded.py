"""A PCIe link that is narrower or slower than both of its ends can."""

from collections.abc import Iterator
from typing import TYPE_CHECKING, Final

from accel.contract.check import Evidence, Problem, Remedy, check
from accel_nvidia import signs

if TYPE_CHECKING:
    from accel.facts.questions import Facts
    from accel.model.device import Device
    from accel.specs import Specs
    from accel_nvidia.model import NvidiaDevice

_BUSY_PERCENT: Final = 10
_FAST_STATES: Final = ("P0", "P1", "P2")


@check(code="NV030", name="pcie-link-degraded", layer="hardware", severity="warning")
def pcie_link_degraded(facts: "Facts", specs: "Specs") -> Iterator[Problem]:
    """The PCIe link of a GPU is narrower than that of a like GPU here, or under load slower than both of its ends can.

    Why it matters   Copies to and from the GPU take a multiple of the time, without any error.
    What to do       Reseat the board; look at the slot, the riser and the BIOS settings.
    Looks at         width, and generation, now and at most; performance state and load, since an idle GPU lowers the
                     generation (and never the width) to save power; the links of like GPUs
    Silent when      the GPU idles and only the generation is low; a laptop; a virtual machine; either value is not
                     known. Information only where the slot may be narrow, for NVML does not know its width
    Source           NVML API: nvmlDeviceGetMaxPcieLinkWidth, nvmlDeviceGetMaxPcieLinkGeneration
    """
    for device in signs.gpus(facts):
        if device.virtualization in ("vgpu", "host-vgpu", "pass-through") or _is_laptop(device):
            continue
        width, most = device.pcie_width_current, device.pcie_width_maximum
        low_width = width is not None and most is not None and 0 < width < most
        generation, highest = device.pcie_generation_current, device.pcie_generation_maximum
        low_generation = (
            generation is not None and highest is not None and 0 < generation < highest and _under_load(device)
        )
        if not low_width and not low_generation:
            continue
        wider = max((d.pcie_width_current or 0 for d in signs.gpus(facts) if d.name == device.name), default=0)
        certain = low_generation or (width is not None and wider > width)
        yield Problem(
            severity="warning" if certain else "info",
            title=(
                f"The PCIe link of {device.id} runs at generation {generation} x{width}; it can do "
                f"generation {highest} x{most}"
            ),
            devices=(device.id,),
            evidence=(
                Evidence(fact="pcie width", value=f"{width} of {most}"),
                Evidence(fact="pcie generation", value=f"{generation} of {highest}"),
            ),
            remedies=(
                Remedy(
                    text="Reseat the board; check slot, riser and BIOS; see what the slot itself says.",
                    command=f"sudo lspci -vv -s {device.pci_address or '<address>'} | grep -E 'LnkCap|LnkSta'",
                    action="admin",
                ),
            ),
        )


def _under_load(device: "NvidiaDevice") -> bool:
    """Whether the GPU has no reason to save power on its link."""
    busy = device.utilization_percent is not None and device.utilization_percent >= _BUSY_PERCENT
    idle = "idle" in (device.clock_event_reasons or ())
    return busy and not idle and device.performance_state in _FAST_STATES


def _is_laptop(device: "Device") -> bool:
    name = (device.name or "").lower()
    return "laptop" in name or "max-q" in name or "mobile" in name
