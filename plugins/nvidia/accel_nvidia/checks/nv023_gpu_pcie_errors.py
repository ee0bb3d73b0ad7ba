from typing import Final

from accel.vendors.contract.check import Evidence, Fact, Facts, Problem, Problems, Remedy, Specs, check, quoted
from accel.vendors.contract.command import command_line, pci_word
from accel_nvidia import around

_MANY_REPLAYS: Final = 1000
_MOST_LINES: Final = 80


@check(
    code="NV023",
    name="gpu-pcie-errors",
    layer="hardware",
    family="gpu-hardware-fault",
    reads=("gpu-pcie-error", "pcie-replays-said", "pcie-error-of-other"),
    needs=("nvidia.devices",),
    explained_by=("gpu-lost-after-suspend",),
)
def gpu_pcie_errors(facts: Facts, specs: Specs) -> Problems:
    """The kernel reports PCIe errors of a GPU or of its upstream port.

    Why it matters   A failing link takes the GPU down; many corrected errors are an early sign.
    What to do       Reseat the board; change the slot, riser or cable; check its power.
    Looks at         AER and DPC lines of the kernel log, and the device behind the port; PCIe replays
    Silent when      the device is unknown. Corrected errors alone are a warning; those of another device behind the
                     port (Wi-Fi cards and disks have them too) are only information
    Source           PCI Express: advanced error reporting; Linux: Documentation/PCI/pcieaer-howto
    """
    found = facts.stated("gpu-pcie-error", "pcie-replays-said")
    if found:
        worst = tuple(fact for fact in found if fact.value("severity") in ("fatal", "non-fatal"))
        lost = any(fact.value("lost") for fact in found)
        ports = tuple(dict.fromkeys(port for fact in found if (port := fact.value("port"))))
        yield Problem(
            title="The kernel reports PCIe errors on the path to a GPU"
            + (f" (port {ports[0]})" if ports else "")
            + (", and a GPU does not respond" if lost else ""),
            severity="error" if worst or lost else "warning",
            evidence=quoted((*worst, *found)[:4]),
            remedies=_remedies(ports[0] if ports else None, worst),
        )
    replaying = [d for d in around.gpus(facts) if (count := d.pcie_replay_count) is not None and count >= _MANY_REPLAYS]
    for device in replaying:
        yield Problem(
            title=f"The PCIe link of {device.id} replayed {device.pcie_replay_count} transfers",
            severity="warning",
            devices=(device.id,),
            evidence=(Evidence(fact="pcie_replay_count", value=str(device.pcie_replay_count)),),
            remedies=_remedies(device.pci_address, ()),
        )
    others = facts.stated("pcie-error-of-other")
    if others and not found:
        names = dict.fromkeys(f"{fact.value('driver')} {fact.value('device') or ''}".strip() for fact in others)
        yield Problem(
            title=f"The PCIe errors come from another device ({', '.join(list(names)[:3])}), not from a GPU",
            severity="info",
            evidence=quoted(others, most=_MOST_LINES),
        )
    if not found and not replaying:
        around.must_know(facts, "pcie_replay_count")


def _remedies(address: str | None, worst: tuple[Fact, ...]) -> tuple[Remedy, ...]:
    look = Remedy(
        text="Check the link's state and which device is behind the port.",
        command=command_line("sudo lspci -vv -s", pci_word(address), "| grep -E 'LnkCap|LnkSta|DevSta'; lspci -tv")
        or "sudo lspci -vv -d 10de: | grep -E 'LnkCap|LnkSta'",
        action="admin",
        kind="look",
    )
    reseat = Remedy(
        text="With the power off: reseat the board, try another slot, riser or cable, and check the power cables."
        + (" Uncorrected errors mean that hardware must be replaced." if worst else ""),
        action="service",
        kind="ask",
    )
    return (reseat, look)
