"""An NVSwitch system whose fabric is not configured."""

from collections.abc import Iterator
from typing import TYPE_CHECKING

from accel.contract.check import Problem, Remedy, check
from accel_nvidia import signs

if TYPE_CHECKING:
    from accel.facts.questions import Facts
    from accel.specs import Specs


@check(code="NV006", name="fabric-manager-not-running", layer="driver", requires=("driver-not-loaded",))
def fabric_manager_not_running(facts: "Facts", specs: "Specs") -> Iterator[Problem]:
    """CUDA answers 802, "system not yet initialized": the NVSwitch fabric is not configured.

    Why it matters   On HGX and DGX boards with NVSwitch no CUDA program starts until the fabric manager has set up
                     the fabric, though nvidia-smi lists every GPU.
    What to do       Start nvidia-fabricmanager; it must be of exactly the driver's version.
    Looks at         error 802 and its texts; the fabric manager's own complaint about versions; its service's state
    Silent when      only the service is down and no GPU of this machine needs a fabric
    Source           NVIDIA: Fabric Manager for NVSwitch systems, user guide; CUDA driver API: error 802
    """
    versions = facts.event("fabric-manager-version")
    events = facts.events("system-not-ready", "fabric-manager-version", "fabric-never-completed", "fabric-manager-said")
    down = facts.events("fabric-manager-down")
    if not events and not (down and _needs_fabric(facts, specs)):
        return
    title = "The NVSwitch fabric is not configured: the fabric manager is not running"
    if versions is not None:
        manager, wanted = versions.value("manager"), versions.value("driver")
        title = f"The fabric manager ({manager}) is not of the driver's version ({wanted})"
    driver = facts.driver("nvidia")
    version = driver.version if driver is not None else None
    branch = (version or "").split(".")[0]
    yield Problem(
        title=title,
        evidence=signs.quoted((*events, *down)),
        remedies=(
            Remedy(
                text="Start the fabric manager, and have it start at boot.",
                command="sudo systemctl enable --now nvidia-fabricmanager && systemctl status nvidia-fabricmanager",
                action="admin",
            ),
            Remedy(
                text="If it is not installed or refuses to start: install the one of exactly the driver's version"
                + (f", {version}." if version else "."),
                command=f"sudo apt install nvidia-fabricmanager-{branch}" if branch else None,
                action="admin",
            ),
        ),
    )


def _needs_fabric(facts: "Facts", specs: "Specs") -> bool:
    chips = (
        specs.chip(name=d.name, vendor="nvidia", pci_id=d.pci_id) for d in facts.of("nvidia") if d.name or d.pci_id
    )
    return any(chip is not None and chip.nvswitch for chip in chips)
