from accel.vendors.contract.check import Facts, Problem, Problems, Specs, check, quoted
from accel.vendors.toolkit.table_steps import fixes


@check(
    code="NV129",
    name="fabric-manager-not-needed",
    layer="driver",
    severity="info",
    reads=("fabric-manager-without-switches", "fabric-manager-down", "system-not-ready", "fabric-in-progress"),
    needs=(),
    requires=("fabric-manager-version-mismatch",),
)
def fabric_manager_not_needed(facts: Facts, specs: Specs) -> Problems:
    """The fabric manager stops because it finds no NVSwitch: this machine has none for it to manage.

    Why it matters   The failed service is harmless; GPUs without NVSwitch, also with NVLink bridges, work without it.
    What to do       Disable the service. On an HGX or DGX board find out why its switches are missing.
    Looks at         NV_WARN_NOTHING_TO_DO; systemd's messages, on a machine with only desktop or laptop GPUs
    Silent when      CUDA waits for the fabric (error 802), or a GPU's fabric state is in progress
    Source           Fabric Manager for NVIDIA NVSwitch Systems: user guide
    """
    idle, down = facts.stated("fabric-manager-without-switches"), facts.stated("fabric-manager-down")
    alone = bool(down) and not idle and _of_no_switch(facts, specs)
    if not (idle or alone) or facts.stated("system-not-ready", "fabric-in-progress"):
        return
    yield Problem(
        title="The fabric manager finds no NVSwitch and stops: a machine without NVSwitch does not need it"
        if idle
        else "The fabric manager is not running, but the listed GPUs are models without NVSwitch",
        evidence=quoted((*idle[:2], *down), most=12),
        remedies=fixes(specs, "nvidia", "fabric-manager-not-needed"),
    )


def _of_no_switch(facts: Facts, specs: Specs) -> bool:
    """Return whether GPUs are listed, all for desktops, laptops or workstations; truncated names count by brand."""
    names = [(device, (device.name or "").lower()) for device in facts.of("nvidia")]
    if not names:
        return False
    for device, name in names:
        chip = specs.chip(name=device.name, vendor="nvidia", pci_id=device.pci_id)
        segment = chip.segment if chip is not None else None
        if segment not in ("geforce", "workstation") and "geforce" not in name:
            return False
    return True
