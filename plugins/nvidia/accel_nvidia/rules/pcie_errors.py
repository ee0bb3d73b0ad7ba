"""Which PCIe errors concern a GPU: the kernel names the port, and many devices share ports."""

from collections.abc import Iterator
from typing import Final

from accel.model.observation import Fact, Noted, Product
from accel.vendors.contract.rule import Seen, Specs, fact_from, rule

_PORTS: Final = ("pcieport", "pcie_port", "pciehp", "")
_GPU_DRIVERS: Final = ("nvidia", "nouveau", "nova", "vfio")
_GPU_VENDOR: Final = "10de:"
_LOST_FACTS: Final = ("gpu-lost-said",)
_LOST_NOTES: Final = ("gpu-off-bus", "gpu-handle-refused")
_BUSY_LINES: Final = 3


@rule(
    gives={
        "gpu-pcie-error": "a PCIe error of a GPU, or of the port above it",
        "pcie-error-of-other": "a PCIe error of a device that is no GPU, or of the port above it",
        "lost-after-sleep": "a GPU is gone from the bus right after the machine woke up from sleep",
    },
    triggers=("pcie-error", "woke-from-sleep", "gpu-power-state"),
)
def pcie_errors(seen: Seen, specs: Specs) -> Iterator[Fact]:
    """An error is a GPU's if its line has NVIDIA's driver or vendor ID, or a GPU's address. A port's error is a GPU's
    if the text names no other device behind that port and contains an NVIDIA GPU, or a lost one: Wi-Fi cards and disks
    cause the same lines.
    """
    notes = list(seen.of(Noted))
    lost = [one for one in notes if one.fact in _LOST_NOTES] + list(seen.facts(*_LOST_FACTS))
    codes = [one for one in notes if one.fact == "xid"]
    yield from _after_sleep(seen, notes)
    errors = [one for one in notes if one.fact == "pcie-error"]
    if not errors:
        return
    gpus = _gpu_addresses(seen, notes)
    behind = {
        values["port"]: values["gpu"]
        for one in notes
        if one.fact == "behind-port" and {"port", "gpu"} <= (values := dict(one.values)).keys()
    }
    others = _ports_of_others(errors, gpus) | {port for port, gpu in behind.items() if gpu == "no"}
    named = bool(gpus or lost or codes) or any(one.vendor == "nvidia" for one in seen.of(Product))
    named = named or any(report.backend == "nvidia" for report in seen.snapshot.reports)
    gone = lost or any(dict(one.values).get("code") == "79" for one in codes)
    of_gpu = [one for one in errors if _is_gpus(one, gpus, others, named)]
    for one in of_gpu:
        yield fact_from(
            "gpu-pcie-error",
            one,
            severity=dict(one.values).get("severity"),
            port=dict(one.values).get("reporter"),
            lost="yes" if gone else None,
            many="yes" if len(of_gpu) >= _BUSY_LINES else None,
        )
    for one in errors:
        name = _other(one, errors, others) if one not in of_gpu else None
        if name is not None:
            yield fact_from("pcie-error-of-other", one, driver=name, device=dict(one.values).get("device"))


def _gpu_addresses(seen: Seen, notes: list[Noted]) -> set[str]:
    found = {
        device.pci_address
        for report in seen.snapshot.reports
        if report.backend == "nvidia"
        for device in report.devices
        if device.pci_address
    }
    found |= {pci for one in notes if one.fact in ("xid", *_LOST_NOTES) and (pci := dict(one.values).get("pci"))}
    return {_slot(address) for address in found}


def _slot(address: str) -> str:
    """Return an address without its function: a board's audio function shares the link."""
    return address.rsplit(".", 1)[0]


def _ports_of_others(errors: list[Noted], gpus: set[str]) -> set[str]:
    """Return the ports with errors of devices that are not GPUs."""
    drivers = {
        values["device"]: values["driver"]
        for values in (dict(one.values) for one in errors)
        if values.get("device") and values.get("driver") and values["driver"] not in _PORTS
    }
    found: set[str] = set()
    for one in errors:
        values = dict(one.values)
        device, reporter = values.get("device"), values.get("reporter")
        if not device or not reporter or device == reporter or _slot(device) in gpus:
            continue
        driver = drivers.get(device)
        if driver is not None and driver not in _PORTS and not driver.startswith(_GPU_DRIVERS):
            found.add(reporter)
    return found


def _other(one: Noted, errors: list[Noted], others: set[str]) -> str | None:
    """Return the driver of the non-GPU device with the error; None if the text does not show it."""
    values = dict(one.values)
    drivers = [values.get("driver")]
    if values.get("reporter") in others:
        drivers += [dict(two.values).get("driver") for two in errors if _device(two) == values.get("device")]
    return next((name for name in drivers if name and name not in _PORTS and not name.startswith(_GPU_DRIVERS)), None)


def _device(one: Noted) -> str | None:
    return dict(one.values).get("device")


def _is_gpus(one: Noted, gpus: set[str], others: set[str], named: bool) -> bool:
    values = dict(one.values)
    driver = values.get("driver") or ""
    if values.get("pci_id", "").startswith(_GPU_VENDOR) or driver.startswith(_GPU_DRIVERS[:3]):
        return True
    device = values.get("device")
    if device and _slot(device) in gpus:
        return True
    return named and driver in _PORTS and not {values.get("reporter"), device} & others


def _after_sleep(seen: Seen, notes: list[Noted]) -> Iterator[Fact]:
    slept = [fact.line or 0 for fact in seen.facts("woke-from-sleep", "gpu-power-state")]
    for one in notes:
        if one.fact in _LOST_NOTES and any(0 <= (one.line or 0) - line <= 60 for line in slept):
            yield fact_from("lost-after-sleep", one, **dict(one.values))
