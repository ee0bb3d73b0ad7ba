"""Programs on devices that are made up, step by step."""

from collections.abc import Sequence
from typing import Any

from accel.model.device import Device
from accel.model.readings import Readings
from accel.model.work import DataFile, Program
from accel.watch.advise.look import Look
from accel.watch.advise.steps import ProcessStep, Step

SAW = (95.0, 95.0, 0.0, 0.0) * 8  # it works, and pauses, and works
STEADY = (97.0,) * 20
RESTING = (0.0,) * 20
PROGRAM = Program(pid=100, name="python", command=("python", "train.py"), cpus=8.0, variables=(), files=())


def device(index: int = 0) -> Device:
    return Device(id=f"acme:{index}", index=index, backend="acme", vendor="Acme", kind="npu", name="N1")


def look(
    busy: Sequence[float | None],
    *,
    first: dict[str, Any] | None = None,
    others: Sequence[dict[str, Any]] = (),
    pausing: dict[str, Any] | None = None,
    of_device: dict[str, Any] | None = None,
    of_step: dict[str, Any] | None = None,
    program: Program | None = PROGRAM,
    devices: int = 1,
    each: dict[int, dict[str, Any]] | None = None,
) -> Look:
    """Return a look.

    busy       of the devices, a quarter of a second each
    first      what the first process does in all steps, pausing: besides, in those in which the devices rest
    others     what its child processes do; None of either: nothing is known of processes
    of_device, of_step   further readings of the devices, and facts of the steps
    each       further readings of single devices, by index
    """
    steps = []
    for number, value in enumerate(busy):
        rests = value is not None and value < 20
        readings = {}
        for n in range(devices):
            told = {"id": f"acme:{n}", "busy_percent": value, **(of_device or {}), **(each or {}).get(n, {})}
            readings[f"acme:{n}"] = Readings(**told)
        processes = None
        if first is not None:
            own = {**first, **(pausing or {} if rests else {})}
            children = [ProcessStep(pid=101 + n, name="worker", **one) for n, one in enumerate(others)]
            processes = (ProcessStep(pid=100, name="python", is_first=True, **own), *children)
        steps.append(Step(seconds=number / 4, length=0.25, readings=readings, processes=processes, **(of_step or {})))
    return Look(steps, [device(n) for n in range(devices)], program if first is not None else None)


def on_network() -> Program:
    files = (DataFile(path="/data/train.lmdb", system="nfs4", size_bytes=2**40),)
    return Program(pid=100, name="python", cpus=8.0, variables=(), files=files)
