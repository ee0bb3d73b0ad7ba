"""Work that the workers of one run share: a part that one of them has done, the others load.

    parts = SharedParts(folder, count=32)
    values = parts.load(7, lambda number: [...])      # computed by whichever worker takes the part first

A worker that finds the wanted part taken does another one that nobody has begun, so that none waits idle. A part is a
pickle in a folder that belongs to this run alone; nothing is kept for the next run.
"""

import pickle
from collections.abc import Callable
from pathlib import Path
from typing import IO, Any

try:
    import fcntl
except ImportError:  # no locks on Windows: there each worker does all the work
    CAN_SHARE = False
else:
    CAN_SHARE = True


class SharedParts:
    """The parts 0 to count - 1, each computed by one worker."""

    def __init__(self, folder: Path, count: int) -> None:
        folder.mkdir(parents=True, exist_ok=True)
        self._folder = folder
        self._done: dict[int, Any] = {}
        self._others = iter(reversed(range(count)))

    def load(self, wanted: int, compute: Callable[[int], Any]) -> Any:
        """Return a part's value. compute: returns the value of a part by its number; what it raises is raised here."""
        while wanted not in self._done:
            if self._take(wanted, compute, wait=False):
                break
            other = next((number for number in self._others if not self._path(number).exists()), None)
            if other is None:
                self._take(wanted, compute, wait=True)
            else:
                self._take(other, compute, wait=False)
        return self._done[wanted]

    def _take(self, number: int, compute: Callable[[int], Any], *, wait: bool) -> bool:
        """Load a part or compute it; return False if another worker is at it."""
        path = self._path(number)
        with path.with_suffix(".lock").open("w") as lock:
            if not _locked(lock, wait=wait):
                return False
            if path.exists():
                self._done[number] = pickle.loads(path.read_bytes())
            else:
                self._done[number] = compute(number)
                written = path.with_suffix(".new")
                written.write_bytes(pickle.dumps(self._done[number], pickle.HIGHEST_PROTOCOL))
                written.rename(path)
        return True

    def _path(self, number: int) -> Path:
        return self._folder / f"{number}.pickle"


def _locked(lock: IO[str], *, wait: bool) -> bool:
    try:
        fcntl.flock(lock, fcntl.LOCK_EX if wait else fcntl.LOCK_EX | fcntl.LOCK_NB)
    except BlockingIOError:
        return False
    return True
