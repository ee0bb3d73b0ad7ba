"""Array sizes that exceed the caches and fit the free memory."""

from __future__ import annotations

import os
from typing import Any, Callable  # noqa: UP035  (Python 3.8)

_CACHE = "/sys/devices/system/cpu/cpu{}/cache/index{}"
_UNITS = {"K": 1 << 10, "M": 1 << 20, "G": 1 << 30}
_LEAST_BYTES = 256 << 20  # of an array on the host
_DEVICE_BYTES = 1 << 30  # of an array on an accelerator: larger than the largest last-level cache, 256 MB
_TIMES_THE_CACHE = 8  # STREAM requires 4, at which a part still stays in some caches
_LEAST_TRY_SECONDS = 0.1  # on a busy machine even the smallest takes a scheduler time slice
_PART_OF_FREE = 8
LARGEST_MATRIX = 16384
_SMALL_MATRIX = 1024
_SMALL_SECONDS = 0.5
_CLEARLY = 0.8  # of the time
FORMATS = {  # of numbers, with their names in torch and JAX
    "fp64": "float64",
    "fp32": "float32",
    "tf32": "float32",
    "bf16": "bfloat16",
    "fp16": "float16",
    "int8": "int8",
    "fp8": "float8_e4m3fn",
}


def are_wanted(arrays: tuple[str, list[Any]] | None, following: dict[str, Any] | None) -> bool:
    """Return whether the following step needs these arrays of a device."""
    if arrays is None or following is None:
        return False
    return following["measure"] == "memory" and bool(following["device"] == arrays[0])


def host_array_bytes() -> int:
    """Return the size in bytes of an array larger than the host's last-level caches, within the available memory."""
    wanted = max(_LEAST_BYTES, _TIMES_THE_CACHE * last_cache_bytes())
    available = available_bytes()
    return wanted if available is None else max(1 << 20, min(wanted, available // _PART_OF_FREE))


def device_array_bytes(free: int | None) -> int:
    """Return the size in bytes of an array larger than an accelerator's caches, within the free memory."""
    return _DEVICE_BYTES if free is None else max(1 << 20, min(_DEVICE_BYTES, free // _PART_OF_FREE))


def is_capped(size: int) -> bool:
    """Return whether an accelerator's array is smaller than it should be because other programs use its memory."""
    return size < _DEVICE_BYTES


def last_cache_bytes() -> int:
    """Return the bytes of all last-level caches together; 0 if the system does not report them."""
    seen: dict[str, int] = {}
    for cpu in range(os.cpu_count() or 1):
        for level in (3, 2):
            folder = _CACHE.format(cpu, level)
            size = _read(folder + "/size")
            if size[:-1].isdecimal() and size[-1] in _UNITS:
                seen[_read(folder + "/shared_cpu_list") or str(cpu)] = int(size[:-1]) * _UNITS[size[-1]]
                break
    return sum(seen.values())


def available_bytes() -> int | None:
    """Return the host memory still available to programs; None if the system does not report it."""
    for line in _read("/proc/meminfo").splitlines():
        if line.startswith("MemAvailable:"):
            return int(line.split()[1]) << 10
    return None


def grown(
    rate_at: Callable[[int], float], first: int, seconds: float, most_bytes: int | None, bytes_of: Any
) -> tuple[int, float]:
    """Return the order of the square matrices to multiply, and the seconds of one multiplication.

    The order doubles as long as one multiplication stays within `seconds` and three matrices within `most_bytes`; small
    ones, which stay in the caches, get longer. Of the two largest, the smaller is taken only if its rate is clearly
    higher. rate_at: returns the seconds of one multiplication of an order.
    """
    tried = [(first, rate_at(first))]
    seconds = max(seconds, _LEAST_TRY_SECONDS)
    while True:
        order, took = tried[-1]
        following = 2 * order
        if following > LARGEST_MATRIX or 8 * took > (_SMALL_SECONDS if following <= _SMALL_MATRIX else seconds):
            break
        if most_bytes is not None and bytes_of(following) > most_bytes:
            break
        tried.append((following, rate_at(following)))
    smaller, largest = tried[-2:][0], tried[-1]
    clearly = smaller[1] / smaller[0] ** 3 < _CLEARLY * largest[1] / largest[0] ** 3
    return smaller if clearly and smaller[0] >= _SMALL_MATRIX else largest


def _read(path: str) -> str:
    try:
        with open(path) as file:
            return file.read().strip()
    except OSError:
        return ""
