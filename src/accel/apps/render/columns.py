"""Devices as columns of plain values, for spreadsheets and scripts; nvidia-smi's column names work too.

A column has one unit, given in its header, and its cells are numbers or words. Unknown values are empty. The same
columns are used for listed devices and for watched ones.
"""

import csv
import re
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from functools import cache
from typing import IO, Any, Final

from accel.model.dataclass import dataclass
from accel.model.device import Device
from accel.model.errors import BadInput
from accel.model.readings import Readings, readings_of

_FORMULA: Final = ("=", "+", "-", "@", "＝", "＋", "－", "＠")
_BLANK: Final = " \u00a0\u3000\ufeff"
_CONTROL: Final = re.compile(r"[\x00-\x1f\x7f-\x9f\u2028\u2029]")
_NUMBER: Final = re.compile(r"[+-]?\d{1,30}(?:\.\d{0,30})?(?:[eE][+-]?\d{1,3})?", re.ASCII)


@dataclass(frozen=True, slots=True)
class Shown:
    """The subject of a line: a device, its readings, and when they were taken.

    time     by the system clock, seconds since 1970 in UTC; None if unknown
    seconds  since watching began; None if nothing is watched
    """

    device: Device
    readings: Readings
    time: float | None = None
    seconds: float | None = None


@dataclass(frozen=True, slots=True)
class Column:
    """head: name with its unit, "memory.used [MiB]"; cell returns its value, None if unknown.

    links, activity  whether it needs what is only measured on demand (accel.vendors.contract.watching.Wanted)
    own     whether it shows a field of a vendor's own record
    deep    whether a plain device listing lacks it: such a field, or one that needs watching
    """

    head: str
    cell: Callable[[Shown], Any]
    links: bool = False
    activity: bool = False
    own: bool = False
    deep: bool = False

    @property
    def name(self) -> str:
        return self.head.partition(" [")[0]


def _field(name: str) -> Callable[[Shown], Any]:
    return lambda shown: getattr(shown.device, name, None)


def _fields(*names: str) -> Iterator[Column]:
    return (Column(name, _field(name)) for name in names)


def _reading(name: str) -> Callable[[Shown], Any]:
    return lambda shown: getattr(shown.readings, name)


def _mebibytes(name: str) -> Callable[[Shown], Any]:
    return lambda shown: None if (value := getattr(shown.readings, name)) is None else value // 2**20


def _number(name: str) -> Callable[[Shown], Any]:
    return lambda shown: None if (value := getattr(shown.readings, name)) is None else round(value, 2)


def _joined(name: str) -> Callable[[Shown], Any]:
    return lambda shown: None if (value := getattr(shown.device, name)) is None else " ".join(map(str, value))


def _pids(shown: Shown) -> Any:
    held = shown.readings.processes
    return None if held is None else " ".join(str(process.pid) for process in held)


def _pids_busy(shown: Shown) -> Any:
    """Return "4711:80 4712:15": how busy each process kept the device, if known."""
    known = [(p.pid, p.busy_percent) for p in shown.readings.processes or () if p.busy_percent is not None]
    return " ".join(f"{pid}:{busy:g}" for pid, busy in known) or None


def _time(shown: Shown) -> Any:
    from accel.apps.render.units import utc_text

    return None if shown.time is None else utc_text(shown.time)


def _reasons(shown: Shown) -> Any:
    reasons = shown.readings.clock_event_reasons
    return None if reasons is None else " ".join(reasons) or "none"


def _why(shown: Shown) -> Any:
    return "; ".join(f"{gap.fact}: {gap.reason}" for gap in shown.readings.gaps) or None


# nvidia-smi --query-gpu's names for what every vendor has, accel's own names for the rest.
_COLUMNS: Final = (
    *_fields("id", "index", "vendor", "kind", "name", "uuid", "serial"),
    Column("pci.bus_id", _field("pci_address")),
    *_fields("pci_id", "numa_node", "architecture"),
    Column("compute_cap", _field("compute_capability")),
    *_fields("driver_version"),
    Column("memory.total [MiB]", _mebibytes("memory_total_bytes")),
    Column("memory.used [MiB]", _mebibytes("memory_used_bytes")),
    Column("memory.free [MiB]", _mebibytes("memory_free_bytes")),
    Column("memory.reserved [MiB]", _mebibytes("memory_reserved_bytes")),
    Column("utilization.gpu [%]", _number("busy_percent")),
    Column("saturation [%]", _number("saturated_percent"), activity=True),
    Column("tensor.active [%]", _number("tensor_percent"), activity=True),
    Column("memory.bandwidth [%]", _number("memory_bandwidth_percent"), activity=True),
    Column("utilization.memory [%]", _number("memory_busy_percent"), deep=True),
    Column("utilization.encoder [%]", _number("encoder_percent"), activity=True, deep=True),
    Column("utilization.decoder [%]", _number("decoder_percent"), activity=True, deep=True),
    Column("temperature.gpu [C]", _number("temperature_celsius")),
    Column("temperature.memory [C]", _number("memory_temperature_celsius"), deep=True),
    Column("fan.speed [%]", _number("fan_percent"), deep=True),
    Column("power.draw [W]", _number("power_watts")),
    Column("power.limit [W]", _number("power_limit_watts")),
    Column("energy [J]", _number("energy_joules")),
    Column("clocks.sm [MHz]", _reading("clock_mhz"), deep=True),
    Column("clocks.mem [MHz]", _reading("clock_memory_mhz"), deep=True),
    Column("clocks_event_reasons.active", _reasons, deep=True),
    Column("pstate", _reading("performance_state"), deep=True),
    Column("pcie.sent [B/s]", _number("pcie_sent_bytes_per_second"), links=True),
    Column("pcie.received [B/s]", _number("pcie_received_bytes_per_second"), links=True),
    Column("link.sent [B/s]", _number("link_sent_bytes_per_second"), links=True),
    Column("link.received [B/s]", _number("link_received_bytes_per_second"), links=True),
    Column("health", _reading("health")),
    Column("pids", _pids),
    Column("pids.busy [%]", _pids_busy),
    *_fields("parent", "visible"),
    Column("runtime", _joined("runtime_names")),
    Column("timestamp", _time),
    Column("seconds [s]", lambda shown: None if shown.seconds is None else round(shown.seconds, 3)),
    Column("state", _reading("state")),
    Column("why", _why),
)
COLUMNS: Final = {column.name: column for column in _COLUMNS}
USUAL: Final = (
    *("id", "vendor", "name", "uuid", "pci.bus_id", "driver_version", "memory.total", "memory.used"),
    *("utilization.gpu", "temperature.gpu", "power.draw", "power.limit", "health", "pids"),
)
WATCHED: Final = (
    *("timestamp", "seconds", "id", "uuid", "state", "utilization.gpu", "utilization.memory", "memory.used"),
    *("memory.total", "temperature.gpu", "temperature.memory", "power.draw", "power.limit", "energy", "clocks.sm"),
    *("clocks.mem", "clocks_event_reasons.active", "health", "pids", "pids.busy", "why"),
)
_REASON: Final = ("clocks_event_reasons.", "clocks_throttle_reasons.")
_UNITS: Final = {"_percent": "%", "_celsius": "C", "_watts": "W", "_mhz": "MHz", "_bytes": "MiB"}


def columns_of(
    query: str | None, usual: Sequence[str] = USUAL, vendors: Callable[[], Mapping[str, str]] | None = None
) -> tuple[Column, ...]:
    """Return the columns for a list of names ("name,memory.used"); the default ones if there is none.

    vendors  returns the names that vendors' tools give to fields of their own records, by the tool's name; only called
             if a name is not common to all vendors

    Raises BadInput for an unknown name, with the nearest one.
    """
    if query is None:
        return tuple(COLUMNS[name] for name in usual)
    found = []
    theirs: Mapping[str, str] | None = None
    for word in (part.strip().lower() for part in query.split(",")):
        column = COLUMNS.get(word) or COLUMNS.get(_other_names()["columns"].get(word, "")) or _of_reason(word)
        if column is None:
            if theirs is None:
                theirs = vendors() if vendors is not None else {}
            column = _of_vendor(word, theirs)
        if column is None:
            from difflib import get_close_matches

            near = get_close_matches(word, dict.fromkeys([*COLUMNS, *(theirs or ())]), 2, 0.6)
            hint = f" Did you mean {' or '.join(near)}?" if near else ""
            raise BadInput(f"--query: no column is named {word!r}.{hint} There are: {', '.join(COLUMNS)}.")
        found.append(column)
    return tuple(found)


@cache
def _other_names() -> Mapping[str, Mapping[str, str]]:
    """Return the names that vendors' tools have for columns and for reasons of low clocks."""
    from accel.specs import load

    names: Mapping[str, Mapping[str, str]] = load().table("system/column_names")
    return names


def _of_reason(word: str) -> Column | None:
    """Return the column for one reason for low clocks, "clocks_event_reasons.sw_power_cap"."""
    prefix = next((prefix for prefix in _REASON if word.startswith(prefix)), None)
    if prefix is None or prefix == word:
        return None
    bare = word.removeprefix(prefix)
    reason = _other_names()["reasons"].get(bare, bare.replace("_", "-"))

    def cell(shown: Shown) -> Any:
        reasons = shown.readings.clock_event_reasons
        return None if reasons is None else "Active" if reason in reasons else "Not Active"

    return Column(word, cell, deep=True)


def _of_vendor(word: str, names: Mapping[str, str]) -> Column | None:
    field = names.get(word)
    if field is None:
        return None
    unit = next((unit for ending, unit in _UNITS.items() if field.endswith(ending)), None)
    read = _field(field)
    if unit == "MiB":
        return Column(
            f"{word} [MiB]", lambda shown: None if (v := read(shown)) is None else v // 2**20, own=True, deep=True
        )
    return Column(f"{word} [{unit}]" if unit else word, read, own=True, deep=True)


def cells(columns: Sequence[Column], shown: Shown) -> list[Any]:
    """Return the values of a line; None if unknown."""
    return [column.cell(shown) for column in columns]


def write_csv(out: IO[str], devices: Iterable[Device], columns: Sequence[Column], time: float | None = None) -> None:
    """Write one line per device, following RFC 4180 except that lines end in LF. time: when the devices were listed."""
    out.write(csv_line([column.head for column in columns]))
    for values in written(devices, columns, time):
        out.write(csv_line(values))


def written(
    devices: Iterable[Device], columns: Sequence[Column], time: float | None = None
) -> "Iterator[Sequence[Any]]":
    """Yield the cells of each device's line."""
    return (cells(columns, Shown(device, readings_of(device), time)) for device in devices)


def csv_line(values: Iterable[Any]) -> str:
    """Return one CSV line; None becomes an empty cell.

    A text that a spreadsheet would evaluate as a formula is prefixed with an apostrophe: a process may be called
    "=cmd|…".

    >>> csv_line(["=1+1", "-5.2", -5.2, " @SUM(A1)", "H100", None])
    "'=1+1,-5.2,-5.2,' @SUM(A1),H100,\\n"
    """
    from io import StringIO

    out = StringIO()
    csv.writer(out, lineterminator="\n").writerow(["" if value is None else _inert(value) for value in values])
    return out.getvalue()


def _inert(value: Any) -> Any:
    if not isinstance(value, str):
        return value
    value = _CONTROL.sub(" ", value)  # a carriage return would start a new line
    return f"'{value}" if value.strip(_BLANK)[:1] in _FORMULA and not _NUMBER.fullmatch(value) else value
