"""Backends for the tests of watching: devices of plain numbers, that vanish, come back, raise or hang when told to."""

import os
import signal
import time
from collections.abc import Mapping, Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any

from accel.model.device import Device, Memory, Process
from accel.model.readings import Readings, without_readings
from accel.model.report import Report
from accel.vendors.contract.backend import Request
from accel.vendors.contract.watching import Wanted


def device(index: int, **facts: Any) -> Device:
    """Return a device of the vendor that is made up here."""
    named = {"id": f"acme:{index}", "uuid": f"ACME-{index:08d}", "name": "Acme N1", **facts}
    return Device(index=index, backend="acme", vendor="Acme", kind="npu", **named)


class Node:
    """A backend over a folder, so that a test reaches it in whatever process it answers from.

    Each file "<index>" is a device: its text the uuid, or "" for the usual one; "<index>.<name>" a partition of it. The
    file "<index>.does" says what happens to a call about it: "hang", "die", "raise", "blank", "silent" (it answers and
    tells nothing). "all.does" likewise for every device at once. A partition answers as long as its handle is kept.
    """

    name, vendor, device_type = "acme", "Acme", Device

    def __init__(self, folder: Path) -> None:
        self.folder = folder
        self.asked = 0

    def detect(self, machine: object) -> bool:
        return True

    def probe(self, machine: object, request: Request) -> Sequence[Report]:
        self._act("list")
        return (Report(backend="acme", source="folder", devices=tuple(self._listed())),)

    def readings(self, machine: object, devices: Sequence[Device], wanted: Wanted) -> Sequence[Readings]:
        self.asked += 1
        self._act("all")
        return [self._readings(one, wanted) for one in devices]

    def memory(self, machine: object, device_id: str) -> Memory | None:
        return None

    def sample(self, machine: object, devices: Sequence[Device]) -> Sequence[Device]:
        return [replace(one, utilization_percent=50.0) for one in devices]

    def processes(self, machine: object) -> Mapping[str, tuple[Process, ...] | None]:
        return {}

    def visible(self, devices: Sequence[Device], variables: Mapping[str, str]) -> Sequence[Device]:
        return devices

    def _readings(self, one: Device, wanted: Wanted) -> Readings:
        if ("read", one.id) in wanted.skip or ("read", None) in wanted.skip:
            return Readings(id=one.id, uuid=one.uuid, power_watts=10.0)
        wanted.progress.calling("read", one.id)
        does = self._act(str(one.index))
        if does == "blank" or (one.parent is None and not any(d.uuid == one.uuid for d in self._listed())):
            return without_readings(one, "gone")
        if does == "silent":
            return Readings(id=one.id, uuid=one.uuid)
        return Readings(id=one.id, uuid=one.uuid, busy_percent=float(10 * one.index), power_watts=10.0)

    def _listed(self) -> list[Device]:
        found = []
        for path in sorted(self.folder.iterdir()):
            index, _, part = path.name.partition(".")
            if not index.isdecimal() or part == "does":
                continue
            facts: dict[str, Any] = {"uuid": text} if (text := path.read_text()) else {}
            if part:
                facts = {"id": f"acme:{index}/{part}", "uuid": path.name, "parent": f"acme:{index}"}
            found.append(device(int(index), **facts))
        return found

    def _act(self, name: str) -> str:
        path = self.folder / f"{name}.does"
        does = path.read_text() if path.exists() else ""
        if does == "hang":
            time.sleep(600)
        elif does == "die":
            os.kill(os.getpid(), signal.SIGKILL)
        elif does == "raise":
            raise RuntimeError("it broke")
        return does


class FakeClock:
    """A clock that goes on only when it is waited for. jumps: what the system's clock is set by at which second."""

    def __init__(self, jumps: Mapping[float, float] | None = None) -> None:
        self.now, self.jumps = 0.0, dict(jumps or {})
        self.waited: list[float] = []

    def seconds(self) -> float:
        return self.now

    def time(self) -> float:
        return 1_700_000_000 + self.now + sum(by for at, by in self.jumps.items() if self.now >= at)

    def wait(self, seconds: float) -> None:
        self.waited.append(seconds)
        self.now += seconds
