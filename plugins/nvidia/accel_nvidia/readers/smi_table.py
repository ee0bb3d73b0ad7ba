"""The table printed by `nvidia-smi` without arguments.

    | NVIDIA-SMI 550.90.07              Driver Version: 550.90.07      CUDA Version: 12.4     |
    |   0  NVIDIA H100 80GB HBM3          On  |   00000000:19:00.0 Off |                    0 |
    | N/A   27C    P0             72W /  700W |       1MiB /  81559MiB |      0%      Default |
    |                                         |                        |             Disabled |

Seen    drivers 331 to 610: 80 and 91 columns; without CUDA version before 410 and without MIG row before 450;
        "Driver-Model" (WDDM, TCC, MCDM) for persistence on Windows; "KMD Version" and "CUDA UMD Version" since 610;
        "ERR!" and "N/A" in any cell; names cut with "..."; Jetson's "N/A" for a bus id; WSL, whose tool and driver
        versions differ. Columns are split at "|", never by position, since pasted tables lose spaces.
Rows    of a GPU are consecutive: after a rule, or an unreadable row, values belong to no GPU until the next
        first row; if a value appears twice, neither counts
Other vendors' tools print similar tables: one with another tool's title or another first column is skipped.
"""

import re
from collections.abc import Iterator
from typing import Any, Final

from accel.model.dataclass import dataclass, field
from accel.model.device import Device
from accel.model.report import Driver
from accel.text import amounts as a
from accel.text.lines import lines_of
from accel.text.pattern import pattern
from accel.vendors.contract.backend import Reader, Reading
from accel_nvidia import quantities as q
from accel_nvidia.found import full_name, gpu, is_foreign, mig, reading
from accel_nvidia.smi_processes import ProcessTable

SOURCE: Final = "nvidia-smi table"
TRUST: Final = 60

_HEADER: Final = pattern(r"NVIDIA-SMI\s+v?(\d+(?:\.\d+)+)")
_OTHER_TOOL: Final = pattern(
    r"\b(?!NVIDIA-SMI)(?:[A-Z]{2,12}[-_ ]?(?:SMI|ML|GMI)|CNMON)\b[^|]{0,200}?\d\.\d|^\W*(?!GPU)[A-Z]{3}  +Name\b"
)
_DRIVER: Final = pattern(r"(?:Driver|KMD) Version:\s*v?(\d+(?:\.\d+)+)")
_CUDA: Final = pattern(r"CUDA (?:UMD )?Version:\s*(\d+(?:\.\d+)+)")
_NAME: Final = pattern(
    r"(?:(?:(\d{1,3})|N/?A|ERR!|\d{9,24})\s+)?(\S+(?:\s+\S+)*?)(?:\s+(On|Off|WDDM|TCC|MCDM|N/A|ERR!|Disabled|Enabled))?\s*$"
)
_BUS: Final = pattern(
    r"(?i)^\s*((?:[0-9a-fx*]{4,8}:)?[0-9a-fx*]{2}:[0-9a-fx*]{2}\.[0-9x*]|N/A|ERR!|Unknown|\?+)(?:\s+(On|Off|N/A"
    r"|ERR!))?\s*$|"
    r"^\s*(?:()(On|Off|ERR!)\s*)?$"
)
_STATE: Final = pattern(
    r"^\s*(\[?N/A\]?|ERR!|Unknown|\d+\s?%)\s+(N/A|ERR!|\d+\s?C)\s+(N/A|ERR!|Unknown|P\d+|\?)(?:\s+(N/A"
    r"|[^\s/]+)\s*/\s*(N/A|[^\s/]+))?\s*$"
)
_MEMORY: Final = pattern(r"(\d+)\s?MiB\s*/\s*(\d+)\s?MiB")
_LOAD: Final = pattern(
    r"^\s*(?:(\d+\s?%|N/A|ERR!)\s*)?(?:(Default|E\. ?Process|E\. ?Thread|Prohibited|Exclusive\S*|N/A|ERR!)\s*)?$"
)
_MIG_ROW: Final = pattern(r"^\s*(\d{1,3})\s+(\d{1,3})\s+(\d{1,3})\s+(\d{1,3})\s*$")


_OF_STATE: Final = (
    *("fan_percent", "temperature_celsius", "performance_state", "power_watts", "power_limit_watts"),
    *("memory_used_bytes", "memory_total_bytes", "utilization_percent", "compute_mode"),
)


@dataclass(slots=True)
class _Table:
    """The part of one table read so far.

    first, last_line  in the text
    current  the GPU that further rows may belong to; None: the next rows belong to none
    latest   the last GPU read
    placed   a GPU with an unreadable index, numbered by its place: the next index must follow it
    """

    first: int
    last_line: int
    driver: Driver | None = None
    gpus: dict[int, dict[str, Any]] = field(default_factory=dict)
    parts: list[dict[str, Any]] = field(default_factory=list)
    processes: ProcessTable = field(default_factory=ProcessTable)
    current: int | None = None
    latest: int | None = None
    placed: int | None = None
    section: str = "gpus"


def read(text: str) -> Iterator[Reading]:
    """Yield one reading per table; rows that cannot be read are left out."""
    table: _Table | None = None
    foreign = False
    for number, line in lines_of(text):
        header = _HEADER.search(line)
        foreign = not header and (foreign or bool(_OTHER_TOOL.search(line)))
        if foreign:
            continue
        if header:
            if table is not None:
                yield from _finished(table)
            table = _Table(first=number, last_line=number, driver=_driver(line, header[1]))
            continue
        if "|" not in line and "+--" not in line:
            if "No devices were found" in line and table is not None:
                table.last_line = number
            continue
        row = _gpu_row(line)
        index, facts = row if row is not None else (None, {})
        if row is not None and index is None and table is not None:  # the rows are in order
            index = 0 if table.latest is None else table.latest + 1
            placed: int | None = index
        else:
            placed = None
        if index is not None:
            if table is not None and table.placed is not None and index != table.placed + 1:
                del table.gpus[table.placed]  # rows are missing: its position does not give its number
            if table is None or index in table.gpus:
                if table is not None:
                    yield from _finished(table)
                table = _Table(first=number, last_line=number)
            table.gpus[index] = facts
            table.current = table.latest = index
            table.placed = placed
            table.section = "gpus"
            table.last_line = number
        elif table is not None and _continued(table, line):
            table.last_line = number
    if table is not None:
        yield from _finished(table)


def _driver(line: str, tool: str) -> Driver:
    driver, cuda = _DRIVER.search(line), _CUDA.search(line)
    return Driver(
        version=driver[1] if driver else None,
        library_version=tool,
        toolkit_version=cuda[1] if cuda else None,
    )


def _cells(line: str) -> list[str]:
    inner = line[line.index("|") + 1 :] if "|" in line else ""
    return inner.split("|")


def _gpu_row(line: str) -> tuple[int | None, dict[str, Any]] | None:
    """Return the index, if readable, and the facts of a GPU's first row; None for any other line."""
    cells = _cells(line)
    if len(cells) < 2:
        return None
    name, bus = _NAME.match(cells[0].strip()), _BUS.match(cells[1])
    if not name or not bus or is_foreign(name[2]) or (not bus[1] and len(cells) < 3):
        return None
    if not any(sign.isalpha() for sign in name[2]) or (name[1] is None and a.pci_address(bus[1]) is None):
        return None
    mode = name[3]
    ecc = cells[2].strip() if len(cells) > 2 else ""
    facts: dict[str, Any] = {
        "name": full_name(name[2]),
        "pci_address": a.pci_address(bus[1]),
        "display_active": q.flag(bus[2] or bus[4]),
        "ecc_uncorrected_volatile": int(ecc) if ecc.isdecimal() else None,
        "ecc_enabled": True if ecc.isdecimal() else q.flag(ecc),
    }
    if mode in ("WDDM", "TCC", "MCDM"):
        facts["driver_model"] = mode
    else:
        facts["persistence_mode"] = q.flag(mode)
    return int(name[1]) if name[1] else None, facts


def _continued(table: _Table, line: str) -> bool:
    """Parse a row that continues the one before; return False if it does not."""
    title = line.strip("|+- \t").rstrip(":")
    if title.lower().startswith(("processes", "compute processes")):
        table.section = "processes"
        table.processes.begin()
    elif title.lower() == "mig devices":
        table.section = "mig"
    elif table.section == "processes":
        return table.processes.take(line)
    elif table.section == "mig":
        return _mig_row(table, line)
    elif table.current is not None and not _further_row(table.gpus[table.current], _cells(line)):
        table.current = None
    return True


def _further_row(facts: dict[str, Any], cells: list[str]) -> bool:
    """Parse a GPU's second row (fan to power, memory, load) or its third (MIG mode); return False for other rows."""
    state = _STATE.match(cells[0]) if cells else None
    load = _LOAD.match(cells[2]) if len(cells) > 2 else None
    if state and "fan_percent" in facts:  # another GPU's, whose first row is lost
        facts.update(dict.fromkeys(_OF_STATE))
        return False
    if state:
        facts.update(dict.fromkeys(_OF_STATE))
        fan, temperature, performance, power, limit = state.groups()
        facts["fan_percent"] = a.number(fan)
        facts["temperature_celsius"] = a.number(temperature)
        facts["performance_state"] = performance.upper() if performance[:1] in "Pp" else None
        facts["power_watts"], facts["power_limit_watts"] = a.number(power), a.number(limit)
        memory = _MEMORY.search(cells[1]) if len(cells) > 1 else None
        if memory:
            facts["memory_used_bytes"] = a.mebibytes(memory[1])
            facts["memory_total_bytes"] = a.mebibytes(memory[2])
        if load:
            facts["utilization_percent"] = a.number(load[1])
            facts["compute_mode"] = q.compute_mode(load[2])
        return True
    if len(cells) > 2 and not cells[0].strip() and "mig_mode" not in facts:
        facts["mig_mode"] = q.switch(cells[2])
        return True
    return False


def _mig_row(table: _Table, line: str) -> bool:
    cells = _cells(line)
    ids = _MIG_ROW.match(cells[0])
    if not ids:
        return bool(cells[0].strip()) or len(cells) > 1
    parent, instance, compute, index = (int(v) for v in ids.groups())
    memory = _MEMORY.search(cells[1]) if len(cells) > 1 else None
    ecc = re.match(r"\s*\d+\s+(\d+)", cells[2]) if len(cells) > 2 else None
    part = {
        "parent": parent,
        "index": index,
        "gpu_instance_id": instance,
        "compute_instance_id": compute,
        "memory_used_bytes": a.mebibytes(memory[1]) if memory else None,
        "memory_total_bytes": a.mebibytes(memory[2]) if memory else None,
        "ecc_uncorrected_volatile": int(ecc[1]) if ecc else None,
    }
    table.parts.append(part)
    return True


def _finished(table: _Table) -> Iterator[Reading]:
    """Yield the reading of a table, unless it is empty."""
    version = table.driver.version if table.driver else None
    devices: list[Device] = []
    for index, facts in table.gpus.items():
        held = table.processes.of(index)
        devices.append(gpu(index, **facts, driver_version=version, processes=held))
    for part in table.parts:
        facts = dict(part)
        instance = (facts["gpu_instance_id"], facts["compute_instance_id"])
        held = table.processes.of(facts["parent"], instance)
        devices.append(mig(facts.pop("parent"), facts.pop("index"), **facts, driver_version=version, processes=held))
    if devices or table.driver is not None:
        lines = (table.first, table.last_line)
        yield reading(SOURCE, TRUST, devices=devices, driver=table.driver, lines=lines)


READER: Final = Reader(
    name=SOURCE, signs=("NVIDIA-SMI", "00000000:", "MiB /", "Disp.A", "ERR!", "Not Supported"), read=read
)
