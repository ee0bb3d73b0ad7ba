"""What the kernel counts of each client of a DRM driver, read, and taken over the time between two looks."""

from collections.abc import Mapping, Sequence
from dataclasses import replace
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import pytest

from accel.machine.recorded import RecordedMachine
from accel.model.device import Device, Process
from accel.model.readings import Readings
from accel.vendors.contract.watching import Wanted
from accel.vendors.toolkit.drm_clients import parsed
from accel.vendors.toolkit.drm_watching import CALL, DrmWatching

ADDRESS = "0000:03:00.0"
GIB = 2**30
XE = f"""pos:\t0
drm-driver:\txe
drm-client-id:\t3
drm-pdev:\t{ADDRESS}
drm-total-gtt:\t192 KiB
drm-resident-gtt:\t192 KiB
drm-total-vram0:\t23992 KiB
drm-resident-vram0:\t23992 KiB
drm-cycles-rcs:\t28257900
drm-total-cycles-rcs:\t7655183225
drm-cycles-ccs:\t0
drm-total-cycles-ccs:\t7655183225
drm-engine-capacity-ccs:\t4
"""  # in the form of the kernel's own description of xe


def test_a_file_of_xe_counts_cycles_of_cycles() -> None:
    client = parsed(XE)
    assert client is not None
    assert (client.address, client.number, client.memory_bytes) == (ADDRESS, "3", 23992 * 1024)
    assert client.worked == {"rcs": (28257900, 7655183225), "ccs": (0, 7655183225)}
    assert client.capacity == {"ccs": 4}


@pytest.mark.parametrize(
    ("text", "memory", "worked"),
    [
        ("drm-engine-gfx:\t5 ns\ndrm-memory-vram:\t3 KiB\ndrm-memory-gtt:\t9 KiB\n", 3072, {"gfx": (5, None)}),
        ("drm-engine-video:\t5 ns\ndrm-engine-capacity-video:\t2\n", None, {"video": (5, None)}),
        ("drm-memory-vram:\t3 KiB\ndrm-resident-vram:\t2 KiB\n", 2048, {}),
        ("drm-cycles-rcs:\t5\n", None, {}),
        ("drm-engine-gfx:\tmany ns\ndrm-memory-vram:\t-3 KiB\n", None, {}),
        ("", None, {}),
    ],
)
def test_what_a_driver_does_not_tell_is_not_known(text: str, memory: int | None, worked: dict[str, Any]) -> None:
    client = parsed(f"drm-pdev:\t{ADDRESS}\n{text}")
    assert client is not None
    assert (client.memory_bytes, client.worked) == (memory, worked)


def test_a_file_without_an_address_is_none_of_them() -> None:
    assert parsed("pos:\t0\nflags:\t02\n") is None
    assert parsed("drm-driver:\tvgem\ndrm-client-id:\t3\n") is None


def told(number: int, milliseconds: int, *, engine: str = "gfx", vram: str = "1 GiB", more: str = "") -> str:
    return (
        f"drm-pdev:\t{ADDRESS}\ndrm-client-id:\t{number}\n"
        f"drm-engine-{engine}:\t{milliseconds * 1000000} ns\ndrm-memory-vram:\t{vram}\n{more}"
    )


class Watched:
    """A device at one moment after another. listed: whom the vendor lists on it."""

    def __init__(self, acme: SimpleNamespace, folder: Path, **facts: Any) -> None:
        self._acme, self._folder, self._number = acme, folder, 0
        self.listed: tuple[Process, ...] | None = None
        self.watching = DrmWatching(self._sample, counts_all=facts.pop("counts_all", True))
        self.device: Device = acme.device(0, pci_address=ADDRESS, memory_total_bytes=GIB, **facts)

    def _sample(self, machine: Any, devices: Sequence[Device]) -> Sequence[Device]:
        return [replace(one, processes=self.listed, memory_used_bytes=7) for one in devices]

    def at(self, seconds: float, clients: Mapping[int, Sequence[str]], **more: Any) -> Readings:
        """Return the readings at a moment at which these processes have these clients open."""
        return self.of(self.machine(seconds, clients, **more))

    def machine(self, seconds: float, clients: Mapping[int, Sequence[str]], **more: Any) -> RecordedMachine:
        self._number += 1
        folder = self._folder / str(self._number)
        folder.mkdir()
        files = [
            self._acme.process(pid, f"job{pid}", more={f"fdinfo/{n}": text for n, text in enumerate(texts, 3)})
            for pid, texts in clients.items()
        ]
        opened = {pid: ["/dev/dri/renderD128"] * len(texts) for pid, texts in clients.items()}
        links = {"/proc/1/fd/0": "/dev/null", **more.pop("links", {})}
        found: RecordedMachine = self._acme.machine(
            folder, *files, opened=opened, seconds=seconds, nodes=["/dev/dri/renderD128"], links=links, **more
        )
        return found

    def of(self, machine: RecordedMachine, wanted: Wanted | None = None) -> Readings:
        (readings,) = self.watching.readings(machine, [self.device], wanted or Wanted())
        return readings


@pytest.fixture
def watched(acme: SimpleNamespace, tmp_path: Path) -> Watched:
    return Watched(acme, tmp_path)


def shown(readings: Readings) -> list[tuple[int, int | None, float | None]] | None:
    held = readings.processes
    return None if held is None else [(one.pid, one.memory_bytes, one.busy_percent) for one in held]


def test_what_a_process_works_is_known_from_the_second_look_on(watched: Watched) -> None:
    first = watched.at(10.0, {71: [told(1, 5000)]})
    assert (shown(first), first.busy_percent) == ([(71, GIB, None)], None)
    second = watched.at(12.0, {71: [told(1, 5500)]})
    assert (shown(second), second.busy_percent) == ([(71, GIB, 25.0)], 25.0)
    assert (second.memory_used_bytes, [one.name for one in second.processes or ()]) == (7, ["job71"])


def test_clients_and_classes_of_engines_are_added_up_each_for_itself(watched: Watched) -> None:
    watched.at(0.0, {71: [told(1, 0), told(1, 0), told(2, 0)], 72: [told(3, 0, engine="enc")]})
    later = {71: [told(1, 200), told(1, 200), told(2, 300)], 72: [told(3, 400, engine="enc")]}
    readings = watched.at(1.0, later)
    assert sorted(shown(readings) or ()) == [(71, 2 * GIB, 50.0), (72, GIB, 40.0)]
    assert readings.busy_percent == 50.0


def test_several_engines_of_a_class_are_busy_together(watched: Watched) -> None:
    four = "drm-engine-capacity-gfx:\t4\n"
    watched.at(0.0, {71: [told(1, 0, more=four)]})
    assert shown(watched.at(1.0, {71: [told(1, 2000, more=four)]})) == [(71, GIB, 50.0)]


def test_cycles_are_taken_of_the_cycles_that_went_by(watched: Watched) -> None:
    watched.at(0.0, {71: [XE]})
    later = XE.replace("28257900", "28258200").replace("rcs:\t7655183225", "rcs:\t7655184225")
    assert shown(watched.at(9.0, {71: [later]})) == [(71, 23992 * 1024, 30.0)]


def test_a_counter_that_began_anew_and_a_client_that_is_new_tell_nothing_yet(watched: Watched) -> None:
    watched.at(0.0, {71: [told(1, 5000)]})
    assert shown(watched.at(1.0, {71: [told(1, 10)]})) == [(71, GIB, None)]
    assert shown(watched.at(2.0, {71: [told(9, 900)]})) == [(71, GIB, None)]


def test_new_processes_are_looked_for_now_and_then(watched: Watched) -> None:
    assert shown(watched.at(0.0, {71: [told(1, 0)]})) == [(71, GIB, None)]
    assert shown(watched.at(1.0, {71: [told(1, 0)], 72: [told(2, 0)]})) == [(71, GIB, 0.0)]
    assert [pid for pid, *_ in shown(watched.at(6.0, {71: [told(1, 0)], 72: [told(2, 0)]})) or ()] == [72, 71]
    assert shown(watched.at(7.0, {})) == []


def test_nobody_on_it_is_known_only_where_every_process_was_looked_into(watched: Watched) -> None:
    assert (shown(readings := watched.at(0.0, {})), readings.busy_percent) == ([], None)
    assert (shown(readings := watched.at(1.0, {})), readings.busy_percent) == ([], 0.0)
    closed = watched.at(9.0, {}, inaccessible=["/proc/1/fd"])
    assert (closed.processes, closed.busy_percent) == (None, None)
    assert [(gap.fact, "root sees them" in gap.reason) for gap in closed.gaps] == [("processes", True)]


def test_in_a_container_the_devices_use_is_not_known_and_its_own_processes_are(watched: Watched) -> None:
    inside = {"/proc/self/ns/pid": "pid:[4026532999]"}
    watched.at(0.0, {71: [told(1, 0)]}, links=inside)
    readings = watched.at(1.0, {71: [told(1, 500)]}, links=inside)
    assert (shown(readings), readings.busy_percent) == ([(71, GIB, 50.0)], None)
    watched.listed = (Process(pid=4242, memory_bytes=5),)  # with the host's number
    assert shown(watched.at(2.0, {71: [told(1, 500)]}, links=inside)) == [(4242, 5, None)]


@pytest.mark.parametrize(("counts_all", "busy"), [(True, 0.0), (False, None)])
def test_of_work_that_is_not_counted_nothing_says_nothing(
    acme: SimpleNamespace, tmp_path: Path, counts_all: bool, busy: float | None
) -> None:
    watched = Watched(acme, tmp_path, counts_all=counts_all)
    watched.listed = (Process(pid=71, name="train", memory_bytes=5 * GIB), Process(pid=80, memory_bytes=GIB))
    watched.at(0.0, {71: [told(1, 0)], 72: [told(2, 0)]})
    readings = watched.at(1.0, {71: [told(1, 0)], 72: [told(2, 300)]})
    assert shown(readings) == [(71, 5 * GIB, busy), (80, GIB, None), (72, GIB, 30.0)]
    assert readings.busy_percent == (30.0 if counts_all else None)


def test_a_look_that_hung_once_is_left_out(watched: Watched) -> None:
    machine = watched.machine(0.0, {71: [told(1, 0)]})
    assert watched.of(machine, Wanted(skip=frozenset({(CALL, None)}))).processes is None
    assert watched.of(machine).processes is not None


def test_partitions_of_one_address_keep_what_their_vendor_says(watched: Watched) -> None:
    two = [watched.device, replace(watched.device, id="acme:1")]
    machine = watched.machine(0.0, {71: [told(1, 0)]})
    assert [one.processes for one in watched.watching.readings(machine, two, Wanted())] == [None, None]
