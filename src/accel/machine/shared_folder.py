"""A folder in which programs of several users leave small files for each other, one at a time.

<place>/accel-4f1d…/9a03….json      one folder per user, one file per message

Each user's files are in a folder that only that user can write to, so nobody can change, hide or displace what another
has left, and the owner identifies the author. The shared folder itself belongs to root or to the user who reads it:
the owner of a folder can remove what others put into it. Names are random, so that nobody can create them first.

A process holds the folder's lock while it works there (flock on the folder itself, so no lock file is left behind). The
owner keeps a file locked as long as it is valid: the kernel releases the lock with the last process that has it open,
however that ends, in every container that shares the folder. Nothing here follows links or blocks on pipes.

POSIX only. Source  flock(2), open(2); the sticky bit: unlink(2)
"""

import os
import re
import stat
import time
from collections.abc import Iterator
from contextlib import contextmanager
from random import random
from secrets import token_hex
from typing import Final

from accel.model.dataclass import dataclass

_OWN: Final = 0o755  # of a user's folder
_MODE: Final = 0o1777  # of a place that had to be made, as of /tmp
_NEW: Final = 0o700  # until its mode is set
_FOLDER: Final = re.compile(r"accel-[0-9a-f]{16}")
_FILE: Final = re.compile(r"[0-9a-f]{16}\.json")
_MOST_BYTES: Final = 16384  # of one file
_MOST_FOLDERS: Final = 64  # of one user: more crowd out that user's own
_MOST_FILES: Final = 4096  # of one folder
_TRY_SECONDS: Final = 0.002
_LONGEST_TRY_SECONDS: Final = 0.05
_TRIES: Final = 10
_FLAGS: Final = os.O_RDONLY | getattr(os, "O_NOFOLLOW", 0) | getattr(os, "O_NONBLOCK", 0) | getattr(os, "O_CLOEXEC", 0)
_FOLDER_FLAGS: Final = _FLAGS | getattr(os, "O_DIRECTORY", 0)


class Unusable(OSError):
    """There is no shared folder here, or it cannot be trusted; the message says why."""


class Locked(Unusable):
    """Another process has held the lock for longer than the time limit."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Left:
    """A file that somebody left. user_id: its owner; locked: a process holds it; mine: this user may remove it."""

    name: str
    text: str
    user_id: int
    locked: bool
    mine: bool


class SharedFolder:
    """An open shared folder. It is created if it does not exist, and released by `close`."""

    def __init__(self, path: str) -> None:
        self.path = path
        self._place = _opened(path)
        self._mine: int | None = None  # this user's folder

    def close(self) -> None:
        os.close(self._place)
        if self._mine is not None:
            os.close(self._mine)

    @contextmanager
    def turn(self, patience_seconds: float) -> Iterator[None]:
        """Hold the lock. Raises Locked if another process holds it for longer than the time limit."""
        import fcntl

        until, pause = time.monotonic() + patience_seconds, _TRY_SECONDS
        while True:
            try:
                fcntl.flock(self._place, fcntl.LOCK_EX | fcntl.LOCK_NB)
                break
            except BlockingIOError:
                if time.monotonic() > until:
                    raise Locked(f"{self.path}: another process has kept it locked:  fuser -v {self.path}") from None
                time.sleep(pause * (0.5 + random()))  # many wait, and should not ask all at once
                pause = min(pause * 1.5, _LONGEST_TRY_SECONDS)
            except OSError as error:
                raise Unusable(f"{self.path}: it cannot be locked: {error.strerror}") from None
        try:
            yield
        finally:
            fcntl.flock(self._place, fcntl.LOCK_UN)

    def files(self) -> Iterator[Left]:
        """Yield the readable files of all users, skipping anything but small regular files."""
        mine = os.getuid()
        for folder, owner in self._folders():
            try:
                for name in sorted(filter(_FILE.fullmatch, os.listdir(folder)))[:_MOST_FILES]:
                    found = _file(folder, name, owner, mine)
                    if found is not None:
                        yield found
            except OSError:
                continue
            finally:
                os.close(folder)

    def leave(self, text: str) -> tuple[str, int]:
        """Write a file and lock it; return its name and its descriptor, whose last copy holds the lock.

        Raises OSError.
        """
        import fcntl

        created = os.O_RDWR | os.O_CREAT | os.O_EXCL | getattr(os, "O_NOFOLLOW", 0) | getattr(os, "O_CLOEXEC", 0)
        name = f"{token_hex(8)}.json"
        descriptor = os.open(name, created, 0o644, dir_fd=self._own())
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
        return name, descriptor

    def remove(self, name: str) -> None:
        """Remove a file of this user's, if it exists."""
        try:
            os.unlink(name, dir_fd=self._own())
        except OSError:
            pass

    def _own(self) -> int:
        """Return this user's folder, creating it if necessary. Raises OSError."""
        if self._mine is None:
            mine = os.getuid()
            for folder, owner in self._folders():
                if owner == mine and self._mine is None:
                    self._mine = folder
                else:
                    os.close(folder)
        if self._mine is None:
            name = f"accel-{token_hex(8)}"
            os.mkdir(name, _NEW, dir_fd=self._place)
            self._mine = os.open(name, _FOLDER_FLAGS, dir_fd=self._place)
            os.fchmod(self._mine, _OWN)  # not by mkdir, which the umask would limit
        return self._mine

    def _folders(self) -> Iterator[tuple[int, int]]:
        """Yield each user's folder, opened, with its owner; only folders that nobody else can write to."""
        counts: dict[int, int] = {}
        for name in sorted(filter(_FOLDER.fullmatch, os.listdir(self._place))):
            try:
                folder = os.open(name, _FOLDER_FLAGS, dir_fd=self._place)
            except OSError:
                continue
            status = os.fstat(folder)
            owner = status.st_uid
            counts[owner] = counts.get(owner, 0) + 1
            if status.st_mode & (stat.S_IWGRP | stat.S_IWOTH) or counts[owner] > _MOST_FOLDERS:
                os.close(folder)
            else:
                yield folder, owner


def _file(folder: int, name: str, owner: int, mine: int) -> Left | None:
    import fcntl

    try:
        descriptor = os.open(name, _FLAGS, dir_fd=folder)
    except OSError:
        return None
    try:
        status = os.fstat(descriptor)
        if not stat.S_ISREG(status.st_mode) or status.st_size > _MOST_BYTES or status.st_uid != owner:
            return None
        text = os.read(descriptor, _MOST_BYTES).decode("utf-8", "replace")
        locked = False
        try:
            fcntl.flock(descriptor, fcntl.LOCK_SH | fcntl.LOCK_NB)
        except BlockingIOError:
            locked = True
        return Left(name=name, text=text, user_id=owner, locked=locked, mine=owner == mine)
    except OSError:
        return None
    finally:
        os.close(descriptor)


def _opened(path: str) -> int:
    """Return the folder's descriptor. Raises Unusable if several users cannot share it safely."""
    if os.name != "posix":
        raise Unusable("this system has no folder shared by several users")
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
    wrong = _mistrust(status)
    if wrong is None:
        return descriptor
    os.close(descriptor)
    raise Unusable(f"{path}: {wrong}")


def _mistrust(status: os.stat_result) -> str | None:
    """Return why others could remove files from a folder; None if they cannot."""
    if status.st_uid not in (0, os.getuid()):
        return f"user {status.st_uid} owns it and can delete files in it; root should own it, with mode 1777"
    if status.st_mode & (stat.S_IWGRP | stat.S_IWOTH) and not status.st_mode & stat.S_ISVTX:
        return "others can delete files in it; its mode should be 1777"
    return None


def _descriptor(path: str) -> int:
    """Open the folder; wait for it if it is just being created."""
    for left in range(_TRIES, -1, -1):
        try:
            return os.open(path, _FOLDER_FLAGS)
        except PermissionError as error:
            if not left:
                raise Unusable(f"{path}: {error.strerror}") from None
            time.sleep(_TRY_SECONDS)
        except OSError as error:
            raise Unusable(f"{path}: {error.strerror}") from None
    raise AssertionError("unreachable")
