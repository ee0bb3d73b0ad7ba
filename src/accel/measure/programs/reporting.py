"""How a program reports its steps: one line of JSON each, after a marker, on its original standard output.

accel-measure {"begin": "matmul bf16 cuda:0", "seconds": 1.0}
accel-measure {"end": "matmul bf16 cuda:0", "seconds": 1.2, "result": {…}}
accel-measure {"end": "matmul fp8 cuda:0", "seconds": 0.1, "error": {"kind": "RuntimeError", "text": "…", "at": "…"}}
accel-measure {"done": true}

Meanwhile descriptor 1 is redirected to standard error: output of libraries, including C code, cannot mix with these
lines.
"""

from __future__ import annotations

import json
import os
import time
from contextlib import contextmanager
from typing import Any, Iterator  # noqa: UP035  (Python 3.8)

MARK = "accel-measure "
_MOST_TEXT = 600

_own: list[int] = []  # the descriptor of the lines, once reserved


def take_stdout() -> None:
    """Reserve standard output for these lines."""
    if not _own:
        _own.append(os.dup(1))
        os.dup2(2, 1)


def tell(**line: Any) -> None:
    """Write one line."""
    data = (MARK + json.dumps(line) + "\n").encode()
    while data:
        data = data[os.write(_own[0] if _own else 1, data) :]


class Unavailable(Exception):
    """The step does not apply here. The text says why, as the rest of a sentence."""


@contextmanager
def step(name: str, seconds: float, **more: Any) -> Iterator[dict[str, Any]]:
    """Run a step of about this many seconds. The body stores its result in the yielded dict; it may raise."""
    tell(begin=name, seconds=round(seconds, 3), **more)
    result: dict[str, Any] = {}
    start = time.monotonic()
    try:
        yield result
    except Unavailable as reason:
        tell(end=name, seconds=time.monotonic() - start, unavailable=str(reason)[:_MOST_TEXT])
    except Exception as error:
        tell(end=name, seconds=time.monotonic() - start, error=told(error), result=result)
    else:
        tell(end=name, seconds=time.monotonic() - start, result=result)


def told(error: BaseException) -> dict[str, str]:
    """Return an exception's class, text, and position in a library's or the program's file."""
    place, trace = "", error.__traceback__
    while trace is not None:
        place = "/".join(trace.tb_frame.f_code.co_filename.split(os.sep)[-2:]) + f":{trace.tb_lineno}"
        trace = trace.tb_next
    return {"kind": type(error).__name__, "text": " ".join(str(error).split())[:_MOST_TEXT], "at": place}
