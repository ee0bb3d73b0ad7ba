"""One more sample: six calls per device into buffers that are created once, over cached handles."""

from _thread import allocate_lock  # threading, which wraps it, takes longer to load than a sample takes
from ctypes import Structure, byref, c_uint
from operator import attrgetter
from typing import TYPE_CHECKING, Any, Final

from accel.model.dataclass import field_names, replace
from accel.model.device import Device, Process
from accel_nvidia.nvml_buffered import Buffered
from accel_nvidia.nvml_errors import (
    FUNCTION_NOT_FOUND,
    GPU_IS_LOST,
    INSUFFICIENT_SIZE,
    NOT_SUPPORTED,
    RESET_REQUIRED,
    UNINITIALIZED,
)
from accel_nvidia.nvml_processes import join
from accel_nvidia.nvml_questions import SAMPLED, Found
from accel_nvidia.nvml_structures import NOT_AVAILABLE, ProcessV1, ProcessV2

if TYPE_CHECKING:
    from accel.vendors.toolkit.process_names import ProcessNames

_NEVER: Final = frozenset({NOT_SUPPORTED, FUNCTION_NOT_FOUND})
CHANGING: Final = (  # the last is NVIDIA's own record's
    "memory_total_bytes",
    "memory_used_bytes",
    "memory_free_bytes",
    "memory_reserved_bytes",
    "utilization_percent",
    "temperature_celsius",
    "power_watts",
    "processes",
    "health",
    "memory_utilization_percent",
)


class Sampler:
    """The calls and buffers of one device. A call that the device does not support is not repeated."""

    def __init__(self, nvml: Any, handle: Any, names: "ProcessNames", kind: type[Device]) -> None:
        library = nvml.nvmlLib
        self.stopped = False
        self._turn = allocate_lock()
        self._names = names
        self._kind = kind
        self._steady = tuple(name for name in field_names(kind) if name not in CHANGING)
        self._read_steady = attrgetter(*self._steady)
        self._write_steady = tuple(getattr(kind, name).__set__ for name in self._steady)
        self._write_changing = tuple(getattr(kind, name).__set__ for name in CHANGING if hasattr(kind, name))
        self._seen: tuple[Device | None, Device | None, tuple[Any, ...]] = (None, None, ())
        self._calls = [call for question in SAMPLED if (call := Buffered(question, library, handle, {})).function]
        self._listings = [
            Listing(library, handle, family)
            for family in ("nvmlDeviceGetComputeRunningProcesses", "nvmlDeviceGetGraphicsRunningProcesses")
        ]
        self._processes: dict[tuple[int, int | None], Process] = {}

    def take(self, device: Device) -> Device:
        """Return the device with current readings. Threads take turns: each call fills the same buffer."""
        with self._turn:
            return self._taken(device)

    def _taken(self, device: Device) -> Device:
        found: Found = {}
        codes = []
        for call in self._calls:
            code = call.function(*call.arguments)
            codes.append(code)
            if code == 0:
                call.decode(found)
        found.setdefault("memory_total_bytes", device.memory_total_bytes)
        found["processes"] = self._listed()
        found["health"] = "critical" if GPU_IS_LOST in codes or RESET_REQUIRED in codes else device.health
        new = object.__new__(self._kind)
        for write, value in zip(self._write_steady, self._steady_values(device, new), strict=True):
            write(new, value)
        for write, value in zip(self._write_changing, map(found.get, CHANGING), strict=False):  # the last: see CHANGING
            write(new, value)
        if any(codes):
            self.stopped = UNINITIALIZED in codes
            self._calls = [call for call, code in zip(self._calls, codes, strict=True) if code not in _NEVER]
        return new

    def _steady_values(self, device: Device, new: Device) -> tuple[Any, ...]:
        """Read values that do not change; cached while the caller passes this device, or the sample made from it."""
        first, last, values = self._seen
        if device is not first and device is not last:
            first, values = device, self._read_steady(device)
        self._seen = (first, new, values)
        return values

    def _listed(self) -> tuple[Process, ...] | None:
        computing, drawing = self._listings[0].read(), self._listings[1].read()
        if computing is None:
            return None
        if drawing:
            found: dict[int, int | None] = {}
            join(found, computing)
            join(found, drawing)
            computing = list(found.items())
        known, now = self._processes, {}
        for pair in computing:
            now[pair] = known.get(pair) or self._process(pair)
        self._processes = now
        return tuple(now.values())

    def _process(self, pair: tuple[int, int | None]) -> Process:
        name, user = self._names.of(pair[0])
        return Process(pid=pair[0], name=name, user=user, memory_bytes=pair[1])


class Listing:
    """One kind of processes of one device: one call, with room for as many as last time.

    code  NVML's code of the last call
    """

    def __init__(self, library: Any, handle: Any, family: str) -> None:
        forms = (("_v3", ProcessV2), ("_v2", ProcessV2), ("", ProcessV1))
        found = [(getattr(library, family + suffix, None), record) for suffix, record in forms]
        existing: list[tuple[Any, type[Structure]]] = [form for form in found if form[0] is not None]
        self._function: Any = existing[0][0] if existing else None
        self._record: type[Structure] = existing[0][1] if existing else ProcessV2
        self._handle = handle
        self.code = 0 if existing else FUNCTION_NOT_FOUND
        self._make_room(32)

    def _make_room(self, room: int) -> None:
        self._room, self._count = room, c_uint(room)
        self._array = (self._record * room)()
        self._views = list(self._array)  # created once: each access to an array item creates a new one
        self._arguments = (self._handle, byref(self._count), self._array)

    def read(self) -> list[tuple[int, int | None]] | None:
        """Return (pid, bytes) of each; None if they cannot be listed."""
        if self._function is None:
            return None
        for _ in range(4):  # the list may grow between two calls
            self._count.value = self._room
            self.code = code = self._function(*self._arguments)
            if code == 0:
                count = self._count.value
                if not count:
                    return []
                return [(p.pid, None if p.memory == NOT_AVAILABLE else p.memory) for p in self._views[:count]]
            if code != INSUFFICIENT_SIZE:
                break
            self._make_room(max(self._room, self._count.value) * 2)
        if code in _NEVER:
            self._function = None
        return None


def blank(device: Device) -> Device:
    """Return the device without readings, none of which could be taken; unknown is not healthy."""
    lost: dict[str, Any] = {name: None for name in CHANGING if hasattr(device, name)}
    health = "critical" if device.health == "critical" else "unknown"
    return replace(device, **lost | {"memory_total_bytes": device.memory_total_bytes, "health": health})
