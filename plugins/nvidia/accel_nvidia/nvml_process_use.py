"""How busy each process kept a GPU since the previous reading.

Source  nvml.h, nvmlDeviceGetProcessUtilization: one sample per process with some use in that time; no sample at all is
        the code NOT_FOUND. Not for partitioned GPUs.
"""

from ctypes import Structure, byref, c_uint, c_ulonglong
from typing import Any, Final

from accel_nvidia.nvml_errors import INSUFFICIENT_SIZE, NOT_FOUND

CALL: Final = "nvmlDeviceGetProcessUtilization"
_ROOM: Final = 64


class _Sample(Structure):
    _fields_ = (
        ("pid", c_uint),
        ("time", c_ulonglong),
        *((name, c_uint) for name in ("compute", "memory", "encoder", "decoder")),
    )


class ProcessUse:
    """The call and its buffer, for one device."""

    def __init__(self, library: Any, handle: Any) -> None:
        self.function: Any = getattr(library, CALL, None)
        self._handle = handle
        self._last = c_ulonglong()
        self._make_room(_ROOM)

    def read(self) -> tuple[int, dict[int, tuple[float, float]]]:
        """Return NVML's code, and (percent of compute time, percent of memory time) by PID; {} if none was active."""
        for _ in range(3):  # the list may grow between two calls
            self._count.value = self._room
            code: int = self.function(self._handle, self._array, byref(self._count), self._last)
            if code == NOT_FOUND:
                return 0, {}
            if code != INSUFFICIENT_SIZE:
                break
            self._make_room(max(self._room, self._count.value) * 2)
        if code:
            return code, {}
        last = self._last.value
        latest: dict[int, int] = {}
        found: dict[int, tuple[float, float]] = {}
        for sample in self._views[: self._count.value]:
            pid, time, compute, memory = sample.pid, sample.time, sample.compute, sample.memory
            if pid and compute <= 100 and time >= latest.get(pid, 0):
                latest[pid], found[pid] = time, (float(compute), float(memory if memory < 100 else 100))
                if time > last:
                    last = time
        self._last.value = last
        return 0, found

    def _make_room(self, room: int) -> None:
        self._room, self._count = room, c_uint(room)
        self._array = (_Sample * room)()
        self._views = list(self._array)  # created once: each access to an array item creates a new one
