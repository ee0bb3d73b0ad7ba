"""A file that grows by whole pieces: lines of a table, blocks of a recording.

Each piece is written with one system call, so everything written before a crash of this process is in the file. A piece
that does not fit on the disk is removed again, and the file ends after the last whole one.
"""

import errno
import os
import stat
from collections.abc import Callable
from typing import Final

_FLAGS: Final = os.O_RDWR | os.O_CREAT | getattr(os, "O_CLOEXEC", 0) | getattr(os, "O_BINARY", 0)
_PIECE: Final = 1 << 20  # bytes that are looked at from the end, for the last line's


class CannotWrite(OSError):
    """The disk is full, or the file can no longer be written. The message says how much of it is complete."""


class GrowingFile:
    """A file that is kept open. Raises OSError if it cannot be opened.

    rotate_bytes  before a file would grow beyond this, it is renamed to its name with ".1", that one to ".2" and so on
    keep          number of renamed files to keep
    is_regular    not a pipe or a device, which can only be appended to
    head          called after each rotation: returns what the new file starts with
    """

    def __init__(
        self, path: str, *, rotate_bytes: int | None = None, keep: int = 9, head: Callable[[], bytes] | None = None
    ) -> None:
        self.path, self._keep, self._head = path, keep, head
        self.is_regular = not os.path.exists(path) or stat.S_ISREG(os.stat(path).st_mode)
        self._rotate_bytes = rotate_bytes if self.is_regular else None
        self._descriptor = os.open(path, _FLAGS if self.is_regular else os.O_WRONLY, 0o644)
        self.size = os.lseek(self._descriptor, 0, os.SEEK_END) if self.is_regular else 0

    def read(self, offset: int, count: int) -> bytes:
        """Return bytes of the file."""
        os.lseek(self._descriptor, offset, os.SEEK_SET)
        data = b""
        while len(data) < count and (piece := os.read(self._descriptor, count - len(data))):
            data += piece
        return data

    def cut(self, size: int) -> None:
        """Truncate the file to this size. Does nothing for a pipe or a device."""
        if not self.is_regular:
            return
        os.ftruncate(self._descriptor, size)
        self.size = size

    def cut_half_a_line(self) -> int:
        """Remove what follows the last newline; return the number of bytes removed."""
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
        """Append a piece. Raises CannotWrite, with the file unchanged."""
        if self._rotate_bytes is not None and self.size and self.size + len(piece) > self._rotate_bytes:
            self._rotate()
        self._write(piece)

    def flush(self) -> None:
        """Flush the file to disk."""
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
                error.errno, f"{self.path}: {why}. What was written before, {start:,} bytes, is intact."
            ) from None
        self.size = start + len(piece)

    def _rotate(self) -> None:
        """Rename this file to its name with ".1", after renaming older ones, and start a new one."""
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
