"""What only Iluvatar's hardware has, beyond the facts of any accelerator."""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, Final

from accel.model.device import Device, Process
from accel.text import amounts as a

BACKEND: Final = "iluvatar"
VENDOR: Final = "Iluvatar"


@dataclass(frozen=True, slots=True, kw_only=True)
class IluvatarDevice(Device):
    """One device, with what ixsmi knows of it.

    sm_mhz, memory_mhz   the clocks now
    ecc_*_errors         since the driver was loaded ("volatile")
    health               "critical" if an error could not be corrected; no count tells that a device is well
    A board of two chips tells its power on one of them; the other's is None.
    """

    fan_percent: float | None = None
    performance_state: str | None = None
    compute_mode: str | None = None
    sm_mhz: float | None = None
    memory_mhz: float | None = None
    ecc_uncorrectable_errors: int | None = None
    ecc_correctable_errors: int | None = None


def iluvatar_device(index: int, **facts: Any) -> IluvatarDevice:
    """Return the record of a device; facts that are None are not known."""
    return IluvatarDevice(id=f"{BACKEND}:{index}", index=index, backend=BACKEND, vendor=VENDOR, kind="gpu", **facts)


def table_device(
    index: int, row: Mapping[str, str], driver: str | None, held: "tuple[Process, ...] | None"
) -> IluvatarDevice:
    """Return the record of a row of the table, whose texts have the names of the columns' groups."""
    return iluvatar_device(
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
        performance_state=a.word(row.get("performance")),
        compute_mode=a.word(row.get("mode")),
        sm_mhz=a.number(row.get("sm_clock")),
        memory_mhz=a.number(row.get("memory_clock")),
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
