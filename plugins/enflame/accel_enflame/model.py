"""What only Enflame's hardware has, beyond the facts of any accelerator."""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, Final

from accel.model.device import Device, Process
from accel.text import amounts as a

BACKEND: Final = "enflame"
VENDOR: Final = "Enflame"


@dataclass(frozen=True, slots=True, kw_only=True)
class EnflameDevice(Device):
    """One device, with what efsmi knows of it.

    ecc_mode         "Enable" or "Disable"
    power_mode       "Sleep", "Active", "LP0" …: the level of its power management
    health           from "Health" of the query: True is ok, False critical; the table does not tell it
    rma_flag         the tool says that the board should be returned
    power_cable      "Normal", or what is wrong with it
    """

    firmware_version: str | None = None
    ecc_mode: str | None = None
    power_mode: str | None = None
    virtualization: str | None = None
    rma_flag: bool | None = None
    power_cable: str | None = None
    double_bit_errors: int | None = None


def enflame_device(index: int, **facts: Any) -> EnflameDevice:
    """Return the record of a device; facts that are None are not known."""
    return EnflameDevice(
        id=f"{BACKEND}:{index}", index=index, backend=BACKEND, vendor=VENDOR, kind="accelerator", **facts
    )


def table_device(
    index: int, row: Mapping[str, str], driver: str | None, held: "tuple[Process, ...] | None"
) -> EnflameDevice:
    """Return the record of a row of the table, whose texts have the names of the columns' groups."""
    return enflame_device(
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
        serial=a.word(row.get("serial")),
        firmware_version=a.word(row.get("firmware")),
        ecc_mode=a.word(row.get("ecc")),
        power_mode=a.word(row.get("level")),
        virtualization=a.word(row.get("virtual")),
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
