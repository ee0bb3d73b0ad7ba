"""The GPUs' changing values, read over cached handles into buffers that are created once.

Eleven calls per device, one of which reads all field values; link traffic and chip activity are
read only if wanted. A call that the device does not support is not repeated, and a Gap says so.
"""

from _thread import allocate_lock
from collections.abc import Callable
from typing import TYPE_CHECKING, Any, Final

from accel.model.device import UNSUPPORTED, Device, Gap
from accel.model.readings import READINGS, ProcessReadings, Readings
from accel.vendors.contract.backend import Silent
from accel.vendors.contract.watching import Wanted
from accel_nvidia.nvml_activity import READINGS as ACTIVITY
from accel_nvidia.nvml_activity import SAMPLE, Activity
from accel_nvidia.nvml_buffered import Buffered
from accel_nvidia.nvml_counters import Counters, SlowBus
from accel_nvidia.nvml_errors import (
    FUNCTION_NOT_FOUND,
    GPU_IS_LOST,
    NOT_SUPPORTED,
    RESET_REQUIRED,
    UNINITIALIZED,
    error_text,
)
from accel_nvidia.nvml_process_use import CALL as PROCESS_USE
from accel_nvidia.nvml_process_use import ProcessUse
from accel_nvidia.nvml_processes import join
from accel_nvidia.nvml_questions import CLOCK_REASONS, SAMPLED, STATE, VIDEO, Found
from accel_nvidia.nvml_sample import Listing

if TYPE_CHECKING:
    from accel.vendors.toolkit.process_names import ProcessNames

Failed = list[tuple[str, tuple[str, ...], int]]  # call, its readings, code

_NEVER: Final = frozenset({NOT_SUPPORTED, FUNCTION_NOT_FOUND})
_LISTS: Final = ("nvmlDeviceGetComputeRunningProcesses", "nvmlDeviceGetGraphicsRunningProcesses")
_FIELDS: Final = "nvmlDeviceGetFieldValues"
_WRITE: Final = tuple(getattr(Readings, name).__set__ for name in READINGS)


class Gauge:
    """The calls and buffers of one device.

    whole   the handle of the device that contains a partition; instance: the partition's GPU instance
    """

    def __init__(
        self, nvml: Any, handle: Any, names: "ProcessNames", whole: Any, instance: int | None, wanted: Wanted
    ) -> None:
        self.stopped = False
        self._turn = allocate_lock()
        self._names, self._nvml, self._handle = names, nvml, handle
        self._unsupported: dict[str, int] = {}  # NVML's code, by reading
        self._gaps: tuple[tuple[Any, ...], tuple[Gap, ...]] = ((), ())
        self._counters = Counters(nvml, handle, wanted.links)
        self._activity = Activity(nvml, whole, instance) if wanted.activity else None
        self._bus = SlowBus(nvml, handle) if wanted.links else None
        self._use: ProcessUse | None = ProcessUse(nvml.nvmlLib, handle) if instance is None else None
        self._processes: dict[tuple[int, int | None, float | None, float | None], ProcessReadings] = {}
        self._listings = [Listing(nvml.nvmlLib, handle, family) for family in _LISTS]
        asked = (*SAMPLED, *STATE, CLOCK_REASONS, *(VIDEO if wanted.activity else ()))
        calls = (Buffered(question, nvml.nvmlLib, handle, _names()) for question in asked)
        self._calls = [call for call in calls if self._exists(call)]

    def take_activity(self, wanted: Wanted) -> None:
        """Take the sample from which the next readings compute the chip's activity."""
        if self._activity is not None and (SAMPLE, None) not in wanted.skip:
            self._activity.take()

    def take(self, device: Device, wanted: Wanted, seconds: Callable[[], float]) -> Readings:
        """Return the current readings. Threads take turns: each call fills the same buffer."""
        with self._turn:
            return self._take(device, wanted, seconds)

    def _take(self, device: Device, wanted: Wanted, seconds: Callable[[], float]) -> Readings:
        found: Found = {"id": device.id, "uuid": device.uuid, "health": device.health, "state": "ok", "gaps": ()}
        failed: Failed = []
        told = None if isinstance(wanted.progress, Silent) else wanted.progress.calling
        skip = wanted.skip
        for call in self._calls:
            if skip and _is_skipped(call.name, device.id, skip):
                failed.append((call.name, call.facts, -1))
                continue
            if told is not None:
                told(call.name, device.id)
            code = call.function(*call.arguments)
            if code == 0:
                call.decode(found)
            else:
                failed.append((call.name, call.facts, code))
        self._add_counters(found, failed, device.id, wanted, seconds)
        self._add_processes(found, failed, device.id, wanted)
        if self._activity is not None:
            code = self._activity.decode(found)
            if code:
                failed.append(("nvmlGpmMetricsGet", tuple(name for _, name in ACTIVITY), code))
        found.setdefault("memory_total_bytes", device.memory_total_bytes)
        found.setdefault("power_limit_watts", device.power_limit_watts)
        if failed or self._unsupported or self._counters.codes:
            self._judge(found, failed, device)
        return _record(found)

    def _judge(self, found: Found, failed: Failed, device: Device) -> None:
        """Record why a reading failed: the device is lost, does not support it, or failed this time."""
        codes = {code for _, _, code in failed}
        self.stopped = UNINITIALIZED in codes
        lost = GPU_IS_LOST in codes
        measured = any(found.get(name) is not None for name in ("memory_used_bytes", "busy_percent", "power_watts"))
        if lost or (failed and not measured and not found.get("processes")):
            found["state"], found["health"] = "gone", "unknown"
        if lost or RESET_REQUIRED in codes:
            found["health"] = "critical"
        never = [one for one in failed if one[2] in _NEVER]
        if never:
            names = {name for name, _, _ in never}
            self._calls = [call for call in self._calls if call.name not in names]
            for _, kept, code in never:
                self._unsupported.update(dict.fromkeys(kept, code))
        found["gaps"] = self._gaps_of(failed, device.id)

    def _gaps_of(self, failed: Failed, device: str) -> tuple[Gap, ...]:
        """Return the gaps of missing readings; the same object while they do not change."""
        missing = {**self._unsupported, **self._counters.codes}
        key = (tuple(failed), tuple(missing.items()))
        if self._gaps[0] != key:
            told = [(", ".join(kept), _reason(name, code)) for name, kept, code in failed if code not in _NEVER]
            if missing:
                told.append((", ".join(missing), UNSUPPORTED))
            self._gaps = (
                key,
                tuple(
                    Gap(fact=fact, reason=reason, device=device, backend="nvidia", source="nvml")
                    for fact, reason in told
                ),
            )
        return self._gaps[1]

    def _add_counters(
        self,
        found: Found,
        failed: Failed,
        device: str,
        wanted: Wanted,
        seconds: Callable[[], float],
    ) -> None:
        counters = self._counters
        if counters.function is not None:
            if wanted.skip and _is_skipped(_FIELDS, device, wanted.skip):
                failed.append((_FIELDS, ("energy_joules",), -1))
            else:
                wanted.progress.calling(_FIELDS, device)
                code = counters.function(*counters.arguments)
                if code == 0:
                    counters.decode(found, seconds() if counters.rates else 0.0)
                else:
                    failed.append((_FIELDS, ("energy_joules", "memory_temperature_celsius"), code))
                    if code in _NEVER:
                        counters.function = None
        for function, arguments, reading in self._bus.calls if self._bus is not None else ():
            if reading in counters.codes and not _is_skipped("nvmlDeviceGetPcieThroughput", device, wanted.skip):
                wanted.progress.calling("nvmlDeviceGetPcieThroughput", device)
                if function(*arguments) == 0 and self._bus is not None:
                    self._bus.decode(reading, found)

    def _add_processes(self, found: Found, failed: Failed, device: str, wanted: Wanted) -> None:
        if wanted.skip and _is_skipped(_LISTS[0], device, wanted.skip):
            failed.append((_LISTS[0], ("processes",), -1))
            return
        wanted.progress.calling(_LISTS[0], device)
        computing, drawing = self._listings[0].read(), self._listings[1].read()
        if computing is None:
            failed.append((_LISTS[0], ("processes",), self._listings[0].code))
            return
        held: dict[int, int | None] = {}
        for listed in (computing, drawing):
            if listed:
                join(held, listed)
        used = self._used(device, wanted) if held else None
        known, now = self._processes, {}
        for pid, size in held.items():
            # An unlisted process was not active; if none is listed, the driver may not report any.
            busy, memory = used.get(pid, (0.0, 0.0)) if used else (None, None)
            key = (pid, size, busy, memory)
            now[key] = known.get(key) or self._process(*key)
        self._processes = now
        found["processes"] = tuple(now.values())

    def _used(self, device: str, wanted: Wanted) -> dict[int, tuple[float, float]] | None:
        """Return each process's utilization of the device; None if NVML does not report it."""
        use = self._use
        if use is None or use.function is None:
            return None
        if wanted.skip and _is_skipped(PROCESS_USE, device, wanted.skip):
            return None
        wanted.progress.calling(PROCESS_USE, device)
        code, used = use.read()
        if code in _NEVER:
            self._use = None
        return None if code else used

    def _process(self, pid: int, size: int | None, busy: float | None, memory: float | None) -> ProcessReadings:
        name, user = self._names.of(pid)
        return ProcessReadings(
            pid=pid, name=name, user=user, memory_bytes=size, busy_percent=busy, memory_busy_percent=memory
        )

    def _exists(self, call: Buffered) -> bool:
        if call.function is None:
            self._unsupported.update(dict.fromkeys(call.facts, FUNCTION_NOT_FOUND))
        return call.function is not None


def _names() -> dict[str, str]:
    """Return the reading for each field of NVIDIA's device record that has another name."""
    from accel_nvidia.model import NvidiaDevice  # its ninety fields take 10 ms to define, so only when watching

    own = {field: reading for reading, field in NvidiaDevice.readings_from}
    return {"utilization_percent": "busy_percent", **own}


def _is_skipped(call: str, device: str, skip: frozenset[tuple[str, str | None]]) -> bool:
    return (call, device) in skip or (call, None) in skip


def _reason(call: str, code: int) -> str:
    return (
        (f"not queried: {call} did not return before")
        if code < 0
        else f"NVML error {code} {error_text(code)}, from {call}"
    )


def _record(found: Found) -> Readings:
    """Return the record. Its own constructor would take as long as four NVML calls."""
    new = object.__new__(Readings)
    for write, value in zip(_WRITE, map(found.get, READINGS), strict=True):
        write(new, value)
    return new
