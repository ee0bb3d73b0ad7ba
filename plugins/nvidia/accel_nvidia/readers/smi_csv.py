"""The lists printed by `nvidia-smi --query-gpu=… --format=csv` and `--query-compute-apps=…`.

    index, name, driver_version, memory.total [MiB]
    0, NVIDIA H100 80GB HBM3, 590.48.01, 81559 MiB

    gpu_bus_id, pid, process_name, used_gpu_memory [MiB]
    00000000:83:00.0, 10291, /root/tools/memhog, 2566 MiB

Seen    drivers 340 to 610, with and without units ("nounits"). Without a header ("noheader") the columns are taken
        from the command line, if the text shows it. "[N/A]", "[Not Supported]", "[Unknown Error]" and
        "[GPU is lost]" are unknown.
"""

import re
from collections.abc import Iterator, Sequence
from typing import Any, Final

from accel.model.device import Device, Process
from accel.model.report import Driver
from accel.text import amounts as a
from accel.text.pattern import pattern
from accel.vendors.contract.backend import Reader, Reading
from accel_nvidia import quantities as q
from accel_nvidia.found import gpu, is_foreign, reading
from accel_nvidia.query_ecc import ecc_names
from accel_nvidia.query_facts import FACTS, facts

SOURCE: Final = "nvidia-smi csv"
TRUST: Final = 66
PROCESS_TRUST: Final = 50  # process lists have no GPU index

_COMMAND: Final = pattern(r"nvidia-smi\S*\s.*--query-(gpu|compute-apps)[= ]\s*[\"']?([\w.,]+)")
_COLUMN: Final = pattern(r"^([A-Za-z][\w.]*)(?:\s*\[[^\]]*\])?$")
_TELLING: Final = frozenset(
    [
        "name",
        "gpu_name",
        "uuid",
        "gpu_uuid",
        "pci.bus_id",
        "gpu_bus_id",
        "index",
        "driver_version",
        "memory.total",
        "memory.used",
        "memory.free",
        "compute_cap",
        "utilization.gpu",
        "temperature.gpu",
        "power.draw",
        "pstate",
        "pid",
        "mig.mode.current",
        "ecc.mode.current",
    ]
)
_TOLD: Final = _TELLING | {
    name for name in (*ecc_names("csv"), *(name for fact in FACTS for name in fact.csv)) if "." in name
}  # only column names have dots
_ALONE: Final = frozenset({"driver_version", "compute_cap", "memory.total", "memory.used", "memory.free", "gpu_uuid"})
_NOT_OF_A_GPU: Final = frozenset({"driver_version", "count", "timestamp", "kmd_version"})


def read(text: str) -> Iterator[Reading]:
    """Yield one reading per list."""
    lines = text.splitlines()
    at = 0
    while at < len(lines):
        command = _COMMAND.search(lines[at])
        columns = command[2].split(",") if command else _header(lines[at])
        if not columns:
            at += 1
            continue
        start = at
        at += 1
        if command and at < len(lines) and _header(lines[at]):
            continue
        rows = []
        while at < len(lines) and (row := _row(lines[at], columns)) is not None:
            rows.append(row)
            at += 1
        if rows:
            yield from _list(columns, rows, (start + 1, at))


def _header(line: str) -> list[str] | None:
    """Return the columns of a header line; None if it is not one."""
    names = [_COLUMN.match(part.strip()) for part in line.strip().strip("|").split(",")]
    columns = [found[1] for found in names if found]
    if len(columns) != len(names) or not (set(columns) & _TOLD or any("_reasons." in name for name in columns)):
        return None
    if len(columns) == 1 and columns[0] not in _ALONE:
        return None
    return columns


def _row(line: str, columns: Sequence[str]) -> dict[str, str] | None:
    """Return a row by column; None if the line cannot be one. A process name may contain commas."""
    values = [part.strip() for part in line.strip().split(",")]
    extra = len(values) - len(columns)
    if extra > 0 and "process_name" in columns:
        place = list(columns).index("process_name")
        values[place : place + extra + 1] = [",".join(values[place : place + extra + 1])]
    if len(values) != len(columns) or not any(values):
        return None
    row = dict(zip(columns, values, strict=True))
    return row if _plausible(row) else None


def _plausible(row: dict[str, str]) -> bool:
    """Return whether values with a fixed form have it: prose after the list does not."""
    forms = {
        "driver_version": r"\d+\.\d+",
        "index": r"\d+$",
        "uuid": r"(?:GPU|MIG)-",
        "gpu_uuid": r"(?:GPU|MIG)-",
        "pid": r"\d+$",
        "compute_cap": r"\d+\.\d$",
        "pci.bus_id": r"[0-9A-Fa-f]{2,}:",
        "gpu_bus_id": r"[0-9A-Fa-f]{2,}:",
        "memory.total": r"\d+",
        "memory.used": r"\d+",
        "memory.free": r"\d+",
    }
    return all(
        a.word(row[column]) is None or re.match(form, row[column], re.IGNORECASE)
        for column, form in forms.items()
        if column in row
    ) and not all(a.word(value) is None and not value.startswith("[") for value in row.values())


def _list(columns: Sequence[str], rows: list[dict[str, str]], lines: tuple[int, int]) -> Iterator[Reading]:
    if any(is_foreign(row.get("name") or row.get("gpu_name") or "") for row in rows):
        return  # another vendor's tool has columns of the same names
    if "pid" in columns:
        devices = _holders(rows)
        if devices:
            yield reading(SOURCE, PROCESS_TRUST, devices=devices, lines=lines)
        return
    devices = []
    if set(columns) - _NOT_OF_A_GPU:
        for place, row in enumerate(rows):
            index = a.whole(row.get("index"))
            devices.append(gpu(place if index is None else index, **facts(row, "csv")))
    version = next((v for row in rows if (v := q.version(row.get("driver_version") or row.get("kmd_version")))), None)
    if devices or version:
        driver = Driver(version=version) if version else None
        yield reading(SOURCE, TRUST, devices=devices, driver=driver, lines=lines)


def _holders(rows: list[dict[str, str]]) -> list[Device]:
    """Return the GPUs that hold the listed processes; GPUs without any are not in such a list."""
    groups: list[tuple[set[str], list[dict[str, str]]]] = []  # GPU identifier, and its rows
    for row in rows:
        names = {name for name in (a.pci_address(row.get("gpu_bus_id")), a.word(row.get("gpu_uuid"))) if name}
        home = next((group for group in groups if names & group[0]), None)
        if home is not None:
            home[0].update(names)
            home[1].append(row)
        elif names:
            groups.append((names, [row]))
    devices: list[Device] = []
    for index, (_, held) in enumerate(groups):
        known: dict[str, Any] = {}
        for row in held:
            known = {**facts(row, "csv"), **known}
        devices.append(gpu(index, **known, processes=tuple(p for row in held if (p := _process(row)))))
    return devices


def _process(row: dict[str, str]) -> Process | None:
    pid = a.whole(row.get("pid"))
    memory = a.mebibytes(row.get("used_gpu_memory") or row.get("used_memory"))
    return None if pid is None else Process(pid=pid, name=a.word(row.get("process_name")), memory_bytes=memory)


READER: Final = Reader(
    name=SOURCE,
    signs=(
        "--query-gpu",
        "--query-compute-apps",
        "driver_version",
        "memory.",
        "uuid",
        "compute_cap",
        "_bus_id",
        "name,",
        "pcie.link",
        "remapped_rows",
        "retired_pages",
        "utilization.",
        "temperature.",
        "clocks_",
        "power.",
        "ecc.",
    ),
    read=read,
)
