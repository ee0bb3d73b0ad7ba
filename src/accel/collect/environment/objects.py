"""The shared objects of a machine, each read once: their headers, and the file that a name resolves to."""

import posixpath
from collections.abc import Iterator, Sequence

from accel.machine.files import names_in
from accel.machine.protocol import Machine
from accel.text.elf import SharedObject, shared_object


class Objects:
    """Reads and caches shared objects. architecture: of the machine, "x86_64"; None: files for any are accepted."""

    def __init__(self, machine: Machine, architecture: str | None) -> None:
        self._machine, self._architecture = machine, architecture
        self._read: dict[str, SharedObject | None] = {}

    def __len__(self) -> int:
        return len(self._read)

    def at(self, path: str) -> SharedObject | None:
        """Return the header of an object; None if it cannot be read or is not one."""
        if path not in self._read:
            try:
                self._read[path] = shared_object(lambda offset, count: self._machine.read_bytes(path, offset, count))
            except OSError:
                self._read[path] = None
        return self._read[path]

    def place(self, name: str, folders: Sequence[str]) -> str | None:
        """Return the first file of this name that the loader would accept: it skips files for other machines.

        name  "libX.so.*" matches any ending
        """
        for folder in dict.fromkeys(folders):
            for path in self._candidates(name, folder):
                it = self.at(path)
                if it is None or self._architecture is None or it.machine == self._architecture:
                    return path
        return None

    def _candidates(self, name: str, folder: str) -> Iterator[str]:
        if name.endswith("*"):
            yield from (f"{folder}/{file}" for file in names_in(self._machine, folder) if file.startswith(name[:-1]))
        elif self._machine.exists(f"{folder}/{name}"):
            yield f"{folder}/{name}"

    def is_same(self, one: str, other: str) -> bool:
        """Return whether two paths are the same file, through links, or copies of it, by full name and size."""
        ends = [self.followed(path) for path in (one, other)]
        if ends[0] == ends[1]:
            return True
        sizes = {self._machine.size_bytes(end) for end in ends}
        return len({posixpath.basename(end) for end in ends}) == 1 and len(sizes) == 1 and None not in sizes

    def followed(self, path: str) -> str:
        """Return the path with its links resolved."""
        for _ in range(8):
            target = self._machine.link(path)
            if target is None:
                break
            path = posixpath.normpath(posixpath.join(posixpath.dirname(path), target))
        return path


def expanded(folders: Sequence[str], path: str) -> tuple[str, ...]:
    """Return the folders that an object at `path` names, with $ORIGIN expanded."""
    origin = posixpath.dirname(path)
    return tuple(
        posixpath.normpath(folder.replace("${ORIGIN}", "$ORIGIN").replace("$ORIGIN", origin)) for folder in folders
    )
