"""Devices as columns of plain values: for spreadsheets and scripts, under nvidia-smi's names too.

A column has one unit, which stands in its head, and its cells are numbers or words. What is not known is empty.
"""

import csv
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from typing import IO, Any, Final

from accel.model.device import Device
from accel.model.errors import BadInput


@dataclass(frozen=True, slots=True)
class Column:
    """head: name with its unit, "memory.used [MiB]"; cell gives a device's value, None where it is not known."""

    head: str
    cell: Callable[[Device], Any]


def _field(name: str) -> Callable[[Device], Any]:
    return lambda device: getattr(device, name)


def _mebibytes(name: str) -> Callable[[Device], Any]:
    return lambda device: None if (value := getattr(device, name)) is None else value // 2**20


def _number(name: str) -> Callable[[Device], Any]:
    return lambda device: None if (value := getattr(device, name)) is None else round(value, 2)


def _joined(name: str) -> Callable[[Device], Any]:
    return lambda device: None if (value := getattr(device, name)) is None else " ".join(map(str, value))


def _processes(device: Device) -> Any:
    return None if device.processes is None else " ".join(str(process.pid) for process in device.processes)


# By the names that nvidia-smi --query-gpu gives what every vendor has, and accel's own for the rest.
COLUMNS: Final = {
    "id": Column("id", _field("id")),
    "index": Column("index", _field("index")),
    "vendor": Column("vendor", _field("vendor")),
    "kind": Column("kind", _field("kind")),
    "name": Column("name", _field("name")),
    "uuid": Column("uuid", _field("uuid")),
    "serial": Column("serial", _field("serial")),
    "pci.bus_id": Column("pci.bus_id", _field("pci_address")),
    "pci_id": Column("pci_id", _field("pci_id")),
    "numa_node": Column("numa_node", _field("numa_node")),
    "architecture": Column("architecture", _field("architecture")),
    "compute_cap": Column("compute_cap", _field("compute_capability")),
    "driver_version": Column("driver_version", _field("driver_version")),
    "memory.total": Column("memory.total [MiB]", _mebibytes("memory_total_bytes")),
    "memory.used": Column("memory.used [MiB]", _mebibytes("memory_used_bytes")),
    "memory.free": Column("memory.free [MiB]", _mebibytes("memory_free_bytes")),
    "memory.reserved": Column("memory.reserved [MiB]", _mebibytes("memory_reserved_bytes")),
    "utilization.gpu": Column("utilization.gpu [%]", _number("utilization_percent")),
    "temperature.gpu": Column("temperature.gpu [C]", _number("temperature_celsius")),
    "power.draw": Column("power.draw [W]", _number("power_watts")),
    "power.limit": Column("power.limit [W]", _number("power_limit_watts")),
    "health": Column("health", _field("health")),
    "pids": Column("pids", _processes),
    "parent": Column("parent", _field("parent")),
    "visible": Column("visible", _field("visible")),
    "runtime": Column("runtime", _joined("runtime_names")),
}
USUAL: Final = (
    *("id", "vendor", "name", "uuid", "pci.bus_id", "driver_version", "memory.total", "memory.used"),
    *("utilization.gpu", "temperature.gpu", "power.draw", "power.limit", "health", "pids"),
)
_OTHER_NAMES: Final = {
    "gpu_name": "name",
    "gpu_uuid": "uuid",
    "gpu_bus_id": "pci.bus_id",
    "gpu_serial": "serial",
    "pci_address": "pci.bus_id",
    "compute_capability": "compute_cap",
    "power.draw.instant": "power.draw",
    "enforced.power.limit": "power.limit",
}


def columns_of(query: str | None) -> tuple[Column, ...]:
    """Return the columns that a list of names asks for ("name,memory.used"), the usual ones without it.

    Raises BadInput for a name that is none, with the nearest.
    """
    if query is None:
        return tuple(COLUMNS[name] for name in USUAL)
    found = []
    for word in (part.strip().lower() for part in query.split(",")):
        name = _OTHER_NAMES.get(word, word)
        if name not in COLUMNS:
            from difflib import get_close_matches

            near = get_close_matches(word, COLUMNS, 2, 0.6)
            hint = f" Did you mean {' or '.join(near)}?" if near else ""
            raise BadInput(f"--query: no column is named {word!r}.{hint} There are: {', '.join(COLUMNS)}.")
        found.append(COLUMNS[name])
    return tuple(found)


def write_csv(out: IO[str], devices: Iterable[Device], columns: Sequence[Column], *, head: bool = True) -> None:
    """Write a line a device, by RFC 4180, except that lines end in a line feed alone."""
    rows = csv.writer(out, lineterminator="\n")
    if head:
        rows.writerow([column.head for column in columns])
    for device in devices:
        cells = (column.cell(device) for column in columns)
        rows.writerow(["" if cell is None else cell for cell in cells])
