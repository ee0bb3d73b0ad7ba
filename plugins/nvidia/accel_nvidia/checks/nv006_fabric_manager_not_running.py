from typing import Final

from accel.facts.containers import in_container
from accel.vendors.contract.check import Facts, Problem, Problems, Remedy, Specs, check, quoted
from accel.vendors.contract.command import chained, command_line
from accel.vendors.toolkit.table_steps import fix
from accel_nvidia import around
from accel_nvidia.fabric_package import package_of
from accel_nvidia.model import NvidiaDevice

_DOWN: Final = "fabric-manager-down"
_ABSENT: Final = "fabric-manager-absent-said"


_OF_LOADED: Final = (
    "V=$(nvidia-smi --query-gpu=driver_version --format=csv,noheader | head -1) && sudo apt install "
    '"nvidia-fabricmanager-${V%%.*}=$V-*"'
)


@check(
    code="NV006",
    name="fabric-manager-not-running",
    layer="driver",
    reads=(
        *("system-not-ready", "fabric-in-progress", "fabric-completed", "fabric-manager-down-said"),
        *(_DOWN, _ABSENT, "up-for-minutes", "nvls-failed", "fabric-manager-without-switches", *around.AROUND),
        *("fabric-of-fifth-nvlink", "driver-changed-said", "virtual-machine-named", *around.DRIVER_NAMED),
    ),
    needs=("use.torch|jax|tensorflow",),
    requires=("driver-not-loaded", "fabric-manager-version-mismatch", "gpu-confidential-not-ready"),
)
def fabric_manager_not_running(facts: Facts, specs: Specs) -> Problems:
    """CUDA returns 802, "system not yet initialized": the NVSwitch fabric is not configured.

    Why it matters   On HGX and DGX boards with NVSwitch no CUDA program starts until the fabric manager has set up the
                     fabric, though nvidia-smi lists every GPU.
    What to do       Start nvidia-fabricmanager; its version must be exactly the driver's.
    Looks at         error 802; the fabric state; the state of the fabric manager service
    Silent when      only the service is down and no GPU here needs a fabric, or the fabric state is completed; the
                     machine booted minutes ago and the fabric state is the only sign
    Source           NVIDIA: Fabric Manager for NVSwitch systems, user guide; CUDA driver API: error 802
    """
    by_device = any(isinstance(d, NvidiaDevice) and d.fabric_state is not None for d in facts.of("nvidia"))
    stated = facts.stated("system-not-ready", "fabric-manager-down-said")
    if not by_device and not facts.stated("up-for-minutes"):
        stated += facts.stated("fabric-in-progress")
    down = facts.stated(_DOWN, _ABSENT)
    needed = _needs_fabric(facts, specs) or bool(facts.stated("nvls-failed"))  # only NVSwitches add up data
    if not stated and not (down and needed):
        return
    if facts.first("fabric-completed") is not None and not facts.first("system-not-ready"):
        return
    yield Problem(
        title="The NVSwitch fabric is not configured: the fabric manager "
        + ("is not running" if down else "of the driver's version is not running"),
        evidence=quoted((*stated, *down)),
        remedies=_remedies(facts, specs),
    )


def _remedies(facts: Facts, specs: Specs) -> tuple[Remedy, ...]:
    version = around.driver_version(facts) or around.installed_driver(facts)
    where = "On the node: start" if in_container(facts) else "Start"
    is_absent = bool(facts.stated(_ABSENT)) or any(
        "not found" in fact.text or "not be found" in fact.text for fact in facts.stated(_DOWN)
    )
    start, get, look = (
        Remedy(
            text=f"{where} the fabric manager, and enable it at boot. Within minutes of a boot, wait for it first.",
            command="sudo systemctl enable --now nvidia-fabricmanager && systemctl status nvidia-fabricmanager",
            action="admin",
        ),
        Remedy(
            text=_install_words(version, is_absent=is_absent, changed=bool(facts.stated("driver-changed-said"))),
            command=chained(
                command_line("sudo apt install", package_of(version)) if version else _OF_LOADED,
                "sudo systemctl enable --now nvidia-fabricmanager",
            ),
            action="admin",
        ),
        fix(specs, "nvidia", "fabric-manager-log"),
    )
    config = any("config file item" in fact.text for fact in facts.stated("fabric-manager-down-said"))
    subnet = bool(facts.stated("fabric-manager-without-switches") and facts.stated("fabric-of-fifth-nvlink"))
    if subnet:
        return (fix(specs, "nvidia", "subnet-manager"), look)
    if facts.stated("fabric-manager-without-switches") and facts.stated("virtual-machine-named"):
        return (fix(specs, "nvidia", "fabric-manager-on-host"), look)
    if config:
        return (fix(specs, "nvidia", "fabric-manager-configuration"), start, look)
    known = version is not None or bool(facts.stated("driver-changed-said"))
    unlisted = known and not facts.stated(_DOWN)  # nothing shows that it is installed
    return (get, start, look) if is_absent or unlisted else (start, get, look)


def _install_words(version: str | None, *, is_absent: bool, changed: bool) -> str:
    if version is None:
        otherwise = (
            "The driver was changed, and it must follow" if changed else "If it is not installed or does not start"
        )
        lead = "It is not installed" if is_absent else otherwise
        return f"{lead}: install exactly the driver's version, which the command reads from nvidia-smi, and start it."
    lead = "It is not installed: install" if is_absent else "Install"
    return f"{lead} the fabric manager of exactly the driver's version, {version}, and start it."


def _needs_fabric(facts: Facts, specs: Specs) -> bool:
    chips = (
        specs.chip(name=d.name, vendor="nvidia", pci_id=d.pci_id) for d in facts.of("nvidia") if d.name or d.pci_id
    )
    return any(chip is not None and chip.nvswitch for chip in chips)
