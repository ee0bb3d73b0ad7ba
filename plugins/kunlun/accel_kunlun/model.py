"""What only Kunlunxin's hardware has, beyond the facts of any accelerator."""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, Final

from accel.model.device import Device, Process
from accel.text import amounts as a

BACKEND: Final = "kunlun"
VENDOR: Final = "Kunlunxin"


@dataclass(frozen=True, slots=True, kw_only=True)
class KunlunDevice(Device):
    """One device, with what xpu-smi knows of it.

    l3_*                      the memory on the chip, beside the HBM or GDDR of memory_total_bytes
    ecc_uncorrectable_errors  since the driver was loaded ("volatile")
    health                    "critical" if an error could not be corrected; no count tells that a device is well
    device_path               "/dev/xpu0"
    """

    fan_percent: float | None = None
    compute_mode: str | None = None
    sriov_mode: str | None = None
    l3_total_bytes: int | None = None
    l3_used_bytes: int | None = None
    firmware_version: str | None = None
    device_path: str | None = None
    ecc_uncorrectable_errors: int | None = None
    ecc_correctable_errors: int | None = None


def kunlun_device(index: int, **facts: Any) -> KunlunDevice:
    """Return the record of a device; facts that are None are not known."""
    return KunlunDevice(
        id=f"{BACKEND}:{index}", index=index, backend=BACKEND, vendor=VENDOR, kind="accelerator", **facts
    )


def table_device(
    index: int, row: Mapping[str, str], driver: str | None, held: "tuple[Process, ...] | None"
) -> KunlunDevice:
    """Return the record of a row of the table, whose texts have the names of the columns' groups."""
    uncorrectable = a.count(row.get("ecc"))
    return kunlun_device(
        index,
        name=a.word(row.get("name")),
        pci_address=a.pci_address(row.get("bus")),
        driver_version=driver,
        memory_total_bytes=a.capacity(row.get("total")),
        memory_used_bytes=a.mebibytes(row.get("used")),
        utilization_percent=a.number(row.get("utilization")),
        temperature_celsius=a.number(row.get("temperature")),
        power_watts=a.number(row.get("power")),
        power_limit_watts=a.number(row.get("limit")),
        processes=held,
        fan_percent=a.number(row.get("fan")),
        compute_mode=a.word(row.get("mode")),
        sriov_mode=a.word(row.get("sriov")),
        l3_total_bytes=a.capacity(row.get("l3_total")),
        l3_used_bytes=a.mebibytes(row.get("l3_used")),
        health="critical" if uncorrectable else "unknown",
        ecc_uncorrectable_errors=uncorrectable,
    )


def table_processes(held: list[dict[str, str]] | None, index: int) -> tuple[Process, ...] | None:
    """Return a device's processes out of the table's section; None if it is missing or cut."""
    if held is None:
        return None
    return tuple(
        Process(pid=int(row["pid"]), name=a.word(row.get("name")), memory_bytes=a.mebibytes(row.get("memory")))
        for row in held
        if int(row["index"]) == index
    )
