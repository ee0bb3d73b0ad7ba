"""Work that the workers of one run share: a part that one of them has done, the others load.

    parts = SharedParts(folder, count=32)
    values = parts.load(7, lambda number: [...])      # computed by whichever worker takes the part first

A worker that finds the wanted part taken does another one that nobody has begun, so that none waits idle. A part is a
pickle in a folder that belongs to this run alone; nothing is kept for the next run.

    answers = Each("answers", 712, lambda number: ask(MACHINES[number]))
    answers[7]      # asked once in the whole run, with those of its part

A process alone computes each value when it is first looked at.
"""

import pickle
from collections.abc import Callable
from pathlib import Path
from typing import IO, Any, Final, Generic, TypeVar

try:
    import fcntl
except ImportError:  # no locks on Windows: there each worker does all the work
    CAN_SHARE = False
else:
    CAN_SHARE = True

_PART: Final = 50  # values that a worker computes at once for the others
_folders: list[Path] = []
_Value = TypeVar("_Value")


def share_between_workers(folder: Path) -> None:
    """Let the workers that call this with the same folder compute each value once between them."""
    if CAN_SHARE:
        _folders[:] = [folder]


class Each(Generic[_Value]):
    """The values 0 to count - 1, each computed once in a run. name: its folder's, no other's."""

    def __init__(self, name: str, count: int, compute: Callable[[int], _Value], part: int = _PART) -> None:
        self._name, self._count, self._compute, self._part = name, count, compute, part
        self._parts: SharedParts | None = None
        self._own: dict[int, _Value] = {}

    def __getitem__(self, number: int) -> _Value:
        if self._parts is None and _folders:
            self._parts = SharedParts(_folders[0] / self._name, -(-self._count // self._part))
        if self._parts is not None:
            values: list[_Value] = self._parts.load(number // self._part, self._of_part)
            return values[number % self._part]
        if number not in self._own:
            self._own[number] = self._compute(number)
        return self._own[number]

    def _of_part(self, part: int) -> list[_Value]:
        return [self._compute(number) for number in range(part * self._part, min((part + 1) * self._part, self._count))]


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
