"""A folder in which programs of several users leave small files for each other, one at a time.

Who is in the folder's turn is alone (flock on the folder itself, so there is no lock file to leave behind). A file's
owner keeps it locked for as long as it counts: the kernel ends that with the last process that has it open, whatever
becomes of them, in every container that shares the folder. Nothing here follows a link, or waits for a pipe.

POSIX only. Source  flock(2); fs.protected_regular of Linux, for which files of others are never opened to be created
"""

import os
import stat
import time
from collections.abc import Iterator
from contextlib import contextmanager
from random import random
from typing import Final

from accel.model.dataclass import dataclass

_MODE: Final = 0o1777  # as /tmp: everybody adds files, and takes away their own
_MOST_BYTES: Final = 16384  # of one file
_MOST_FILES: Final = 4096
_NEW: Final = 0o700  # until its mode is set
_TRY_SECONDS: Final = 0.002
_LONGEST_TRY_SECONDS: Final = 0.05
_TRIES: Final = 10
_FLAGS: Final = os.O_RDONLY | getattr(os, "O_NOFOLLOW", 0) | getattr(os, "O_NONBLOCK", 0) | getattr(os, "O_CLOEXEC", 0)


class Unusable(OSError):
    """The folder cannot be used; the text says why."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Left:
    """A file that somebody has left. user_id: of its owner; locked: a process keeps it."""

    name: str
    text: str
    user_id: int
    locked: bool


class SharedFolder:
    """An open folder. Made if it is not there; in `close` it is let go."""

    def __init__(self, path: str) -> None:
        self.path = path
        self._folder = _opened(path)

    def close(self) -> None:
        os.close(self._folder)

    @contextmanager
    def turn(self, patience_seconds: float) -> Iterator[None]:
        """Be alone in it. Raises Unusable where somebody else stays longer than the patience."""
        import fcntl

        until, pause = time.monotonic() + patience_seconds, _TRY_SECONDS
        while True:
            try:
                fcntl.flock(self._folder, fcntl.LOCK_EX | fcntl.LOCK_NB)
                break
            except BlockingIOError:
                if time.monotonic() > until:
                    raise Unusable(f"{self.path}: another process has kept it locked:  fuser -v {self.path}") from None
                time.sleep(pause * (0.5 + random()))  # many wait, and should not ask all at once
                pause = min(pause * 1.5, _LONGEST_TRY_SECONDS)
            except OSError as error:
                raise Unusable(f"{self.path}: it cannot be locked: {error.strerror}") from None
        try:
            yield
        finally:
            fcntl.flock(self._folder, fcntl.LOCK_UN)

    def files(self) -> Iterator[Left]:
        """Yield the files that can be read; what is no small regular file is passed over."""
        for name in sorted(os.listdir(self._folder))[:_MOST_FILES]:
            found = self._file(name)
            if found is not None:
                yield found

    def leave(self, name: str, text: str) -> int:
        """Write a file of one's own and lock it; return its descriptor, whose last copy is the lock. Raises OSError."""
        import fcntl

        created = os.O_RDWR | os.O_CREAT | os.O_EXCL | getattr(os, "O_NOFOLLOW", 0) | getattr(os, "O_CLOEXEC", 0)
        descriptor = os.open(name, created, 0o644, dir_fd=self._folder)
        try:
            fcntl.flock(descriptor, fcntl.LOCK_EX | fcntl.LOCK_NB)
            os.fchmod(descriptor, 0o644)  # whatever the umask: others must see what is taken
            data = text.encode()
            if os.write(descriptor, data) < len(data):
                raise OSError(28, "No space left on device")
        except BaseException:
            self.remove(name)
            os.close(descriptor)
            raise
        return descriptor

    def remove(self, name: str) -> None:
        """Take a file away, if it is there and one may."""
        try:
            os.unlink(name, dir_fd=self._folder)
        except OSError:
            pass

    def _file(self, name: str) -> Left | None:
        import fcntl

        try:
            descriptor = os.open(name, _FLAGS, dir_fd=self._folder)
        except OSError:
            return None
        try:
            status = os.fstat(descriptor)
            if not stat.S_ISREG(status.st_mode) or status.st_size > _MOST_BYTES:
                return None
            text = os.read(descriptor, _MOST_BYTES).decode("utf-8", "replace")
            locked = False
            try:
                fcntl.flock(descriptor, fcntl.LOCK_SH | fcntl.LOCK_NB)
            except BlockingIOError:
                locked = True
            return Left(name=name, text=text, user_id=status.st_uid, locked=locked)
        except OSError:
            return None
        finally:
            os.close(descriptor)


def _opened(path: str) -> int:
    """Return the folder's descriptor. Raises Unusable where it is no folder that several users may share safely."""
    if os.name != "posix":
        raise Unusable("this system has no folder that several users share")
    try:
        os.mkdir(path, _NEW)
    except FileExistsError:
        pass
    except OSError as error:
        raise Unusable(f"{path}: {error.strerror}") from None
    descriptor = _descriptor(path)
    status = os.fstat(descriptor)
    if status.st_uid == os.getuid() and stat.S_IMODE(status.st_mode) == _NEW:
        os.fchmod(descriptor, _MODE)  # not by mkdir, which the umask would limit
        status = os.fstat(descriptor)
    sticky = bool(status.st_mode & stat.S_ISVTX)
    open_to_others = bool(status.st_mode & (stat.S_IWGRP | stat.S_IWOTH))
    if sticky or (not open_to_others and status.st_uid in (0, os.getuid())):
        return descriptor
    os.close(descriptor)
    raise Unusable(f"{path}: others can take files out of it; its mode should be 1777")


def _descriptor(path: str) -> int:
    """Open the folder; one that another user is making at this moment is waited for."""
    for left in range(_TRIES, -1, -1):
        try:
            return os.open(path, _FLAGS | getattr(os, "O_DIRECTORY", 0))
        except PermissionError as error:
            if not left:
                raise Unusable(f"{path}: {error.strerror}") from None
            time.sleep(_TRY_SECONDS)
        except OSError as error:
            raise Unusable(f"{path}: {error.strerror}") from None
    raise AssertionError("unreachable")
