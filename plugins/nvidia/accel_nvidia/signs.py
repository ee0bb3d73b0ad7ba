"""What the facts say of where a program ran: in a container, under WSL, beside which GPU. Pure."""

from typing import Final

from accel.contract.check import applies
from accel.facts.questions import Facts
from accel.model.device import Device
from accel_nvidia.model import NvidiaDevice

_TRUST_OF_PROSE: Final = 20
_AMD: Final = ("amd-gpu-named", "amd-machine", "no-hip-gpus")


def listed(facts: Facts) -> tuple[Device, ...]:
    """Return the GPUs that a tool or a program lists; those only named in prose are left out."""
    ids = {d.id for report in facts.reports("nvidia") if report.trust > _TRUST_OF_PROSE for d in report.devices}
    return tuple(device for device in facts.of("nvidia") if device.id in ids)


def amd_seen(facts: Facts) -> bool:
    """Whether an AMD GPU is listed or named."""
    return bool(facts.of("amd") or facts.stated(*_AMD))


def driver_answers(facts: Facts) -> bool:
    """Whether some tool got an answer from the driver: a version of the kernel module, or devices read through it."""
    driver = facts.driver("nvidia")
    return driver is not None and driver.version is not None


def gpus(facts: Facts) -> tuple[NvidiaDevice, ...]:
    """Return the whole GPUs whose NVIDIA-specific facts were asked for."""
    return tuple(device for device in facts.of("nvidia") if isinstance(device, NvidiaDevice))


def at_address(facts: Facts, pci: str | None) -> tuple[str, ...]:
    """Return the ids of the GPUs at a PCI address, which may lack its domain or its function."""
    if pci is None:
        return ()
    wanted = _bus(pci)
    return tuple(d.id for d in facts.of("nvidia") if d.pci_address is not None and _bus(d.pci_address) == wanted)


def _bus(pci: str) -> str:
    """Return bus and device of a PCI address: "3b:00"."""
    return ":".join(pci.lower().split(".")[0].split(":")[-2:])


def must_know(facts: Facts, *fields: str) -> None:
    """End a check that found nothing as not applicable, unless one of these fields is known of some GPU."""
    known = any(getattr(device, field) is not None for device in gpus(facts) for field in fields)
    applies(known or not gpus(facts), f"{fields[0]} is not known of any GPU, or no GPU here has it")
