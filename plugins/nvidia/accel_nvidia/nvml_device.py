"""A device's identity, and its cheap readings: what `accel devices` shows."""

import re
from collections.abc import Mapping
from typing import TYPE_CHECKING, Any, Final

from accel_nvidia.nvml_processes import process_rows
from accel_nvidia.nvml_questions import IDENTITY, MEMORY, POWER, POWER_LIMIT, RATES, TEMPERATURE, text
from accel_nvidia.nvml_structures import MEMORY_V2

if TYPE_CHECKING:
    from accel.vendors.toolkit.process_names import ProcessNames
    from accel_nvidia.nvml_session import Session

ARCHITECTURES: Final = {  # nvml.h, NVML_DEVICE_ARCH_*
    2: "kepler",
    3: "maxwell",
    4: "pascal",
    5: "volta",
    6: "turing",
    7: "ampere",
    8: "ada",
    9: "hopper",
    10: "blackwell",
    13: "rubin",
}
CORES_EACH: Final = {  # of a multiprocessor, by compute capability or its first number
    "3": 192,
    "5": 128,
    "6": 128,
    "6.0": 64,
    "7": 64,
    "8": 128,
    "8.0": 64,
    "9": 128,
    "10": 128,
    "11": 128,
    "12": 128,
}
_NO_COUNT: Final = (3, 13)  # a driver without the call


def identity(session: "Session", handle: Any, device: str) -> dict[str, Any]:
    """Return what does not change. Also read for a lost device: the driver may still remember it."""
    found: dict[str, Any] = {}
    for question in IDENTITY:
        found |= question.ask(session, handle, device)
    pci = session.ask("nvmlDeviceGetPciInfo", handle, device=device, fact="pci_address")
    if pci is not None:
        found["pci_address"] = pci_address(text(pci.busId) or text(pci.busIdLegacy) or "")
        found["pci_id"] = pci_id(pci.pciDeviceId)
    if session.is_lost(device):
        return found
    architecture = session.ask("nvmlDeviceGetArchitecture", handle, device=device, fact="architecture")
    found["architecture"] = ARCHITECTURES.get(architecture) if architecture is not None else None
    capability = session.ask("nvmlDeviceGetCudaComputeCapability", handle, device=device, fact="compute_capability")
    if capability is not None:
        found["compute_capability"] = f"{capability[0]}.{capability[1]}"
        cores = session.ask("nvmlDeviceGetNumGpuCores", handle, device=device, fact="multiprocessors", quiet=_NO_COUNT)
        found["multiprocessors"] = multiprocessors(cores, found["compute_capability"])
    return found


def multiprocessors(cores: int | None, capability: str) -> int | None:
    """Return how many multiprocessors a number of FP32 lanes ("cores") makes; None if it is not an integer.

    >>> multiprocessors(16896, "9.0"), multiprocessors(6912, "8.0"), multiprocessors(100, "9.0")
    (132, 108, None)
    """
    each = CORES_EACH.get(capability) or CORES_EACH.get(capability.partition(".")[0])
    return cores // each if cores and each and cores % each == 0 else None


def readings(session: "Session", handle: Any, device: str, names: "ProcessNames") -> dict[str, Any]:
    """Return what changes from moment to moment; a process as the fields of its record."""
    found: dict[str, Any] = memory(session, handle, device)
    for question in (RATES, TEMPERATURE, POWER, POWER_LIMIT):
        found |= question.ask(session, handle, device)
    found["processes"] = process_rows(session, handle, device, names)
    return found


def memory(session: "Session", handle: Any, device: str) -> dict[str, Any]:
    """Return the memory's fields. used excludes the driver's reserve if NVML reports it (from 510 on)."""
    fact = "memory_total_bytes"
    before = len(session.unsupported.get(device, ()))
    told = session.ask(
        MEMORY.call,
        handle,
        getattr(session.nvml, "nvmlMemory_v2", MEMORY_V2),
        device=device,
        fact=fact,
        instead=(MEMORY.call, (handle,)),
    )
    if told is None:
        if len(session.unsupported.get(device, ())) > before:
            session.unsupported[device].remove(fact)
            reason = "NVML reports no separate memory for this device: it shares the system's memory"
            session.lack(fact, reason, device)
        return {}
    found: dict[str, Any] = {}
    MEMORY.tell(told, found)
    return found


def pci_address(bus_id: str) -> str | None:
    """Return the kernel's form of a bus ID; None if it is not one. NVML writes eight digits of domain, in upper case.

    A bus ID of all ones means "none" to the driver, as for an NVLink whose other end it does not know.

    >>> pci_address("00000000:3B:00.0"), pci_address("0001:0A:00.0"), pci_address("FFFFFFFF:FF:FF.0"), pci_address("?")
    ('0000:3b:00.0', '0001:0a:00.0', None, None)
    """
    found = re.fullmatch(r"([0-9A-Fa-f]+):([0-9A-Fa-f]{2}):([0-9A-Fa-f]{2})\.([0-7])", bus_id)
    if not found or found[2].lower() == found[3].lower() == "ff":
        return None
    domain, bus, slot, function = found.groups()
    return f"{int(domain, 16):04x}:{bus}:{slot}.{function}".lower()


def pci_id(combined: int) -> str:
    """Return "vendor:device" from NVML's number, which has the device in the upper half.

    >>> pci_id(0x233010DE)
    '10de:2330'
    """
    return f"{combined & 0xFFFF:04x}:{combined >> 16:04x}"


def known(facts: Mapping[str, Any]) -> dict[str, Any]:
    """Drop unknown values, so that they cannot overwrite known ones."""
    return {name: value for name, value in facts.items() if value is not None}
