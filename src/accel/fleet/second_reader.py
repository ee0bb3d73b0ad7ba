"""A second process that reads and judges snapshot files: judging keeps one CPU busy, and there are more.

It receives paths, one chunk per line, and returns each chunk's answers in one line. If it cannot be started, exits or
returns something invalid, this process reads its chunk and the others: it is never required.
"""

import json
import subprocess
import sys
from collections import deque
from collections.abc import Iterator, Sequence
from threading import Thread
from typing import Final

from accel.fleet.model import NodeAnswer, NodeBench
from accel.model.dataclass import dataclass

_START: Final = (
    "import sys\nsys.path[:] = sys.argv[1:]\nfrom accel.fleet.child_reader import read_for_another\nread_for_another()"
)
Chunk = Sequence[str]


@dataclass(frozen=True, slots=True, kw_only=True)
class Read:
    """The answers of a chunk of files."""

    answers: tuple[NodeAnswer, ...] = ()
    benches: tuple[NodeBench, ...] = ()
    problems: tuple[str, ...] = ()


class SecondReader:
    """The process, and the thread that communicates with it. waiting: chunks that either process may take."""

    def __init__(self, waiting: "deque[Chunk]") -> None:
        self._waiting = waiting
        self._done: deque[Read] = deque()
        self._process: subprocess.Popen[bytes] | None = None
        self._thread = Thread(target=self._talk, daemon=True)

    def __enter__(self) -> "SecondReader":
        self._thread.start()
        return self

    def __exit__(self, *_: object) -> None:
        if self._process is not None:
            self._process.kill()
        self._thread.join()

    def done(self) -> Iterator[Read]:
        """Yield what has been read so far."""
        while self._done:
            yield self._done.popleft()

    def rest(self) -> Iterator[Read]:
        """Yield what it is still reading; a chunk that it could not read is waiting again afterwards."""
        self._thread.join()
        yield from self.done()

    def _talk(self) -> None:
        import msgspec

        chunk: Chunk | None = None
        try:
            decode = msgspec.json.Decoder(Read).decode
            # A list of words: no shell. Standard error would show the traceback of an interrupted child.
            self._process = process = subprocess.Popen(
                [sys.executable, "-c", _START, *sys.path],
                stdin=subprocess.PIPE,
                stdout=subprocess.PIPE,
                stderr=subprocess.DEVNULL,
            )
            with process:
                while (chunk := _next(self._waiting)) is not None:
                    process.stdin.write(json.dumps(chunk).encode() + b"\n")  # type: ignore[union-attr]
                    process.stdin.flush()  # type: ignore[union-attr]
                    self._done.append(decode(process.stdout.readline()))  # type: ignore[union-attr]
        except (OSError, ValueError, TypeError, msgspec.DecodeError):
            if chunk is not None:
                self._waiting.append(chunk)


def _next(waiting: "deque[Chunk]") -> Chunk | None:
    try:
        return waiting.popleft()
    except IndexError:
        return None
