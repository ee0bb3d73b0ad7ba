"""Devices and gaps as dicts of their records' fields: the JSON output without the records.

Loading dataclasses and creating the records takes longer than querying a node with eight GPUs. If nothing has to be
merged or explained, a program that asks for JSON gets the same values without them.
"""

from collections.abc import Mapping
from typing import Any, Final, TypedDict

Row = dict[str, Any]

# The fields of accel.model.device.Device, in their order. A test holds these to the record.
DEVICE_FIELDS: Final = (
    *("id", "index", "backend", "vendor", "kind", "name", "uuid", "serial", "pci_address", "pci_id", "numa_node"),
    *("architecture", "compute_capability", "driver_version"),
    *("memory_total_bytes", "memory_used_bytes", "memory_free_bytes", "memory_reserved_bytes"),
    *("utilization_percent", "temperature_celsius", "power_watts", "power_limit_watts"),
    *("health", "processes", "parent", "visible", "runtime_names", "multiprocessors", "unified_memory", "from_specs"),
)


class Listing(TypedDict):
    """Everything that one source lists. The processes of a device are rows too."""

    source: str
    devices: list[Row]
    gaps: list[Row]


def device_row(facts: Mapping[str, Any], more: tuple[str, ...] = ()) -> Row:
    """Return the row of a device, with None for unknown facts. more: the fields of the vendor's own record."""
    row = {name: facts.get(name) for name in (*DEVICE_FIELDS, *more)}
    row["health"] = row["health"] or "unknown"
    row["from_specs"] = row["from_specs"] or []
    return row


def order(
    kind: str, backend: str, index: int, device_id: str, parent: str | None = None
) -> tuple[bool, str, int, bool, int, str]:
    """Sort key of devices: the CPU comes last, partitions after their device.

    >>> order("gpu", "nvidia", 0, "nvidia:2/mig0", "nvidia:2") > order("gpu", "nvidia", 2, "nvidia:2")
    True
    """
    is_below = parent is not None and device_id.startswith(f"{parent}/")
    number = parent.rpartition(":")[2] if parent is not None and is_below else ""
    whole = int(number) if number.isdecimal() else index
    return kind == "cpu", backend, whole, is_below, index, device_id
