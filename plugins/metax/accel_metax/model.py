"""What only MetaX's hardware has, beyond the facts of any accelerator."""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, Final

from accel.model.device import Device, Process
from accel.text import amounts as a
from accel_metax.state import health_of

BACKEND: Final = "metax"
VENDOR: Final = "MetaX"


@dataclass(frozen=True, slots=True, kw_only=True)
class MetaxDevice(Device):
    """One device, with what mx-smi knows of it.

    name         as the tool has it: "MetaX C500", in old versions and lists "MXC500"
    board        the number of the board; a board of several GPUs is named in its first row alone
    state        the tool's word: "Available", "Not Available"; it tells that the driver can use the GPU, not that the
                 GPU is sound: health is "critical" for the second, and unknown for the first
    state_reason why it is not available, in the tool's words
    *_ecc_errors pages of the memory that were retired after a double-bit error: they stay so after a restart
    """

    board: int | None = None
    performance_state: str | None = None
    persistence_mode: str | None = None
    sgpu_mode: str | None = None
    state: str | None = None
    state_reason: str | None = None
    double_bit_ecc_errors: int | None = None


def metax_device(index: int, **facts: Any) -> MetaxDevice:
    """Return the record of a device; facts that are None are not known."""
    return MetaxDevice(id=f"{BACKEND}:{index}", index=index, backend=BACKEND, vendor=VENDOR, kind="gpu", **facts)


def table_device(
    index: int, row: Mapping[str, str], driver: str | None, held: "tuple[Process, ...] | None"
) -> MetaxDevice:
    """Return the record of a row of the table, whose texts have the names of the columns' groups."""
    return metax_device(
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
        board=a.count(row.get("board")),
        performance_state=a.word(row.get("performance")),
        persistence_mode=a.word(row.get("persistence")),
        sgpu_mode=a.word(row.get("sgpu")),
        state=a.word(row.get("state")),
        health=health_of(row.get("state")),
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
