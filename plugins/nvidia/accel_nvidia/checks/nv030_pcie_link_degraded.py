from typing import TYPE_CHECKING, Final

from accel.facts.wiring import device_ids, worn
from accel.vendors.contract.check import Evidence, Facts, Problem, Problems, Remedy, Specs, check, need, quoted
from accel.vendors.contract.command import command_line, pci_word
from accel.vendors.toolkit.table_steps import fix
from accel_nvidia import around

if TYPE_CHECKING:
    from accel.model.device import Device
    from accel_nvidia.model import NvidiaDevice

_BUSY_PERCENT: Final = 10
_WIDEST: Final = 16
_LEAST_GENERATION: Final = 3  # of every GPU since 2012
_FAST_STATES: Final = ("P0", "P1", "P2", None)


@check(
    code="NV030",
    name="pcie-link-degraded",
    layer="hardware",
    severity="warning",
    reads=("pcie-link-limited", "pcie-link-narrow", "pcie-link-said-slow", "under-load"),
    needs=("nvidia.devices",),
)
def pcie_link_degraded(facts: Facts, specs: Specs) -> Problems:
    """A GPU's PCIe link is narrower than it can be or, under load, slower than both of its ends support.

    Why it matters   Copies to and from the GPU take several times as long, without any error.
    What to do       Reseat the board; check the slot, the riser and the BIOS settings.
    Looks at         current and maximum width and generation, or the width of all other GPUs of its model; performance
                     state and load, since an idle GPU lowers the generation (never the width); under load below
                     generation 3 also what the GPU supports in another slot; the kernel's message at boot; lspci; DCGM
    Silent when      the GPU is idle and only the generation is low; a laptop; a virtual machine; a value is unknown;
                     sysfs shows the port too (pcie-port-narrow). Information if a GPU of the same model is as narrow
    Source           NVML API: nvmlDeviceGetMaxPcieLinkWidth, nvmlDeviceGetMaxPcieLinkGeneration
    """
    said = facts.stated("pcie-link-limited", "pcie-link-narrow", "pcie-link-said-slow")
    if said:
        port = next((fact.value("port") for fact in said if fact.value("port")), None)
        now = next((fact.value("now") for fact in said if fact.value("now")), None)
        most = next((fact.value("most") for fact in said if fact.value("most")), None)
        known = f": {now}" + (f" of {most}" if most else "") if now else ""
        yield Problem(
            title=f"A GPU's PCIe link is narrower or slower than it can be{known}",
            devices=tuple(dict.fromkeys(fact.device for fact in said if fact.device)),
            evidence=quoted(said),
            remedies=_remedies(port, specs),
        )
        return
    loaded = bool(facts.stated("under-load"))
    own = [one for hop, below in worn(facts).items() for one in below if one.address == hop.below]
    named = device_ids(facts, own)  # pcie-port-narrow reports it, with the port
    found = False
    for device in around.gpus(facts):
        if device.virtualization in ("vgpu", "host-vgpu", "pass-through") or _is_laptop(device):
            continue
        width, most_width = device.pcie_width_current, device.pcie_width_maximum or _width_of_others(device, facts)
        low_width = width is not None and most_width is not None and 0 < width < most_width and device.id not in named
        generation = device.pcie_generation_current
        highest = max(generation or 0, _highest(device, facts, specs))
        busy = _under_load(device, loaded)
        if busy and 0 < (generation or 0) < _LEAST_GENERATION:  # set in the BIOS, or a riser
            highest = max(highest, device.pcie_generation_device_maximum or 0)
        low_generation = generation is not None and 0 < generation < highest and busy
        if not low_width and not low_generation:
            continue
        found = True
        others = [d for d in around.gpus(facts) if d.name == device.name and d is not device and d.pcie_width_current]
        alike = bool(others) and all(d.pcie_width_current == width for d in others)
        yield Problem(
            severity="info" if alike and not low_generation else "warning",
            title=f"{device.id}'s PCIe link runs at {_link(generation, width)}; it can do {_link(highest, most_width)}",
            devices=(device.id,),
            evidence=(
                Evidence(fact="pcie width", value=f"{width} of {most_width}"),
                Evidence(fact="pcie generation", value=f"{generation} of {highest}"),
            ),
            remedies=_remedies(device.pci_address, specs),
        )
    if not found:
        around.must_know(facts, "pcie_width_current", "pcie_generation_current")
        for device in around.gpus(facts):
            width = device.pcie_width_current
            wide = width is None or width >= _WIDEST or _is_laptop(device)
            need(
                wide or device.pcie_width_maximum or _width_of_others(device, facts),
                f"pcie width of {device.id} at most",
            )


def _highest(device: "NvidiaDevice", facts: Facts, specs: Specs) -> int:
    """Return the link's maximum generation: as reported, else of the only product in the text, else common to all."""
    if device.pcie_generation_maximum is not None:
        return device.pcie_generation_maximum
    names = {device.name} if device.name else {d.name for d in facts.of("nvidia") if d.name}
    chips = [specs.chip(name=name, vendor="nvidia") for name in names]
    known = {chip.pcie_generation for chip in chips if chip is not None}
    return known.pop() or _LEAST_GENERATION if len(known) == 1 else _LEAST_GENERATION


def _width_of_others(device: "NvidiaDevice", facts: Facts) -> int | None:
    """Return the width that all other GPUs of this model share; None unless there are several."""
    others = [d for d in around.gpus(facts) if d is not device and d.name == device.name]
    widths = {d.pcie_width_current for d in others}
    return widths.pop() if len(others) > 1 and len(widths) == 1 else None


def _link(generation: int | None, width: int | None) -> str:
    """Return "generation 4 x16", or the known part of it."""
    told = (f"generation {generation}" if generation else "", f"x{width}" if width else "")
    return " ".join(part for part in told if part)


def _remedies(address: str | None, specs: Specs) -> tuple[Remedy, ...]:
    at = command_line("sudo lspci -vv -s", pci_word(address), "| grep -E 'LnkCap|LnkSta'")
    return (
        Remedy(
            text="Check under load what the slot and the GPU report about the link.",
            command=at or "sudo lspci -vv -d 10de: | grep -E 'LnkCap|LnkSta'",
            action="admin",
            kind="look",
        ),
        fix(specs, "nvidia", "reseat-board"),
    )


def _under_load(device: "NvidiaDevice", said: bool) -> bool:
    """Return whether the GPU has no reason to save power on its link."""
    if "idle" in (device.clock_event_reasons or ()) or device.performance_state not in _FAST_STATES:
        return False
    if device.utilization_percent is None:
        return said
    return device.utilization_percent >= _BUSY_PERCENT


def _is_laptop(device: "Device") -> bool:
    name = (device.name or "").lower()
    return "laptop" in name or "max-q" in name or "mobile" in name
