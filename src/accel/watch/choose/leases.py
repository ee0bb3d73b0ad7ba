"""Leases: files by which those who choose devices tell each other what they have taken.

    accel run -n 1 -- python train.py     leaves  /dev/shm/accel-4f1d…/9a03….json
    {"schema": "accel.lease/1", "devices": ["nvidia:GPU-8f…"], "pid": 4711, "started": 815243, …, "command": "python"}

A lease counts while its file is locked, which the command and what it starts keep it (accel.machine.shared_folder), or
while the process of that number and start time lives: some programs close what they inherit. Its user takes away what
counts no more. They are in ACCEL_LEASES, else /run/accel where an administrator has made it, else /dev/shm or /tmp,
which every user can reach; a container with its own /dev/shm has its own leases.

Devices are named by uuid, which is the same for every user and in every container, else by PCI address, else by id.
"""

import json
import os
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from errno import EACCES, EPERM, EROFS
from typing import TYPE_CHECKING, Any, Final

from accel.machine.files import file_text
from accel.model.device import Device
from accel.model.errors import BadInput
from accel.vendors.toolkit.process_names import ProcessNames

if TYPE_CHECKING:
    from accel.machine.protocol import Machine
    from accel.machine.shared_folder import Left, SharedFolder

_SCHEMA: Final = "accel.lease/1"
_PLACES: Final = ("/dev/shm", "/tmp")
_NOT_FOR_US: Final = (EACCES, EPERM, EROFS)
_PATIENCE_SECONDS: Final = 30.0  # choosing takes milliseconds, and many may want to
_MOST_WORDS: Final = 80  # characters of a command's name that are shown


class Lease:
    """Devices taken. It counts until `release`, or until this process, and who inherits it, have ended."""

    def __init__(self, folder: "SharedFolder", name: str, descriptor: int) -> None:
        self._folder, self._name, self._descriptor = folder, name, descriptor

    def hand_on(self) -> None:
        """Let a program that takes this process's place keep it."""
        os.set_inheritable(self._descriptor, True)

    def release(self) -> None:
        self._folder.remove(self._name)
        os.close(self._descriptor)


class Leases:
    """The leases of this machine, as far as its folder of them can be used.

    trouble  why there is none, for people; who chooses then cannot know what others choose at the same moment
    """

    def __init__(self, machine: "Machine") -> None:
        self._machine = machine
        self._users = ProcessNames(machine)
        self.trouble: str | None = None
        self._folder = self._open()

    def close(self) -> None:
        """Let the folder go; what was taken stays taken."""
        if self._folder is not None:
            self._folder.close()
            self._folder = None

    @contextmanager
    def turn(self) -> Iterator[None]:
        """Choose alone: who else wants to, waits. Raises BadInput where somebody does not let others choose."""
        if self._folder is None:
            yield
            return
        from accel.machine.shared_folder import Locked, Unusable

        alone = self._folder.turn(_PATIENCE_SECONDS)
        try:
            alone.__enter__()
        except Locked as error:
            raise BadInput(f"No device is taken: another could take the same at this moment. {error}") from None
        except Unusable as error:
            self._folder, self.trouble = None, str(error)
            yield
            return
        try:
            yield
        finally:
            alone.__exit__(None, None, None)

    def taken(self, devices: Sequence[Device]) -> Mapping[str, str]:
        """Return, by id, which of the devices are taken, with a sentence; take away this user's that have ended."""
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
        """Take the chosen devices, in one's turn; None where there is no folder to say so in.

        Raises BadInput where there is one and nothing can be written: others would not see it.
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
        """Say whether the process that took the lease is the one that has its number."""
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
    """Return the name by which a lease knows a device: the most lasting one that no other device has."""
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
    """Return what a file says, if it is a lease: anybody may have written it."""
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
    """Return when a process started, in the kernel's ticks since it booted; None if it has ended or cannot be read.

    A process that has ended and that its parent has not waited for (a zombie) is still in /proc, for ever where PID 1
    of a container does not wait. One whose first thread alone has ended looks the same, but for its number of threads.
    """
    after_name = (file_text(machine, f"/proc/{pid}/stat") or "").rpartition(")")[2].split()
    if len(after_name) <= 19 or not after_name[19].isdecimal():
        return None
    state, threads, started = after_name[0], after_name[17], int(after_name[19])
    return None if state in ("Z", "X") and threads in ("0", "1") else started
