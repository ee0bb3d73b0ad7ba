"""The table printed by `mthreads-gmi`.

        mthreads-gmi:2.4.1           Driver Version:5.1.0-server
    ---------------------------------------------------------------------
    ID   Name                 |PCIe                |%GPU  Mem
         Device Type   Perf   |Pcie Lane Width     |Temp  MPC Capable
                                                   |      ECC Mode
    +-------------------------------------------------------------------+
    0    MTT S5000            |00000000:18:00.0    |0%    0MiB(81920MiB)
         Physical      P0     |16x(16x)            |48C   YES
                                                   |      On-die, EDC
    ---------------------------------------------------------------------
    Processes:
    ID   PID           Process name                           GPU Memory
                                                                   Usage
    0    1123          /usr/lib/xorg/Xorg                         134MiB

Seen    1.14 to 2.4.1, drivers 2.7 to 5.1; Perf only in newer ones. The table has no power. A table whose spaces
        were collapsed on a web page is read the same way. Cells are split at the bars, never by width.
"""

from collections.abc import Iterator
from typing import Final

from accel.model.dataclass import dataclass, field, replace
from accel.model.device import Process
from accel.model.report import Driver, Report
from accel.text.amounts import pci_address, quantity, size_bytes, word
from accel.text.lines import broken_line
from accel.text.pattern import pattern
from accel.vendors.contract.backend import Reader, Reading
from accel_mthreads import VENDOR
from accel_mthreads.model import MThreadsDevice
from accel_mthreads.readers.lanes import lanes

SOURCE: Final = "mthreads-gmi table"
TRUST: Final = 60
_BANNER: Final = pattern(r"mthreads-gmi\s*:\s*(\d[\w.-]{0,60})(?:.{0,200}?Driver Version\s*:\s*(\w[\w.-]*))?")
_HEADER: Final = pattern(r"\s*ID\s+Name\s*\|\s*PCIe\s*\|.*")
_FIRST: Final = pattern(r"\s*(\d{1,3})\s+(\S+(?:\s+\S+)*)\s*")
_MEMORY: Final = pattern(r"(\S+)\s+([\w./]+)\s*(?:\(\s*([\w./]+)\s*\))?")
_STATE: Final = pattern(r"(\S+(?:\s+\S+)*?)(?:\s+(P\d{1,2}|N/A|ERR!|\d{3,}))?")
_PROCESS: Final = pattern(r"\s*(\d{1,3})\s+(\d+)\s+(?:(\S+(?:\s+\S+)*?)\s+)?(\d[\d.]*\s*[KMG]i?B|N/A)\s*")


@dataclass(slots=True)
class _Table:
    first_line: int
    driver: Driver
    gpus: dict[int, MThreadsDevice] = field(default_factory=dict)
    index: int | None = None  # of the current GPU
    row: int = 0
    listing: bool = False
    processes: dict[int, list[Process]] = field(default_factory=dict)
    processes_known: bool = False
    last_line: int = 0


def read(text: str) -> Iterator[Reading]:
    """Yield one reading per table; a table starts at its banner or, if that is missing, at its header."""
    table: _Table | None = None
    broken = broken_line(text)
    for number, line in enumerate(text.splitlines(), 1):
        banner = _BANNER.search(line)
        if banner:
            if table is not None:
                yield from _reading(table)
            table = _Table(number, Driver(version=banner[2], library_version=banner[1]))
        elif table is None and _HEADER.fullmatch(line):
            table = _Table(number, Driver())
        elif table is not None and _take(table, line, number == broken):
            table.last_line = number
    if table is not None:
        yield from _reading(table)


def _take(table: _Table, line: str, broken: bool) -> bool:
    """Parse one table line; return False if it has no values."""
    if line.strip().startswith("Processes"):
        table.listing, table.index = True, None
    elif table.listing:
        return _take_process(table, line)
    elif "|" in line:
        return _take_row(table, [cell.strip() for cell in line.split("|")], broken)
    elif table.gpus and set(line.strip()) <= set("+-") and line.strip():
        table.index = None
    return True


def _take_row(table: _Table, cells: list[str], broken: bool) -> bool:
    first = _FIRST.fullmatch(cells[0])
    if first and len(cells) > 1 and pci_address(cells[1]):
        table.index, table.row = int(first[1]), 1
        table.gpus[table.index] = _gpu(int(first[1]), first[2], cells)
    elif table.index is not None:
        table.row += 1
        if broken and table.row == 3:  # a value without a unit may be truncated
            return False
        table.gpus[table.index] = _completed(table.gpus[table.index], cells, table.row)
    return True


def _gpu(index: int, name: str, cells: list[str]) -> MThreadsDevice:
    memory = _MEMORY.fullmatch(cells[2]) if len(cells) > 2 else None
    used, total = (
        (size_bytes(memory[2], unit_needed=True), size_bytes(memory[3], unit_needed=True)) if memory else (None, None)
    )
    known = used is not None and total is not None and used <= total
    return VENDOR.device(
        index,
        name=word(name),
        pci_address=pci_address(cells[1]),
        utilization_percent=quantity(memory[1], "%") if memory else None,
        memory_used_bytes=used,
        memory_total_bytes=total or None,
        memory_free_bytes=(total or 0) - (used or 0) if known else None,
    )


def _completed(gpu: MThreadsDevice, cells: list[str], row: int) -> MThreadsDevice:
    """Return the GPU with its second line, or with the ECC mode of its third."""
    if row == 2 and len(cells) > 2:
        state = _STATE.fullmatch(cells[0])
        now, most = lanes(cells[1])
        return replace(
            gpu,
            device_kind=word(state[1]) if state else None,
            performance_state=word(state[2]) if state and not (state[2] or "").isdecimal() else None,
            pcie_lanes=now,
            pcie_lanes_max=most,
            temperature_celsius=quantity(cells[2].partition(" ")[0], "c"),
        )
    if row == 3 and not cells[0]:
        return replace(gpu, ecc_mode=word(cells[-1]))
    return gpu


def _take_process(table: _Table, line: str) -> bool:
    if found := _PROCESS.fullmatch(line):
        process = Process(pid=int(found[2]), name=word(found[3]), memory_bytes=size_bytes(found[4], unit_needed=True))
        table.processes.setdefault(int(found[1]), []).append(process)
        return True
    closing = bool(line.strip()) and set(line.strip()) == {"-"}
    if closing or line.strip().lower().startswith("no running process"):
        table.processes_known = True
        return True
    return False


def _reading(table: _Table) -> Iterator[Reading]:
    if not table.gpus:
        return
    gpus = tuple(
        replace(
            gpu,
            driver_version=table.driver.version,
            processes=tuple(table.processes.get(index, ()))
            if table.processes_known or index in table.processes
            else None,
        )
        for index, gpu in table.gpus.items()
    )
    driver = table.driver if table.driver != Driver() else None
    report = Report(backend=VENDOR.name, source=SOURCE, trust=TRUST, driver=driver, devices=gpus)
    yield Reading(source=SOURCE, reports=(report,), first_line=table.first_line, last_line=table.last_line or None)


READER: Final = Reader(name=SOURCE, signs=("mthreads-gmi:", "mthreads-gmi :", "|PCIe", "| PCIe"), read=read)
