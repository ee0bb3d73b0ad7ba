"""Leases: files by which programs that choose devices tell each other what they have reserved.

    accel run -n 1 -- python train.py     creates  /dev/shm/accel-4f1d…/9a03….json
    {"schema": "accel.lease/1", "devices": ["nvidia:GPU-8f…"], "pid": 4711, "started": 815243, …, "command": "python"}

A lease is valid while its file is locked, which the command and its children keep it (accel.machine.shared_folder), or
while the process with that id and start time is alive: some programs close inherited descriptors. Its user removes
leases that are no longer valid. They are in ACCEL_LEASES, else in /run/accel if an administrator has created it, else
in /dev/shm or /tmp, which every user can access; a container with its own /dev/shm has its own leases.

Devices are identified by UUID, which is the same for every user and in every container, else by PCI address or id.
"""

import json
import os
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from errno import EACCES, EPERM, EROFS
from typing import TYPE_CHECKING, Any, Final

from accel.machine.files import file_text
from accel.machine.process_stat import process_stat
from accel.model.device import Device
from accel.model.errors import BadInput
from accel.vendors.toolkit.process_names import ProcessNames

if TYPE_CHECKING:
    from accel.machine.protocol import Machine
    from accel.machine.shared_folder import Left, SharedFolder

_SCHEMA: Final = "accel.lease/1"
_PLACES: Final = ("/dev/shm", "/tmp")
_NOT_FOR_US: Final = (EACCES, EPERM, EROFS)
_PATIENCE_SECONDS: Final = 30.0  # choosing takes milliseconds, and many may wait
_MOST_WORDS: Final = 80  # characters of a command's name that are shown


class Lease:
    """Reserved devices. Valid until `release`, or until this process and everything that inherits it have ended."""

    def __init__(self, folder: "SharedFolder", name: str, descriptor: int) -> None:
        self._folder, self._name, self._descriptor = folder, name, descriptor

    def hand_on(self) -> None:
        """Let a program that replaces this process keep it."""
        os.set_inheritable(self._descriptor, True)

    def release(self) -> None:
        self._folder.remove(self._name)
        os.close(self._descriptor)


class Leases:
    """The leases of this machine, if their folder can be used.

    trouble  why there is none, for people; without it, simultaneous choices cannot be seen
    """

    def __init__(self, machine: "Machine") -> None:
        self._machine = machine
        self._users = ProcessNames(machine)
        self.trouble: str | None = None
        self._folder = self._open()

    def close(self) -> None:
        """Close the folder; leases remain valid."""
        if self._folder is not None:
            self._folder.close()
            self._folder = None

    @contextmanager
    def turn(self) -> Iterator[None]:
        """Hold the lock while choosing; others wait. Raises BadInput if somebody does not release it."""
        if self._folder is None:
            yield
            return
        from accel.machine.shared_folder import Locked, Unusable

        alone = self._folder.turn(_PATIENCE_SECONDS)
        try:
            alone.__enter__()
        except Locked as error:
            raise BadInput(
                f"No device is reserved: another process could choose the same one at this moment. {error}"
            ) from None
        except Unusable as error:
            self._folder, self.trouble = None, str(error)
            yield
            return
        try:
            yield
        finally:
            alone.__exit__(None, None, None)

    def taken(self, devices: Sequence[Device]) -> Mapping[str, str]:
        """Return which devices are reserved, by id, with a sentence; remove this user's leases that have ended."""
        if self._folder is None:
            return {}
        names = {key: device.id for device in devices for key in (lease_key(device, devices),)}
        found: dict[str, str] = {}
        for left in self._folder.files():
            told = _told(left)
            if told is None:
                continue
            if not left.locked and not self._lives(told):
                if left.mine:
                    self._folder.remove(left.name)
                continue
            said = self._said(left, told)
            found.update((names[key], said) for key in told["devices"] if key in names)
        return found

    def take(self, chosen: Sequence[Device], devices: Sequence[Device], command: str) -> Lease | None:
        """Reserve the chosen devices, while holding the lock; None if there is no folder for it.

        Raises BadInput if the folder exists but cannot be written: others would not see the lease.
        """
        if self._folder is None:
            return None
        pid = os.getpid()
        held = {
            "schema": _SCHEMA,
            "devices": [lease_key(device, devices) for device in chosen],
            "pid": pid,
            "started": _started(self._machine, pid),
            "boot": self._boot(),
            "namespace": self._machine.link("/proc/self/ns/pid"),
            "command": command[:_MOST_WORDS],
        }
        try:
            return Lease(self._folder, *self._folder.leave(json.dumps(held)))
        except OSError as error:
            self.trouble = f"{self._folder.path}: {error.strerror or error}"
            if error.errno in _NOT_FOR_US:
                return None
            raise BadInput(f"No device is taken, as nobody would see it: {self.trouble}.") from None

    def _open(self) -> "SharedFolder | None":
        from accel.machine.shared_folder import SharedFolder, Unusable

        try:
            return SharedFolder(_place(self._machine))
        except Unusable as error:
            self.trouble = str(error)
            return None

    def _lives(self, told: Mapping[str, Any]) -> bool:
        """Return whether the process that created the lease is the one that now has its id."""
        here = told["boot"] == self._boot() and told["namespace"] == self._machine.link("/proc/self/ns/pid")
        started = told["started"]
        return here and started is not None and _started(self._machine, told["pid"]) == started

    def _said(self, left: "Left", told: Mapping[str, Any]) -> str:
        user = self._users.user(str(left.user_id))
        what = f"{told['command']}, " if told["command"] else ""
        return f"taken by accel for {what}pid {told['pid']} of {user}"

    def _boot(self) -> str | None:
        return file_text(self._machine, "/proc/sys/kernel/random/boot_id")


def lease_key(device: Device, devices: Sequence[Device]) -> str:
    """Return the most permanent identifier of a device that no other device has."""
    for field in ("uuid", "pci_address"):
        value = getattr(device, field)
        if value is not None and sum(getattr(other, field) == value for other in devices) == 1:
            return f"{device.backend}:{value}"
    return device.id


def _place(machine: "Machine") -> str:
    asked = machine.environment.get("ACCEL_LEASES")
    if asked:
        return asked
    if machine.exists("/run/accel"):
        return "/run/accel"
    return os.path.realpath(next((place for place in _PLACES if machine.exists(place)), _PLACES[-1]))


def _told(left: "Left") -> dict[str, Any] | None:
    """Return a file's content if it is a lease: anybody may have written it."""
    try:
        told = json.loads(left.text)
    except (ValueError, RecursionError):
        return None
    if not isinstance(told, dict) or told.get("schema") != _SCHEMA or not isinstance(told.get("devices"), list):
        return None
    pid, started, command = told.get("pid"), told.get("started"), told.get("command")
    return {
        "devices": [key for key in told["devices"] if isinstance(key, str)],
        "pid": pid if isinstance(pid, int) else 0,
        "started": started if isinstance(started, int) else None,
        "boot": told.get("boot"),
        "namespace": told.get("namespace"),
        "command": command[:_MOST_WORDS] if isinstance(command, str) else "",
    }


def _started(machine: "Machine", pid: int) -> int | None:
    """Return when a process started, in kernel ticks since boot; None if it has ended or cannot be read.

    A process that has ended but has not been reaped by its parent (a zombie) remains in /proc, forever if PID 1 of a
    container does not reap. A process whose first thread alone has ended looks the same, except for its number of
    threads.
    """
    stat = process_stat(machine, pid)
    return None if stat is None or (stat.state in ("Z", "X") and stat.threads <= 1) else stat.start_ticks
