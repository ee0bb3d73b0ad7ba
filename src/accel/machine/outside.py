"""Files that somebody else names: read up to a bound, and waited for only so long.

A path may lead to a device without end, to a pipe that nobody writes to, or to a file of gigabytes.
"""

import os
import stat
import time
from collections.abc import Iterator
from errno import EINVAL
from io import FileIO
from typing import Final

PACKAGE: Final = os.path.dirname(os.path.dirname(os.path.abspath(__file__)))  # accel itself
COMPILED: Final = os.path.join(PACKAGE, "_specs")  # what the build made of its tables and plugins
CHECKOUT: Final = os.path.join(os.path.dirname(os.path.dirname(PACKAGE)), "specs")  # their sources, if this is one
_PIECE: Final = 1 << 20
_PAUSE_SECONDS: Final = 0.02


class NoData(OSError):
    """A pipe or a device gave nothing."""


def open_regular(path: str) -> FileIO:
    """Open a regular file without waiting. Raises OSError, also for a pipe, a socket and a device.

    To open a pipe that nobody writes to waits for ever, and to open some devices does something.
    """
    file = FileIO(path, opener=_opened)
    if not stat.S_ISREG(os.fstat(file.fileno()).st_mode):
        file.close()
        raise OSError(EINVAL, "not a regular file", path)
    return file


def _opened(path: str, flags: int) -> int:
    return os.open(path, flags | _FLAGS)


def read_regular(path: str, most: int) -> bytes:
    """Return the bytes of a regular file. Raises OSError as open_regular, and for more than `most` bytes."""
    with open_regular(path) as file:
        size = os.fstat(file.fileno()).st_size
        if size > most:
            raise OSError(f"{path} has {size:,} bytes, more than the {most:,} that are read")
        return read_up_to(file, most)


def read_up_to(file: FileIO, most: int) -> bytes:
    """Return the file's next bytes: what the kernel writes for us comes in pieces."""
    pieces = []
    while most > 0 and (piece := file.read(most)):
        pieces.append(piece)
        most -= len(piece)
    return b"".join(pieces)


def read_ends(path: str, most: int, patience_seconds: float) -> tuple[bytes, bool]:
    """Return the bytes of a file, and whether they are all: of a long one the first and last half of `most`.

    Where both halves hold lines, half a line at the cut is left out: it would say what nobody said. Of a pipe or device
    it is the first `most` bytes. Raises OSError; NoData where those give nothing within the patience.
    """
    descriptor = os.open(path, _FLAGS)
    try:
        status = os.fstat(descriptor)
        if not stat.S_ISREG(status.st_mode):
            return _streamed(descriptor, most, patience_seconds)
        with open(descriptor, "rb", closefd=False) as file:
            if status.st_size <= most:
                return file.read(most), True
            start = file.read(most // 2)
            behind = status.st_size - most // 2
            behind += behind % 2  # a character of UTF-16 stays whole
            file.seek(behind)
            return _joined(start, file.read(most // 2)), False
    finally:
        os.close(descriptor)


def _joined(start: bytes, end: bytes) -> bytes:
    line_end = {b"\xff\xfe": b"\n\0", b"\xfe\xff": b"\0\n"}.get(start[:2], b"\n")
    stop, begin = start.rfind(line_end), end.find(line_end)
    if stop >= 0:
        start = start[:stop]
    if begin >= 0:
        end = end[begin + len(line_end) :]
    return start + line_end + end


def dated(folder: str, ending: str, most_folders: int = 2000) -> Iterator[tuple[str, int]]:
    """Yield (path below the folder with "/", st_mtime_ns) of each file of an ending; of hidden and _folders none.

    What cannot be listed, and what comes after so many folders, is passed over.
    """
    left = [""]
    for _ in range(most_folders):
        if not left:
            return
        inside = left.pop()
        try:
            with os.scandir(os.path.join(folder, inside)) as entries:
                for entry in entries:
                    if entry.name.endswith(ending):
                        yield inside + entry.name, entry.stat().st_mtime_ns
                    elif entry.name[0] not in "._" and entry.is_dir():
                        left.append(f"{inside}{entry.name}/")
        except OSError:
            pass


def _streamed(descriptor: int, most: int, patience_seconds: float) -> tuple[bytes, bool]:
    pieces: list[bytes] = []
    room, until = most, time.monotonic() + patience_seconds
    while room:
        try:
            piece = os.read(descriptor, min(room, _PIECE))
        except BlockingIOError:
            piece = None
        if piece:
            pieces.append(piece)
            room -= len(piece)
            until = time.monotonic() + patience_seconds
        elif piece == b"" and pieces:
            break
        elif time.monotonic() > until:
            if not pieces:
                raise NoData("it gave nothing")
            break
        else:
            time.sleep(_PAUSE_SECONDS)
    return b"".join(pieces), room > 0


_FLAGS: Final = os.O_RDONLY | getattr(os, "O_NONBLOCK", 0) | getattr(os, "O_CLOEXEC", 0) | getattr(os, "O_BINARY", 0)
