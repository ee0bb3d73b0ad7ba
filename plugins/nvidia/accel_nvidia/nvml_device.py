"""Who a device is, and its cheap readings: what `accel devices` shows."""

import re
from collections.abc import Mapping
from typing import TYPE_CHECKING, Any, Final

from accel_nvidia.nvml_processes import process_rows

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


def identity(session: "Session", handle: Any, device: str) -> dict[str, Any]:
    """Return what does not change. Asked even of a device that is lost: the driver may still remember it."""
    found: dict[str, Any] = {
        "uuid": text(session.ask("nvmlDeviceGetUUID", handle, device=device, fact="uuid")),
        "name": text(session.ask("nvmlDeviceGetName", handle, device=device, fact="name")),
        "serial": text(session.ask("nvmlDeviceGetSerial", handle, device=device, fact="serial")),
    }
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
    return found


def readings(session: "Session", handle: Any, device: str, names: "ProcessNames") -> dict[str, Any]:
    """Return what changes from moment to moment; a process as the fields of its record."""
    found: dict[str, Any] = memory(session, handle, device)
    rates = session.ask("nvmlDeviceGetUtilizationRates", handle, device=device, fact="utilization_percent")
    if rates is not None:
        found["utilization_percent"] = float(rates.gpu)
        found["memory_utilization_percent"] = float(rates.memory)
    degrees = session.ask("nvmlDeviceGetTemperature", handle, 0, device=device, fact="temperature_celsius")
    found["temperature_celsius"] = None if degrees is None else float(degrees)
    found["power_watts"] = watts(session.ask("nvmlDeviceGetPowerUsage", handle, device=device, fact="power_watts"))
    found["power_limit_watts"] = watts(
        session.ask("nvmlDeviceGetEnforcedPowerLimit", handle, device=device, fact="power_limit_watts")
    )
    found["processes"] = process_rows(session, handle, device, names)
    return found


def memory(session: "Session", handle: Any, device: str) -> dict[str, Any]:
    """Return the memory's fields. used leaves out what the driver reserves, where NVML (from 510 on) tells it apart."""
    fact = "memory_total_bytes"
    before = len(session.unsupported.get(device, ()))
    found = session.ask(
        "nvmlDeviceGetMemoryInfo",
        handle,
        getattr(session.nvml, "nvmlMemory_v2", 0x02000028),
        device=device,
        fact=fact,
        instead=("nvmlDeviceGetMemoryInfo", (handle,)),
    )
    if found is None:
        if len(session.unsupported.get(device, ())) > before:
            session.unsupported[device].remove(fact)
            reason = "NVML reports no memory of its own for this device: it shares the system's memory"
            session.lack(fact, reason, device)
        return {}
    return {
        "memory_total_bytes": found.total,
        "memory_used_bytes": found.used,
        "memory_free_bytes": found.free,
        "memory_reserved_bytes": getattr(found, "reserved", None),
    }


def text(value: object) -> str | None:
    """Return a string of NVML's; None for an empty one or "N/A". Older pynvml returns bytes from some functions."""
    if isinstance(value, bytes):
        value = value.decode("utf-8", "replace")
    if not isinstance(value, str) or value.strip() in ("", "N/A", "[N/A]"):
        return None
    return value.strip()


def watts(milliwatts: float | None) -> float | None:
    return None if milliwatts is None else milliwatts / 1000


def pci_address(bus_id: str) -> str | None:
    """Return the kernel's form of a bus id; None if it is none. NVML writes eight digits of domain, in upper case.

    A bus id of ones alone is the driver's "none", as of an NVLink whose other end it does not know.

    >>> pci_address("00000000:3B:00.0"), pci_address("0001:0A:00.0"), pci_address("FFFFFFFF:FF:FF.0"), pci_address("?")
    ('0000:3b:00.0', '0001:0a:00.0', None, None)
    """
    found = re.fullmatch(r"([0-9A-Fa-f]+):([0-9A-Fa-f]{2}):([0-9A-Fa-f]{2})\.([0-7])", bus_id)
    if not found or found[2].lower() == found[3].lower() == "ff":
        return None
    domain, bus, slot, function = found.groups()
    return f"{int(domain, 16):04x}:{bus}:{slot}.{function}".lower()


def pci_id(combined: int) -> str:
    """Return "vendor:device" of NVML's number, which holds the device above the vendor.

    >>> pci_id(0x233010DE)
    '10de:2330'
    """
    return f"{combined & 0xFFFF:04x}:{combined >> 16:04x}"


def known(facts: Mapping[str, Any]) -> dict[str, Any]:
    """Leave out what is not known, so that it cannot overwrite what is."""
    return {name: value for name, value in facts.items() if value is not None}
