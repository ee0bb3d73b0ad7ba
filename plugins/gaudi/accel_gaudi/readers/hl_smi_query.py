"""The comma-separated output of `hl-smi -Q FIELDS -f csv[,noheader][,nounits]`.

    index, name, bus_id, driver_version, temperature.aip [C], utilization.aip [%], memory.used [MiB], memory.total [MiB]
    0, HL-225, 0000:19:00.0, 1.17.0-28a11ca, 26 C, 0 %, 768 MiB, 98304 MiB

Seen: 1.10 to 1.20. Without a header the fields are taken from the command, if the text has it. A header without any
field specific to hl-smi counts only if a row names an HL- product: nvidia-smi's headers look the same.
"""

from collections.abc import Iterator, Sequence
from typing import Final

from accel.model.dataclass import replace
from accel.model.report import Driver, Report
from accel.text.amounts import mebibytes, number, pci_address, percent, whole, word
from accel.text.pattern import pattern
from accel.vendors.contract.backend import Reader, Reading
from accel_gaudi.model import BACKEND, GaudiDevice, gaudi, with_product

_OWN: Final = ("temperature.aip", "utilization.aip", "module_id")
_FIELDS: Final = frozenset(
    [
        "timestamp",
        "name",
        "bus_id",
        "driver_version",
        "nic_driver_version",
        "temperature.aip",
        "module_id",
        "utilization.aip",
        "utilization.memory",
        "memory.total",
        "memory.free",
        "memory.used",
        "index",
        "serial",
        "uuid",
        "power.draw",
        "ecc.errors.uncorrected.aggregate.total",
        "ecc.errors.uncorrected.volatile.total",
        "ecc.errors.corrected.aggregate.total",
        "ecc.errors.corrected.volatile.total",
        "ecc.errors.dram.aggregate.total",
        "ecc.errors.dram-corrected.aggregate.total",
        "ecc.errors.dram.volatile.total",
        "ecc.errors.dram-corrected.volatile.total",
        "ecc.mode.current",
        "ecc.mode.pending",
        "stats.violation.power",
        "stats.violation.thermal",
        "clocks.current.soc",
        "clocks.max.soc",
        "clocks.limit.soc",
        "clocks.limit.tpc",
        "pcie.link.gen.max",
        "pcie.link.gen.current",
        "pcie.link.width.max",
        "pcie.link.width.current",
    ]
)
_COMMAND: Final = pattern(r"hl-smi\b.*?(?:-Q|--query-aip)[= ]\s*[\"']?([\w.,-]+)")
_UNIT: Final = pattern(r"\s*\[[^\]]*\]\s*$")
_NAME: Final = pattern(r"HL-?\d{3}")


def _read(text: str) -> Iterator[Reading]:
    fields: list[str] = []
    rows: list[Sequence[str]] = []
    begun = 0
    for line_number, line in enumerate([*text.splitlines(), ""], 1):
        cells = [cell.strip().strip('"') for cell in line.split(",")]
        header = _header(cells)
        command = _COMMAND.search(line)
        if header or command or (rows and len(cells) != len(fields)):
            yield from _reading(fields, rows, begun)
            rows, begun = [], line_number
            fields = header or (_commanded(command[1]) if command else [])
        elif fields and len(cells) == len(fields) and (len(fields) > 1 or _NAME.match(cells[0])):
            rows.append(cells)


def _header(cells: Sequence[str]) -> list[str]:
    names = [_UNIT.sub("", cell).lower() for cell in cells]
    return names if names and all(name in _FIELDS for name in names) else []


def _commanded(fields: str) -> list[str]:
    names = fields.lower().strip(",").split(",")
    return names if all(name in _FIELDS for name in names) else []


def _reading(fields: Sequence[str], rows: Sequence[Sequence[str]], line: int) -> Iterator[Reading]:
    own = any(field in _OWN for field in fields)
    devices: dict[int, GaudiDevice] = {}
    for position, row in enumerate(rows):
        values = dict(zip(fields, row, strict=True))
        if not _plausible(values, own):
            continue
        index = whole(values.get("index"))
        device = _device(position if index is None else index, values)
        devices[device.index] = device
    if devices:
        version = next((device.driver_version for device in devices.values() if device.driver_version), None)
        report = Report(
            backend=BACKEND,
            source=READER.name,
            trust=65,
            driver=Driver(version=version) if version else None,
            devices=tuple(devices.values()),
        )
        yield Reading(source=READER.name, reports=(report,), first_line=line)


def _plausible(values: dict[str, str], own: bool) -> bool:
    """Return whether a row describes a card, and is not prose with as many commas."""
    if "name" in values:
        return bool(_NAME.match(values["name"]))
    known = (values.get("bus_id"), values.get("index"), values.get("uuid"), values.get("module_id"))
    return own and (
        pci_address(known[0]) is not None or any(whole(value) is not None for value in (known[1], known[3]))
    )


def _device(index: int, values: dict[str, str]) -> GaudiDevice:
    return with_product(
        replace(
            gaudi(index),
            name=word(values.get("name")),
            uuid=word(values.get("uuid")),
            serial=word(values.get("serial")),
            pci_address=pci_address(values.get("bus_id")),
            driver_version=word(values.get("driver_version")),
            module_id=whole(values.get("module_id")),
            temperature_celsius=number(values.get("temperature.aip")),
            utilization_percent=percent(values.get("utilization.aip")),
            power_watts=number(values.get("power.draw")),
            memory_total_bytes=mebibytes(values.get("memory.total")),
            memory_used_bytes=mebibytes(values.get("memory.used")),
            memory_free_bytes=mebibytes(values.get("memory.free")),
            ecc_uncorrectable_errors=whole(values.get("ecc.errors.uncorrected.volatile.total")),
        )
    )


READER: Final = Reader(name="hl-smi query", signs=(".aip", "HL-", "hl-smi -Q", "--query-aip", "module_id"), read=_read)
