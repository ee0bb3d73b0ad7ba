"""The served state: the last tick, recent history, findings, and process descriptions. No device is queried here."""

from collections import Counter
from collections.abc import Callable, Mapping, Sequence
from typing import Any, Final

from accel.apps.render.json import devices_json
from accel.apps.render.units import utc_text
from accel.machine.protocol import Machine
from accel.model.dataclass import replace
from accel.model.device import Gap
from accel.model.holding import RunningProcess
from accel.model.readings import with_readings, without_readings
from accel.model.to_builtins import json_text, plain
from accel.watch.holders.processes import ProcessBook
from accel.watch.sampling.history import KEPT, History
from accel.watch.sampling.tick import Happening, Tick

READINGS_SCHEMA: Final = "accel.readings/1"
HISTORY_SCHEMA: Final = "accel.history/1"
_SHOWN: Final = ("name", "user", "state", "started_at", "role", "container", "container_name", "engine")
_BELONGS: Final = ("pod", "pod_namespace", "scheduler", "job", "job_step", "ray_job", "ray_task", "unit")
_KNOWN_SECONDS: Final = 10.0  # after which a process is looked up again
_LOOKS: Final = 25  # processes per tick: a thousand new ones must not delay requests
_MOST_HAPPENINGS: Final = 50
_BUSY_TICKS: Final = 120


class State:
    """The latest data. Responses are built on the first request after a tick, and cached until the next.

    tick       the last one; None before the first
    happened   number of events of each kind, by kind and device
    findings   the last diagnosis as JSON, as accel doctor --json writes it; None before the first
    """

    def __init__(self, machine: Machine, gaps: Sequence[Gap], interval_seconds: float) -> None:
        self.interval_seconds = interval_seconds
        self.tick: Tick | None = None
        self.tick_at = 0.0  # by the caller's clock
        self.ticks = 0
        self.happened: Counter[tuple[str, str]] = Counter()
        self.findings: Mapping[str, Any] | None = None
        self.history = History(recent=600, step_seconds=120.0, steps=720)
        self.lately: list[tuple[float, Happening]] = []
        self._gaps = tuple(gaps)
        self._people = People(machine)
        self._made: dict[str, bytes] = {}

    def take(self, tick: Tick, now: float) -> None:
        """Add a tick."""
        self.tick, self.tick_at, self.ticks = tick, now, self.ticks + 1
        self.history.add(tick)
        self.happened.update((one.kind, one.device or "") for one in tick.happenings)
        self.lately = [*self.lately, *((tick.time, one) for one in tick.happenings)][-_MOST_HAPPENINGS:]
        held = {process.pid for readings in tick.readings for process in readings.processes or ()}
        self._people.look(held, now)
        self._made.clear()

    def expire(self, now: float) -> bool:
        """If no ticks arrive any more, mark every device as not responding; return whether that is new.

        The last readings are out of date, and a device that blocks the ticks is not healthy.
        """
        tick = self.tick
        if tick is None or self.is_alive(now) or all(one.state != "ok" for one in tick.readings):
            return False
        late = tuple(
            without_readings(device, "late") if one.state == "ok" else one
            for device, one in zip(tick.devices, tick.readings, strict=True)
        )
        self.tick = replace(tick, readings=late)
        self._made.clear()
        return True

    def judge(self, diagnosis: Mapping[str, Any] | None, when: float) -> None:
        """Store a diagnosis."""
        if diagnosis is not None:
            self.findings = {**diagnosis, "taken_at": utc_text(when)}
            self._made.clear()

    def made(self, name: str, make: "Callable[[State], bytes]") -> bytes:
        """Return the result of `make`, called once per tick."""
        found = self._made.get(name)
        if found is None:
            found = self._made[name] = make(self)
        return found

    def process(self, pid: int) -> RunningProcess | None:
        """Return the description of a process; None if unknown."""
        return self._people.known(pid)

    def age_seconds(self, now: float) -> float | None:
        """Return the age of the last tick; None before the first."""
        return None if self.tick is None else now - self.tick_at

    def is_alive(self, now: float) -> bool:
        """Return whether ticks are arriving."""
        age = self.age_seconds(now)
        return age is not None and age < 3 * self.interval_seconds + 5

    def gaps(self) -> tuple[Gap, ...]:
        """Return the gaps of the listing and of the last tick."""
        return (*self._gaps, *(gap for r in (self.tick.readings if self.tick else ()) for gap in r.gaps))


class People:
    """Looks up processes, each one once in a while."""

    def __init__(self, machine: Machine) -> None:
        self._book = ProcessBook(machine)
        self._known: dict[int, tuple[float, RunningProcess | None]] = {}

    def look(self, pids: set[int], now: float) -> None:
        """Look up new processes and those not refreshed for long: a limited number per call, new ones first."""
        self._known = {pid: known for pid, known in self._known.items() if pid in pids}
        self._book.keep(pids)
        due = sorted((self._known[pid][0] if pid in self._known else -1.0, pid) for pid in pids)
        for seen, pid in due[:_LOOKS]:
            if seen < 0 or now - seen >= _KNOWN_SECONDS:
                self._known[pid] = now, self._book.of(pid)

    def known(self, pid: int) -> RunningProcess | None:
        return self._known[pid][1] if pid in self._known else None


def devices_answer(state: State) -> bytes:
    """Return the devices with their readings, in the format of accel devices --json."""
    tick = state.tick
    pairs = zip(tick.devices, tick.readings, strict=True) if tick is not None else ()
    return devices_json((with_readings(device, readings) for device, readings in pairs), state.gaps()).encode()


def readings_answer(state: State) -> bytes:
    """Return the last tick: every device with its readings, and the processes with their owners."""
    tick = state.tick
    rows = []
    if tick is not None:
        for device, readings in zip(tick.devices, tick.readings, strict=True):
            row = plain(readings)
            row["processes"] = _processes(state, row["processes"])
            row |= {name: getattr(device, name) for name in ("name", "vendor", "kind", "pci_address", "parent")}
            rows.append(row)
    document = {
        "schema": READINGS_SCHEMA,
        "number": None if tick is None else tick.number,
        "time": None if tick is None else utc_text(tick.time),
        "seconds": None if tick is None else tick.seconds,
        "interval_seconds": state.interval_seconds,
        "devices": rows,
        "happenings": [{"time": utc_text(moment), **plain(one)} for moment, one in state.lately],
    }
    return _json(document)


def _processes(state: State, rows: list[dict[str, Any]] | None) -> list[dict[str, Any]] | None:
    if rows is None:
        return None
    told = []
    for row in rows:
        who = state.process(row["pid"])
        more = {name: getattr(who, name) if who is not None else None for name in (*_SHOWN, *_BELONGS)}
        told.append({**row, **{name: value for name, value in more.items() if value is not None or name not in row}})
    return told


def busy_answer(state: State) -> bytes:
    """Return each device's utilisation over about two minutes: small enough for many devices."""
    history = state.history
    devices = {d: [_short(v) for _, v in history.recent(d, "busy_percent")[-_BUSY_TICKS:]] for d in history.devices}
    times = [round(seconds, 3) for seconds, _ in history.recent("", "busy_percent")[-_BUSY_TICKS:]]
    return _json({"schema": HISTORY_SCHEMA, "now": _now(state), "seconds": times, "busy_percent": devices})


def history_answer(state: State, device: str) -> bytes | None:
    """Return the history of one device: the last ticks, and a day in steps; None for an unknown device."""
    history = state.history
    if device not in history.devices:
        return None
    recent: dict[str, Any] = {}
    steps: dict[str, Any] = {}
    for reading in KEPT:
        values = [_short(value) for _, value in history.recent(device, reading)]
        points = history.steps(device, reading)
        if any(value is not None for value in values) or any(point.mean is not None for point in points):
            recent[reading] = values
            steps[reading] = [[_short(point.mean), _short(point.least), _short(point.most)] for point in points]
    times = [round(seconds, 3) for seconds, _ in history.recent(device, "busy_percent")]
    middles = [point.seconds for point in history.steps(device, next(iter(recent), ""))]
    return _json(
        {
            "schema": HISTORY_SCHEMA,
            "device": device,
            "now": _now(state),
            "recent": {"seconds": times, **recent},
            "steps": {"seconds": middles, **steps},
        }
    )


def _now(state: State) -> dict[str, Any] | None:
    return None if state.tick is None else {"seconds": state.tick.seconds, "time": utc_text(state.tick.time)}


def _json(document: Any) -> bytes:
    return (json_text(document) + "\n").encode()


def findings_answer(state: State) -> bytes:
    """Return the last diagnosis; before the first, an answer that says there is none yet."""
    if state.findings is None:
        return (
            json_text({"schema": "accel.diagnosis/1", "verdict": None, "findings": [], "taken_at": None}) + "\n"
        ).encode()
    return (json_text(state.findings) + "\n").encode()


def _short(value: float | None) -> float | None:
    return None if value is None else float(f"{value:.6g}")
