"""The record of a Gaudi."""

from typing import ClassVar

from accel.model.dataclass import dataclass, replace
from accel.model.device import Device, Health
from accel.specs import load

BACKEND = "gaudi"
VENDOR = "Intel"


@dataclass(frozen=True, slots=True, kw_only=True)
class GaudiDevice(Device):
    """One card ("AIP"), with the fields from hl-smi and the habanalabs driver.

    name               the product, as in hl-smi: "HL-225"; architecture is "gaudi1", "gaudi2", "gaudi3"
    module_id          the card's place on its board, as counted by HABANA_VISIBLE_MODULES; it is not the index
    module_status      the driver's word: "Operational", "In reset", "Malfunction" …; health is derived from it
    ecc_uncorrectable_errors  since the driver was loaded ("volatile")
    rows_pending       memory rows waiting for a reset to be replaced
    device_path        "/dev/accel/accel0"; "/dev/hl0" with drivers before 1.10
    node_accessible    whether this process may open it
    """

    readings_from: ClassVar[tuple[tuple[str, str], ...]] = (("uncorrected_errors", "ecc_uncorrectable_errors"),)

    module_id: int | None = None
    module_status: str | None = None
    firmware_version: str | None = None
    ecc_uncorrectable_errors: int | None = None
    rows_replaced_double_bit: int | None = None
    rows_pending: bool | None = None
    device_path: str | None = None
    node_accessible: bool | None = None


def gaudi(index: int) -> GaudiDevice:
    """Return an empty record with this index."""
    return GaudiDevice(id=f"{BACKEND}:{index}", index=index, backend=BACKEND, vendor=VENDOR, kind="accelerator")


def with_product(device: GaudiDevice) -> GaudiDevice:
    """Return the device with its architecture from the spec tables, and its name if only the PCI ID is known."""
    chip = load().chip(name=device.name, vendor="intel", pci_id=device.pci_id)
    if chip is None or not chip.architecture.startswith("gaudi"):
        return device
    return replace(device, name=device.name or chip.name, architecture=chip.architecture)


def health_of(status: str) -> Health:
    """Return the health that the driver's status word means.

    >>> [health_of(s) for s in ("Operational", "in device creation", "Needs Reset", "Malfunction", "sideways")]
    ['ok', 'warning', 'critical', 'critical', 'unknown']
    """
    word = status.strip().lower()
    if word == "operational":
        return "ok"
    if word.startswith("in ") and ("reset" in word or "creation" in word):
        return "warning"
    if word in ("malfunction", "disabled", "needs reset", "not operational"):
        return "critical"
    return "unknown"
