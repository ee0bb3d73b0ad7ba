"""The reader of a drawn table whose columns a vendor states: its Layout, and which column fills which field.

Groups that every such table shares fill the fields of any device: name, bus, total and used (of the memory),
utilization, temperature, power, limit; driver, tool, toolkit and firmware stand above it. `own` tells the rest:

    READER = table_reader(VENDOR, "acme-smi table", LAYOUT, signs=("ACME-SMI",), own={"fan_percent": ("fan", a.number)})
"""

from collections.abc import Callable, Iterator, Mapping
from functools import partial
from typing import Any

from accel.model.device import Process
from accel.model.report import Driver, Report
from accel.text import amounts as a
from accel.text.grid import Layout, Table, tables
from accel.vendors.contract.backend import Reader, Reading
from accel.vendors.contract.vendor import Vendor

Own = Mapping[str, tuple[str, Callable[[str | None], Any]]]


def table_reader(
    vendor: Vendor[Any], name: str, layout: Layout, *, signs: tuple[str, ...], own: Own, trust: int = 60
) -> Reader:
    """Return the reader of a vendor's table. own: the group and the form of the value, by the record's field."""
    return Reader(name=name, signs=signs, read=partial(_read, vendor, name, layout, own, trust))


def _read(vendor: Vendor[Any], name: str, layout: Layout, own: Own, trust: int, text: str) -> Iterator[Reading]:
    """Yield one reading a table; rows that cannot be read are left out."""
    for table in tables(text, layout):
        driver = Driver(
            version=a.word(table.said.get("driver")),
            library_version=a.word(table.said.get("tool")),
            toolkit_version=a.word(table.said.get("toolkit")),
            firmware_version=a.word(table.said.get("firmware")),
        )
        devices = tuple(
            vendor.device(
                index,
                driver_version=driver.version,
                processes=_processes(table, index),
                **_facts(row),
                **{field: form(row.get(group)) for field, (group, form) in own.items()},
            )
            for index, row in sorted(table.rows.items())
        )
        if devices or driver.version:
            report = Report(backend=vendor.name, source=name, trust=trust, driver=driver, devices=devices)
            yield Reading(source=name, reports=(report,), first_line=table.first_line, last_line=table.last_line)


def _facts(row: Mapping[str, str]) -> dict[str, Any]:
    return {
        "name": a.word(row.get("name")),
        "pci_address": a.pci_address(row.get("bus")),
        "memory_total_bytes": a.capacity(row.get("total")),
        "memory_used_bytes": a.mebibytes(row.get("used")),
        "utilization_percent": a.number(row.get("utilization")),
        "temperature_celsius": a.number(row.get("temperature")),
        "power_watts": a.number(row.get("power")),
        "power_limit_watts": a.number(row.get("limit")),
    }


def _processes(table: Table, index: int) -> tuple[Process, ...] | None:
    """Return a device's processes out of the table's section; None if it is missing, cut or not legible."""
    if table.processes is None:
        return None
    found = tuple(
        Process(pid=int(row["pid"]), name=a.word(row.get("name")), memory_bytes=a.mebibytes(row.get("memory")))
        for row in table.processes
        if int(row["index"]) == index
    )
    return None if table.unread and not found else found
