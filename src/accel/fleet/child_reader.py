"""The second reader's process: see accel.fleet.second_reader."""

import gc
import json
import os
import sys
from functools import cache
from typing import Final

import msgspec

from accel.fleet.model import NodeAnswer, NodeBench
from accel.fleet.reading import Answers
from accel.fleet.second_reader import Read
from accel.plugins.registry import Registry

_GARBAGE: Final = 100_000  # objects: a document has thousands, without reference cycles


def read_for_another() -> None:
    """Read chunks of paths from stdin, one per line, and write each chunk's answers as one line, until stdin ends."""
    gc.set_threshold(_GARBAGE)
    out = sys.stdout.buffer
    sys.stdout = sys.stderr
    answers = Answers((), cache(lambda: Registry(os.environ, guarded=True)))
    for line in sys.stdin.buffer:
        answers.problems.clear()
        said = [one for path in json.loads(line) for one in answers.of_file(path)]
        read = Read(
            answers=tuple(one for one in said if isinstance(one, NodeAnswer)),
            benches=tuple(one for one in said if isinstance(one, NodeBench)),
            problems=tuple(answers.problems),
        )
        out.write(msgspec.json.encode(read) + b"\n")
        out.flush()
