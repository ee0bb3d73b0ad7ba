from accel.vendors.contract.check import Evidence, Facts, Problem, Problems, Remedy, Specs, applies, check, need, quoted
from accel.vendors.contract.command import command_line, pci_word


@check(
    code="GA002",
    name="gaudi-unhealthy",
    layer="hardware",
    family="gpu-hardware-fault",
    reads=("gaudi-card-unusable",),
    needs=("gaudi.devices",),
)
def gaudi_unhealthy(facts: Facts, specs: Specs) -> Problems:
    """The driver reports a card as not operational, or could not initialize it.

    Why it matters   A card in reset recovers by itself; a disabled or malfunctioning one accepts no work.
    What to do       Reset the card; if it does not recover, reboot; if that does not help, have it replaced.
    Looks at         the status of each card: hl-smi -q ("Module status"), sysfs ("status"); kernel log messages of
                     habanalabs about a card that does not respond
    Silent when      every card is operational; undecided if no source has the status
    Source           Linux: Documentation/ABI/testing/sysfs-driver-habanalabs, "status"
    """
    cards = facts.of("gaudi")
    unusable = facts.stated("gaudi-card-unusable")
    if unusable:
        yield Problem(
            title="The driver could not start a Gaudi card, or gave up on it",
            evidence=quoted(unusable),
            remedies=(
                Remedy(
                    text="Power the machine off and on, not only restart it: the cards then start from scratch.",
                    action="reboot",
                ),
                Remedy(
                    text="If it recurs on the same card: install the firmware from the driver's release, then have the "
                    "card replaced.",
                    command="hl-smi -L | grep -iE 'firmware|spi|bus id'; sudo dmesg | grep -i habanalabs",
                    action="service",
                    kind="ask",
                ),
            ),
        )
        return
    applies(bool(cards), "no card is known")
    stated = {d: str(getattr(d, "module_status", None)) for d in cards if getattr(d, "module_status", None)}
    need(stated or None, "module_status")
    for level in ("critical", "warning"):
        sick = [device for device in stated if device.health == level]
        if not sick:
            continue
        yield Problem(
            title=f"{sick[0].id} is not operational: {stated[sick[0]]}"
            if len(sick) == 1
            else f"{len(sick)} Gaudi cards are not operational",
            devices=tuple(device.id for device in sick),
            evidence=tuple(Evidence(fact="module_status", value=f"{d.id}: {stated[d]}") for d in sick[:8]),
            remedies=(
                Remedy(
                    text="Check what the driver reports about it.",
                    command="sudo dmesg | grep -i habanalabs",
                    action="admin",
                    kind="look",
                ),
                Remedy(
                    text="Reset the card when nothing runs on it.",
                    command=command_line("sudo hl-smi -r -i", pci_word(sick[0].pci_address) or "PCI-ADDRESS"),
                    action="reset",
                ),
            ),
            severity="error" if level == "critical" else "warning",
        )
