from types import MappingProxyType
from typing import Final

from accel.vendors.contract.check import Facts, Problem, Problems, Remedy, Specs, check, quoted
from accel_nvidia import around

_BACK: Final = MappingProxyType(
    {
        "supergfxctl": "supergfxctl -m Hybrid && sudo reboot",
        "envycontrol": "sudo envycontrol -s hybrid && sudo reboot",
        "prime-select": "sudo prime-select on-demand && sudo reboot",
        "system76-power": "sudo system76-power graphics hybrid && sudo reboot",
        "optimus-manager": "optimus-manager --switch hybrid",
        "the firmware's switch": "echo 1 | sudo tee /sys/bus/pci/rescan && nvidia-smi -L",
        "bbswitch": "echo ON | sudo tee /proc/acpi/bbswitch",
    }
)
_ABSENT: Final = ("nvidia-module-absent", "no-devices-found", "module-not-inserted", "driver-probed-nothing")


@check(
    code="NV154",
    name="laptop-gpu-switched-off",
    layer="hardware",
    family="driver-not-loaded",
    reads=("laptop-gpu-off", *_ABSENT, *around.NO_GPU),
    needs=("run.program",),
)
def laptop_gpu_switched_off(facts: Facts, specs: Specs) -> Problems:
    """A laptop's graphics switching tool keeps the NVIDIA GPU off, or removed it from the PCI bus.

    Why it matters   nvidia-smi finds no driver and lspci no card, as if the driver or the board were broken; no
                     installation is needed.
    What to do       Switch back to the mode with both GPUs on, and reboot.
    Looks at         modes that supergfxctl, envycontrol, prime-select, system76-power, optimus-manager and bbswitch
                     show or were set to, together with a missing GPU
    Silent when      the driver answers; no GPU is reported missing
    Source           the tools' manuals
    """
    off = facts.stated("laptop-gpu-off")
    if not off or around.driver_version(facts):
        return
    unlisted = tuple(f for f in off if "remove-nvidia" in f.text.lower())
    missing = facts.stated(*_ABSENT) or around.no_gpu(facts) or unlisted
    if not missing:
        return
    by = next((tool for fact in off if (tool := fact.value("by"))), "")
    back = Remedy(text="Switch to the mode in which both GPUs are on.", command=_BACK.get(by), action="reboot")
    clean = Remedy(
        text="If the mode is right but the GPU is still missing: remove the tool's udev rule, which removes the "
        "GPU from the bus, and reboot.",
        command="grep -rl 0x10de /etc/udev/rules.d /lib/udev/rules.d",
        action="admin",
    )
    unruled = Remedy(
        text="A udev rule removes the GPU from the bus at each boot, whatever the mode: remove the rule, and reboot.",
        command="sudo rm /etc/udev/rules.d/50-remove-nvidia.rules && sudo reboot",
        action="reboot",
    )
    yield Problem(
        title=f"The laptop's NVIDIA GPU is switched off by its graphics mode ({by})",
        evidence=quoted((*off[:2], *missing[:1])),
        remedies=(unruled, back) if unlisted else (back, clean),
    )
