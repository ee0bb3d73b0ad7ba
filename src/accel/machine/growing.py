"""A file that grows by whole pieces: lines of a table, blocks of a record.

Each piece is written with one call to the system, so what was written before a crash of this process is in the file. A
piece that does not fit the disk is taken back, and the file ends after the last whole one.
"""

import errno
import os
import stat
from collections.abc import Callable
from typing import Final

_FLAGS: Final = os.O_RDWR | os.O_CREAT | getattr(os, "O_CLOEXEC", 0) | getattr(os, "O_BINARY", 0)
_PIECE: Final = 1 << 20  # bytes that are looked at from the end, for the last line's


class CannotWrite(OSError):
    """The disk is full, or the file cannot be written any more. The text says how much of it is whole."""


class GrowingFile:
    """One file, kept open. Raises OSError where it cannot be opened.

    rotate_bytes  a file that would grow beyond it is first renamed to its name with ".1", that to ".2" and so on
    keep          how many of the renamed are kept
    is_regular    not a pipe or a device, which only grow
    head          called after each rotation: what the new file begins with
    """

    def __init__(
        self,
        path: str,
        *,
        rotate_bytes: int | None = None,
        keep: int = 9,
        head: Callable[[], bytes] | None = None,
    ) -> None:
        self.path, self._keep, self._head = path, keep, head
        self.is_regular = not os.path.exists(path) or stat.S_ISREG(os.stat(path).st_mode)
        self._rotate_bytes = rotate_bytes if self.is_regular else None
        self._descriptor = os.open(path, _FLAGS if self.is_regular else os.O_WRONLY, 0o644)
        self.size = os.lseek(self._descriptor, 0, os.SEEK_END) if self.is_regular else 0

    def read(self, offset: int, count: int) -> bytes:
        """Return bytes of what the file holds."""
        os.lseek(self._descriptor, offset, os.SEEK_SET)
        data = b""
        while len(data) < count and (piece := os.read(self._descriptor, count - len(data))):
            data += piece
        return data

    def cut(self, size: int) -> None:
        """Let the file end after so many bytes. A pipe or a device stays as it is."""
        if not self.is_regular:
            return
        os.ftruncate(self._descriptor, size)
        self.size = size

    def cut_half_a_line(self) -> int:
        """Take away what stands after the last newline; return how many bytes that was."""
        end = self.size
        while end:
            start = max(0, end - _PIECE)
            place = self.read(start, end - start).rfind(b"\n")
            if place >= 0:
                end = start + place + 1
                break
            end = start
        lost = self.size - end
        if lost:
            self.cut(end)
        return lost

    def append(self, piece: bytes) -> None:
        """Write a piece at the end. Raises CannotWrite, with the file as it was before."""
        if self._rotate_bytes is not None and self.size and self.size + len(piece) > self._rotate_bytes:
            self._rotate()
        self._write(piece)

    def flush(self) -> None:
        """Have the system write to the disk what it still holds."""
        try:
            os.fsync(self._descriptor)
        except OSError:  # a pipe or a device has nothing to flush
            pass

    def close(self) -> None:
        if self._descriptor >= 0:
            os.close(self._descriptor)
            self._descriptor = -1

    def _write(self, piece: bytes) -> None:
        start = self.size
        try:
            if self.is_regular:
                os.lseek(self._descriptor, start, os.SEEK_SET)
            rest = memoryview(piece)
            while rest:
                rest = rest[os.write(self._descriptor, rest) :]
        except OSError as error:
            try:
                self.cut(start)
            except OSError:
                pass
            why = "the disk is full" if error.errno in (errno.ENOSPC, errno.EDQUOT) else error.strerror or str(error)
            raise CannotWrite(
                error.errno, f"{self.path}: {why}. What was written before, {start:,} bytes, is whole."
            ) from None
        self.size = start + len(piece)

    def _rotate(self) -> None:
        """Give this file the name with ".1", after the older ones have moved on, and begin another."""
        self.flush()
        os.close(self._descriptor)
        for number in range(self._keep, 0, -1):
            older = f"{self.path}.{number - 1}" if number > 1 else self.path
            try:
                os.replace(older, f"{self.path}.{number}")
            except FileNotFoundError:
                pass
        self._descriptor = os.open(self.path, _FLAGS, 0o644)
        self.size = 0
        if self._head is not None:
            self._write(self._head())
