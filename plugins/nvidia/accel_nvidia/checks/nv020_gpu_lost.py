from typing import Final

from accel.resolver.system_tools import kernel_option
from accel.text.pattern import pattern
from accel.vendors.contract.check import Fact, Facts, Problem, Problems, Remedy, Specs, check, quoted
from accel.vendors.contract.command import chained, command_line, number_word
from accel.vendors.toolkit.table_steps import fix
from accel_nvidia import around, xid

_UNDER_LOAD: Final = "lost-under-load"
_WHILE_IDLE: Final = "lost-while-idle"
_AGAIN: Final = "lost-repeatedly"
_OF_SWITCH: Final = "sxid"
_BEYOND_REBOOT: Final = "power-cycle-considered"
_TOO_HOT: Final = 65  # °C without work
_BARELY_FED: Final = 0.7  # share of the rated power that a weak supply tolerates and most jobs still run with

_MOBILE: Final = pattern(r"\bM?\d{3,4}MX?\b|\bMX\d{3}\b|Laptop|Mobile|Max-Q|laptop|mobile", exact_case=True)
_LINK_AWAKE: Final = (
    "powercfg /setacvalueindex SCHEME_CURRENT SUB_PCIEXPRESS ASPM 0 && powercfg /setactive SCHEME_CURRENT && "
    "shutdown /r /t 0"
)


@check(
    code="NV020",
    name="gpu-lost",
    layer="hardware",
    family="gpu-hardware-fault",
    reads=(
        *(
            "gpu-hot-said",
            "gpu-idle-temperature-said",
            "xid-lost",
            "gpu-off-bus",
            "gpu-lost-said",
            "gpu-handle-refused",
        ),
        *(_UNDER_LOAD, _WHILE_IDLE, _AGAIN, _OF_SWITCH, _BEYOND_REBOOT),
    ),
    needs=(
        "nvidia.devices",
        "source.kernel log",
    ),
    explained_by=("gpu-lost-after-suspend", "gpu-pcie-errors", "gpu-external-power-missing"),
)
def gpu_lost(facts: Facts, specs: Specs) -> Problems:
    """A GPU that was present no longer answers: Xid 79, fallen off the bus, lost.

    Why it matters   Programs on it die and tools may hang; it does not recover by itself.
    What to do       Reboot, ideally with a cold start; if it recurs, check power, seating, riser and temperature: first
                     the power supply if the GPU is lost under load, first power saving if it is lost while idle.
    Looks at         Xid 79; "fallen off the bus"; NVML's "GPU is lost"; a GPU that nvidia-smi cannot open
    Silent when      NVML could not start at all: the error is then not about a single GPU
    Source           NVML API: NVML_ERROR_GPU_IS_LOST; NVIDIA Xid catalogue: 79
    """
    found = facts.stated("xid-lost", "gpu-off-bus", "gpu-lost-said", "gpu-handle-refused")
    if not found:
        return
    devices = {*xid.gpus_at(facts, found), *(fact.device for fact in found if fact.device)}
    hot = _hot(facts)
    yield Problem(
        title="A GPU is lost: the driver can no longer reach it"
        + xid.where(found)
        + ", and it was too hot" * bool(hot),
        devices=tuple(sorted(devices)),
        evidence=quoted((*found, *hot[:1])),
        remedies=_remedies(facts, specs),
    )


def _hot(facts: Facts) -> tuple[Fact, ...]:
    """Return who saw a GPU at its limit, or without work at 65 °C or more."""
    idle = (f for f in facts.stated("gpu-idle-temperature-said") if (f.number("celsius") or 0) >= _TOO_HOT)
    return (*facts.stated("gpu-hot-said"), *idle)


def _remedies(facts: Facts, specs: Specs) -> tuple[Remedy, ...]:
    """Return the steps for the condition under which the text says the GPU is lost, else the reboot."""
    reboot = Remedy(text="Drain the machine and reboot it: a reset does not reach a lost GPU.", action="reboot")
    cycle = fix(specs, "nvidia", "power-cycle-lost-gpu")
    board = fix(specs, "nvidia", "lost-gpu-board")
    if any(fact.value("fatal") == "yes" for fact in facts.stated(_OF_SWITCH)):
        return (fix(specs, "nvidia", "lost-behind-switch"), board)
    if _hot(facts) or facts.stated("thermal-violation"):
        cool = fix(specs, "nvidia", "cool-lost-gpu")
        return (cool, cycle)
    if facts.stated(_WHILE_IDLE):
        return (_awake(facts, specs), cycle, board)
    if facts.stated(_UNDER_LOAD):
        return (_fed(facts, specs), board)
    mobile = any(_MOBILE.search(device.name or "") for device in facts.of("nvidia"))
    if facts.stated(_AGAIN):
        return (
            (_of_laptop(facts, specs), fix(specs, "nvidia", "laptop-board")) if mobile else (_held(facts, specs), board)
        )
    return (
        *(reboot,) * (not facts.stated(_BEYOND_REBOOT)),
        cycle,
        fix(specs, "nvidia", "laptop-board") if mobile else board,
    )


def _of_laptop(facts: Facts, specs: Specs) -> Remedy:
    """Return the steps for a laptop's GPU that is lost again and again: nothing in it can be reseated."""
    awake = kernel_option("pcie_aspm", "off", facts, specs)
    held = chained("sudo systemctl enable --now nvidia-persistenced", awake, "sudo reboot")
    return Remedy(
        text="It is lost again and again, so a reboot alone does not cure it. In a laptop connect mains power, update "
        "the firmware (BIOS) and the NVIDIA driver from the laptop's maker, and stop the PCIe link from saving power. "
        "Watch the temperature while the program runs.",
        command=_LINK_AWAKE if around.on_windows(facts) else held,
        action="reboot",
    )


def _fed(facts: Facts, specs: Specs) -> Remedy:
    """Return the steps for a GPU lost under load: power first, tested with a lower limit."""
    chips = (specs.chip(name=device.name, vendor="nvidia") for device in facts.of("nvidia") if device.name)
    rated = {chip.tdp_watts for chip in chips if chip is not None and chip.tdp_watts}
    watts = number_word(int(max(rated) * _BARELY_FED) // 10 * 10) if len(rated) == 1 else None
    return Remedy(
        text="It is lost under load, so check its power before any software: power the machine off and on (a "
        "lost GPU needs a power cycle), push in every power connector of the card, each on its own cable "
        "from the power supply (no splitter, no daisy chain, 12VHPWR fully seated), reseat the card, and "
        "make sure that the power supply can handle its peaks. This power limit is a test: if the GPU then "
        "stays up under load, the power supply or a cable is at fault.",
        command=command_line("sudo nvidia-smi -pl", watts or "WATTS"),
        action="admin",
    )


def _held(facts: Facts, specs: Specs) -> Remedy:
    """Return the steps for a GPU that is lost again and again, at no known load: its seat and supply, then its link."""
    awake = kernel_option("pcie_aspm", "off", facts, specs)
    return Remedy(
        text="It is lost again and again, so a reboot alone does not cure it. Power the machine off; in a desktop or "
        "server reseat the card and every power connector, each on its own cable from the power supply, without a "
        "riser; in a laptop update its firmware. Then keep the driver loaded (persistence mode) and the PCIe link "
        "from saving power (ASPM). If it is lost all the same, test it with another power supply or in another slot.",
        command=chained("sudo systemctl enable --now nvidia-persistenced", awake, "sudo reboot"),
        action="reboot",
    )


def _awake(facts: Facts, specs: Specs) -> Remedy:
    """Return the steps for a GPU lost while idle: disable power saving of the link and the card."""
    awake = kernel_option("pcie_aspm", "off", facts, specs)
    return Remedy(
        text="It is lost while idle, so it fails to wake up: keep the driver loaded (persistence mode), disable "
        "power management of the PCIe link (ASPM; also in the firmware setup), and power-cycle the machine.",
        command=chained("sudo systemctl enable --now nvidia-persistenced", awake, "sudo reboot"),
        action="reboot",
    )
