"""Measurements without a framework: host memory with the C library's functions, and reads from storage.

The C library chooses its functions by size: beyond the cache size they bypass the caches, which a framework's loops do
not, so they may reach more of the bandwidth. ctypes releases the GIL, so threads share the work.
"""

from __future__ import annotations

import ctypes
import os
import tempfile
from concurrent.futures import ThreadPoolExecutor
from typing import Any, Callable  # noqa: UP035  (Python 3.8)

from . import timing
from .reporting import Unavailable

_BLOCK = 1 << 20
_PART_OF_DISK = 10
_RESIDENT = 0.1  # of a file still in the page cache after eviction: above it, reads do not come from storage


def cpus() -> int:
    """Return how many CPUs this process may run on."""
    return len(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else os.cpu_count() or 1


def copying_ways(first: int, second: int, size: int) -> dict[str, dict[str, Callable[[], Any]]]:
    """Return functions that read, write and copy between two host arrays, given by address: measure -> way -> call.

    {} if the C library lacks these functions.
    """
    if os.name != "posix":
        return {}
    library = ctypes.CDLL(None)
    address, count = ctypes.c_void_p, ctypes.c_size_t
    library.memcpy.argtypes = (address, address, count)
    library.memset.argtypes = library.memchr.argtypes = (address, ctypes.c_int, count)
    workers = cpus()
    part = size // workers
    pool = ThreadPoolExecutor(workers)

    def over_parts(work: Callable[[int], Any]) -> Callable[[], None]:
        def call() -> None:
            for _ in pool.map(lambda number: work(number * part) and None, range(workers)):
                pass

        return call

    return {
        "write": {"memset": over_parts(lambda at: library.memset(second + at, 0, part))},
        "copy": {"memcpy": over_parts(lambda at: library.memcpy(second + at, first + at, part))},
    }


def plain_arrays(size: int) -> tuple[list[Any], list[int]]:
    """Return two host arrays made without a framework, with every page touched, and their addresses."""
    arrays = [bytearray(size) for _ in range(2)]
    places = [ctypes.addressof((ctypes.c_char * size).from_buffer(one)) for one in arrays]
    for place in places:
        ctypes.memset(place, 1, size)
    return arrays, places


def storage(folder: str, wanted: int, seconds: float) -> dict[str, Any]:
    """Return how fast a file in this folder is read, from storage and from the page cache.

    Raises Unavailable if the folder is not writable, or if the file could not be evicted from the page cache.
    """
    size = min(wanted, _free(folder) // _PART_OF_DISK) // _BLOCK * _BLOCK
    if size < 16 * _BLOCK:
        raise Unavailable(f"{folder} has too little room for a file to read. Name another folder:  --storage FOLDER")
    try:
        file = tempfile.TemporaryFile(dir=folder, buffering=0)  # noqa: SIM115  without a name: it goes with the process
    except OSError as error:
        raise Unavailable(
            f"{folder} cannot be written: {error.strerror}. Name another folder:  --storage FOLDER"
        ) from None
    with file:
        block = os.urandom(_BLOCK)  # compressible data would be read too fast
        for _ in range(size // _BLOCK):
            file.write(block)
        os.fsync(file.fileno())
        number = file.fileno()
        buffer = bytearray(_BLOCK)

        def read() -> None:
            file.seek(0)
            while file.readinto(buffer):
                pass

        if not hasattr(os, "posix_fadvise"):
            found = timing.measured(read, None, seconds=seconds, least_runs=3)
            return {**found, "bytes": size, "cached": None, "way": "read() of 1 MiB; the page cache may have served it"}

        def forget() -> None:
            os.posix_fadvise(number, 0, 0, os.POSIX_FADV_DONTNEED)

        forget()
        resident = _resident(number, size)
        if resident is not None and resident > _RESIDENT:
            raise Unavailable(
                f"{resident:.0%} of a file in {folder} stay in memory when evicted (tmpfs, or a shared cache). "
                "Name a folder on your data's disk:  --storage FOLDER"
            )
        found = timing.measured(read, None, seconds=seconds * 0.8, before=forget, least_runs=3)
        cached = timing.measured(read, None, seconds=seconds * 0.2, least_runs=3)
        return {
            **found,
            "bytes": size,
            "cached_seconds": cached["seconds"],
            "way": "read() of 1 MiB, page cache emptied",
        }


def _free(folder: str) -> int:
    if not hasattr(os, "statvfs"):
        import shutil

        return shutil.disk_usage(folder).free
    try:
        room = os.statvfs(folder)
    except OSError as error:
        raise Unavailable(f"{folder}: {error.strerror}. Name another folder:  --storage FOLDER") from None
    return room.f_bavail * room.f_frsize


def _resident(number: int, size: int) -> float | None:
    """Return the fraction of a file that is in the page cache; None if the system does not report it."""
    import mmap

    library = ctypes.CDLL(None)
    if not hasattr(library, "mincore"):
        return None
    library.mincore.argtypes = (ctypes.c_void_p, ctypes.c_size_t, ctypes.c_void_p)
    pages = (size + mmap.PAGESIZE - 1) // mmap.PAGESIZE
    told = ctypes.create_string_buffer(pages)
    with mmap.mmap(number, size) as view:
        there = (ctypes.c_char * size).from_buffer(view)
        failed = library.mincore(ctypes.addressof(there), size, told)
        del there
    return None if failed else sum(byte & 1 for byte in told.raw) / pages
