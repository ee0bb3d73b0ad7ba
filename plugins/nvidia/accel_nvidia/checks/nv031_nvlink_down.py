from typing import TYPE_CHECKING

from accel.vendors.contract.check import Evidence, Facts, Problem, Problems, Remedy, Specs, check, quoted
from accel.vendors.contract.command import command_line, number_word
from accel.vendors.toolkit.table_steps import fix
from accel_nvidia import around
from accel_nvidia.nvlink_causes import by_cause, names

if TYPE_CHECKING:
    from accel_nvidia.model import NvidiaDevice, NvLink


@check(
    code="NV031",
    name="nvlink-down",
    layer="hardware",
    severity="warning",
    family="gpu-hardware-fault",
    reads=("nvlink-some-down", "nvlink-count-low", "nvlink-all-inactive", "nvlink-none-up", "xid-hardware"),
    needs=("nvidia.devices",),
    explained_by=("gpu-lost", "gpu-xid", "nvlink-detect-failed", "nvswitch-fault"),
)
def nvlink_down(facts: Facts, specs: Specs) -> Problems:
    """Some NVLinks of a GPU are down, or it has fewer up than another GPU of the same model here.

    Why it matters   Traffic between GPUs falls back to fewer links, or to PCIe, without any error.
    What to do       Reset the GPUs and restart the fabric manager; if it persists, check bridges and boards.
    Looks at         the state of each NVLink, against the GPU's other links and the GPUs of the same name; DCGM
    Silent when      all are up; no link is up (no bridge, a PCIe board, a single GPU in a virtual machine); MIG is on;
                     unknown. DCGM's alarm about a board with all links down is only information
    Source           NVML API: nvmlDeviceGetNvLinkState; DCGM: NVLink health
    """
    found = False
    gpus = around.gpus(facts)
    has_peer = len([device for device in gpus if device.nvlinks]) > 1
    faulty = []
    for device in gpus:
        lacks = _active(device) < _best(device, facts) or _is_down(device, has_peer, specs)
        if device.nvlinks and device.mig_mode != "enabled" and lacks:
            faulty.append((device, tuple(link for link in device.nvlinks if link.active is False)))
    for group in by_cause(faulty, gpus):
        found = True
        yield _of_group(group, facts, specs)
    said = facts.stated("nvlink-some-down", "nvlink-count-low")
    if said or (all_down := facts.stated("nvlink-all-inactive") if _has_xid_of_links(facts) else ()):
        evidence = said or all_down
        yield Problem(
            title="Some NVLinks of a GPU are down" if said else "All NVLinks of a GPU are inactive",
            devices=tuple(dict.fromkeys(fact.device for fact in evidence if fact.device)),
            evidence=quoted(evidence),
            remedies=_remedies(None, specs),
        )
        found = True
    none_up = facts.stated("nvlink-none-up")
    if none_up and not found and not any(_is_wired(device, specs) for device in around.gpus(facts)):
        yield Problem(
            title="All NVLinks of a GPU are down, as on a board without an NVLink bridge: this is not a fault there",
            severity="info",
            devices=tuple(dict.fromkeys(fact.device for fact in none_up if fact.device)),
            evidence=quoted(none_up, most=_MOST_LINES),
        )
        found = True
    if not found:
        around.must_know(facts, "nvlinks")


def _of_group(group: "list[tuple[NvidiaDevice, tuple[NvLink, ...]]]", facts: Facts, specs: Specs) -> Problem:
    device = group[0][0]
    counts = {(_active(one), _best(one, facts), len(one.nvlinks or ())) for one, _ in group}
    if len(counts) == 1:
        up, best, links = counts.pop()
        has = "has" if len(group) == 1 else "have"
        title = f"{names(group)} {has} {up} NVLinks up" + (
            f"; a GPU of the same model here has {best}" if best > up else f" of {links}"
        )
    else:
        title = f"{names(group)}: {sum(len(down) for _, down in group)} NVLinks are down"
    return Problem(
        title=title,
        devices=tuple(one.id for one, _ in group),
        evidence=tuple(
            Evidence(
                fact="links down" if len(group) == 1 else f"links down of {one.id}",
                value=", ".join(str(link.index) for link in down) or "not said",
            )
            for one, down in group
        ),
        remedies=_remedies(device.index if len(group) == 1 else None, specs),
    )


def _has_xid_of_links(facts: Facts) -> bool:
    return any(fact.value("code") in _LINK_CODES for fact in facts.stated("xid-hardware"))


def _best(device: "NvidiaDevice", facts: Facts) -> int:
    """Return the largest number of active links on a GPU of the same name."""
    like = [d for d in around.gpus(facts) if d.nvlinks and d.name and d.name == device.name and d.mig_mode != "enabled"]
    return max((_active(d) for d in like), default=0)


def _is_down(device: "NvidiaDevice", has_peer: bool, specs: Specs) -> bool:
    """Return whether links are down on a fully wired board: some, or all if there is another such board."""
    up = _active(device)
    down = sum(link.active is False for link in device.nvlinks or ())
    return down > 0 and (_is_wired(device, specs) if device.name else up > 0) and (up > 0 or has_peer)


def _is_wired(device: "NvidiaDevice", specs: Specs) -> bool:
    """Return whether the mainboard wires the board's links: "NVIDIA H100 80GB HBM3", "NVIDIA H200"."""
    chip = specs.chip(name=device.name, vendor="nvidia", pci_id=device.pci_id) if device.name else None
    names = f"{device.name or ''} {chip.name if chip else ''}".upper()
    return any(word in names for word in _WIRED) and "NVL" not in names and "PCIE" not in names


def _active(device: "NvidiaDevice") -> int:
    return sum(link.active is True for link in device.nvlinks or ())


def _remedies(index: int | None, specs: Specs) -> tuple[Remedy, ...]:
    at = command_line("nvidia-smi nvlink --status -i", number_word(index))
    return (
        fix(specs, "nvidia", "reset-nvlinks"),
        Remedy(
            text="Check which links are down.", command=at or "nvidia-smi nvlink --status", action="admin", kind="look"
        ),
    )


_MOST_LINES = 80
_WIRED = ("SXM", "HBM3", "HGX", "H20 ", "H20-3E", "B100", "GB200", "GB300")
_LINK_CODES = ("74", "137", "144", "145", "146", "147", "148", "149", "150")
