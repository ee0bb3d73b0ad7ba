"""The changing values of a device at one moment: the record of monitoring, as Device is the record of listing.

Busy and saturated are different. A device is busy while anything runs on it; saturated says how much of the chip was
active meanwhile. A kernel with a single thread keeps a GPU 100 % busy and hardly saturated at all.
"""

from functools import cache
from operator import attrgetter
from typing import Any, Final, Literal

from accel.model.dataclass import dataclass, field_names, replace
from accel.model.device import Device, Gap, Health, Process

State = Literal["ok", "late", "hung", "gone", "failed"]


@dataclass(frozen=True, slots=True, kw_only=True)
class ProcessReadings(Process):
    """A process on a device, and what it did there since the previous reading. None: the driver does not report it."""

    busy_percent: float | None = None
    memory_busy_percent: float | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class Readings:
    """The changing readings of one device. None means unknown; `gaps` says why, if the source does.

    state           "ok": it answered. Otherwise nothing is known of this moment: "late", no answer yet; "hung", a call
                    about it did not return; "gone", it was removed or lost; "failed", its driver returns nothing
    busy_percent        share of the time since the previous reading in which anything ran on it
    saturated_percent   average share of its compute units that was active in that time
    tensor_percent      the same for its matrix units
    memory_busy_percent share of the time in which its memory was read or written
    memory_bandwidth_percent   share of its memory bandwidth that was used
    energy_joules   a counter that starts when the driver is loaded or the device is reset
    clock_mhz       of the compute units
    clock_event_reasons   why the clocks are not higher; () if nothing limits them
    pcie_*, link_*  bytes per second over the bus, and over all of the device's links to others, as seen from the device
    processes       None if they could not be listed; () if there are none
    """

    id: str
    uuid: str | None = None
    state: State = "ok"
    busy_percent: float | None = None
    saturated_percent: float | None = None
    tensor_percent: float | None = None
    memory_busy_percent: float | None = None
    memory_bandwidth_percent: float | None = None
    encoder_percent: float | None = None
    decoder_percent: float | None = None
    memory_total_bytes: int | None = None
    memory_used_bytes: int | None = None
    memory_free_bytes: int | None = None
    memory_reserved_bytes: int | None = None
    temperature_celsius: float | None = None
    memory_temperature_celsius: float | None = None
    fan_percent: float | None = None
    power_watts: float | None = None
    power_limit_watts: float | None = None
    energy_joules: float | None = None
    clock_mhz: int | None = None
    clock_memory_mhz: int | None = None
    clock_event_reasons: tuple[str, ...] | None = None
    performance_state: str | None = None
    pcie_sent_bytes_per_second: float | None = None
    pcie_received_bytes_per_second: float | None = None
    link_sent_bytes_per_second: float | None = None
    link_received_bytes_per_second: float | None = None
    processes: tuple[ProcessReadings, ...] | None = None
    health: Health = "unknown"
    gaps: tuple[Gap, ...] = ()


READINGS: Final = field_names(Readings)
COUNTED: Final = ("corrected_errors", "uncorrected_errors", "pcie_replays")  # since the driver was loaded, if it tells
_STEADY: Final = ("memory_total_bytes", "power_limit_watts")  # of all that a device tells, what seldom changes
MEASURED: Final = tuple(  # the numbers among them: those by which it is known that a device answers at all
    name
    for name in READINGS
    if name.endswith(("_percent", "_bytes", "_celsius", "_watts", "_joules", "_mhz", "_second")) and name not in _STEADY
)
_IDENTITY: Final = ("id", "uuid", "state", "processes", "gaps")
_measured: Final = attrgetter(*MEASURED)


def is_blank(readings: Readings) -> bool:
    """Return whether no changing value of the device is known."""
    return readings.processes is None and all(value is None for value in _measured(readings))


def without_readings(device: Device, state: State, gaps: tuple[Gap, ...] = ()) -> Readings:
    """Return the readings of a device that does not answer: its identity, and why."""
    health: Health = "critical" if device.health == "critical" else "unknown"
    return Readings(id=device.id, uuid=device.uuid, state=state, health=health, gaps=gaps)


def readings_of(device: Device) -> Readings:
    """Return the changing values in a device's record, using the vendor's mapping of field names."""
    kind: Any = type(device)
    found: dict[str, Any] = {name: getattr(device, own) for name, own in _sources(kind)}
    held = device.processes
    if held is not None:
        found["processes"] = tuple(_process(process) for process in held)
    return Readings(id=device.id, uuid=device.uuid, **found)


def counts_of(device: Device) -> dict[str, int]:
    """Return the counts that a device's record holds, by their names in `COUNTED`."""
    own = dict(type(device).readings_from)
    found = {name: getattr(device, own.get(name, name), None) for name in COUNTED}
    return {name: count for name, count in found.items() if count is not None}


def changing_fields(kind: Any) -> tuple[str, ...]:
    """Return the fields of a device's record that hold readings, by their names in the record."""
    return (*(own for name, own in _sources(kind) if name not in _STEADY), "processes")


def without_changing(device: Device) -> Device:
    """Return the device's record without its changing values, so that any value found in it later is fresh."""
    unknown: dict[str, Any] = dict.fromkeys(changing_fields(type(device)))
    return replace(device, **{**unknown, "health": device.health})


def with_readings(device: Device, readings: Readings) -> Device:
    """Return the device's record with these readings filled in, for code that only knows devices."""
    kind: Any = type(device)
    changed: dict[str, Any] = {own: getattr(readings, name) for name, own in _sources(kind)}
    for steady in _STEADY:
        changed[steady] = getattr(device, steady) if changed[steady] is None else changed[steady]
    return replace(device, **changed, processes=readings.processes)


@cache
def _sources(kind: Any) -> tuple[tuple[str, str], ...]:
    """Return (reading, field of the device's record) for each reading that such a record holds."""
    own = {"busy_percent": "utilization_percent", **dict(kind.readings_from)}
    known = set(field_names(kind))
    pairs = ((name, own.get(name, name)) for name in READINGS if name not in _IDENTITY)
    return tuple((name, field) for name, field in pairs if field in known)


def _process(process: Process) -> ProcessReadings:
    if isinstance(process, ProcessReadings):
        return process
    return ProcessReadings(pid=process.pid, name=process.name, user=process.user, memory_bytes=process.memory_bytes)
