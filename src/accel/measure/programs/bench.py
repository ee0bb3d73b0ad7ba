"""The program of `accel bench`: runs its steps in order, with one framework or without any.

Instructions: framework ("torch", "jax" or null), seconds (of all steps together), steps: rows with step, measure,
device (the framework's name), seconds, and what the measure needs. The result of a step has seconds (of one call),
spread and runs as in `timing`, and amount: bytes or operations per call.
"""

from __future__ import annotations

import gc
import os
import re
import time
from importlib import import_module
from typing import Any

from . import host
from .reporting import Unavailable, step

_IMPORT_SECONDS = 20.0
_LEAST_SECONDS = 0.05
_DEVICE_LOST = 75
_LACKING = re.compile(r"not (?:implemented|supported)|only supported|unsupported|NOT_SUPPORTED", re.IGNORECASE)


def main(instructions: dict[str, Any]) -> None:
    """Run the steps, and report each."""
    start = time.monotonic()
    backend = _backend(instructions["framework"], instructions)
    if instructions["framework"] and backend is None:
        return
    until = start + instructions["seconds"]
    rows = instructions["steps"]
    for number, row in enumerate(rows):
        left = until - time.monotonic()
        share = left * row["seconds"] / sum(later["seconds"] for later in rows[number:])
        seconds = min(row["seconds"], share)
        failed = True
        with step(row["step"], max(seconds, _LEAST_SECONDS)) as result:
            if left < _LEAST_SECONDS:
                raise Unavailable("the time was over before it began. Run without --quick, or raise --deadline.")
            begun, used = time.monotonic(), _cpu_seconds()
            try:
                result.update(_measured(backend, row, seconds))
            finally:
                result["wall_seconds"] = time.monotonic() - begun
                result["cpu_seconds"] = _cpu_seconds() - used
            failed = False
        if backend is not None and failed and not backend.works(row):
            os._exit(_DEVICE_LOST)  # after some errors a process cannot recover: the rest runs in a new one
        if backend is not None:
            gc.collect()
            following = rows[number + 1] if number + 1 < len(rows) else None
            backend.release(following)


def _backend(framework: str | None, instructions: dict[str, Any]) -> Any:
    if framework is None:
        return None
    made = None
    with step("import " + framework, _IMPORT_SECONDS) as result:
        made = import_module("." + framework + "_bench", __package__).Backend(instructions)
        result.update(made.about())
    return made


def _measured(backend: Any, row: dict[str, Any], seconds: float) -> dict[str, Any]:
    if row["measure"] == "storage":
        found = host.storage(row["folder"], row["bytes"], seconds)
        return {**found, "amount": found["bytes"]}
    if backend is None:
        return _without_framework(row, seconds)
    try:
        return dict(getattr(backend, row["measure"])(row, seconds))
    except (NotImplementedError, RuntimeError, ValueError) as error:
        if _LACKING.search(str(error)):
            raise Unavailable("the framework has no kernel for it here: " + str(error).splitlines()[0][:200]) from None
        raise


def _without_framework(row: dict[str, Any], seconds: float) -> dict[str, Any]:
    from . import sizes, timing

    name = row["kind"]
    size = sizes.host_array_bytes() // 2
    arrays, places = host.plain_arrays(size)
    ways = host.copying_ways(places[0], places[1], size).get(name)
    if not ways:
        raise Unavailable(f"memory {name} is measured through torch or JAX, and neither was found.")
    way, call = next(iter(ways.items()))
    found = timing.measured(call, None, seconds=seconds)
    del arrays
    return {**found, "amount": size * (2 if name == "copy" else 1), "way": way}


def _cpu_seconds() -> float:
    """Return the CPU time of this process and of its children that have ended."""
    used = os.times()
    return used.user + used.system + used.children_user + used.children_system
