"""Names and users of processes, from /proc.

Reads  /proc/<pid>/status    "Name:\tpython3" (at most 15 characters of it) and "Uid:\t1000\t1000\t1000\t1000"
       /proc/<pid>/cmdline   for a name that fills the 15: the first word's last part
       /etc/passwd           once, for the users' names; a user that it lacks is shown by number
"""

import re
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from accel.machine.protocol import Machine


class ProcessNames:
    """Looks up each process once. A process of another PID namespace has no name here."""

    def __init__(self, machine: "Machine") -> None:
        self._machine = machine
        self._known: dict[int, tuple[str | None, str | None]] = {}
        self._users: dict[str, str] | None = None

    def of(self, pid: int) -> tuple[str | None, str | None]:
        """Return name and user; None if they cannot be read."""
        found = self._known.get(pid)
        if found is None:
            found = self._known[pid] = self._read(pid)
        return found

    def keep(self, pids: set[int]) -> None:
        """Forget all other processes: their ids may be reused."""
        self._known = {pid: known for pid, known in self._known.items() if pid in pids}

    def _read(self, pid: int) -> tuple[str | None, str | None]:
        try:
            status = self._machine.read(f"/proc/{pid}/status")
        except OSError:
            return None, None
        name = re.search(r"^Name:[ \t]*(\S+(?:[ \t]+\S+)*)[ \t]*$", status, re.MULTILINE)
        user = re.search(r"^Uid:\s*(\d+)", status, re.MULTILINE)
        return self._full(pid, name[1]) if name else None, self.user(user[1]) if user else None

    def _full(self, pid: int, name: str) -> str:
        if len(name) < 15:
            return name
        try:
            first = self._machine.read(f"/proc/{pid}/cmdline").split("\0", 1)[0]
        except OSError:
            return name
        last = first.rsplit("/", 1)[-1]
        return last if last.startswith(name) else name

    def user(self, number: str) -> str:
        """Return the name of the user with this id; the id if the name is unknown."""
        if self._users is None:
            self._users = {}
            try:
                for line in self._machine.read("/etc/passwd").splitlines():
                    fields = line.split(":")
                    if len(fields) > 2:
                        self._users.setdefault(fields[2], fields[0])
            except OSError:
                pass
        return self._users.get(number, number)
