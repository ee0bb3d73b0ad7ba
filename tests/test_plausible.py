"""Numbers that no device has are unknown, and said to be."""

from dataclasses import replace
from math import inf, nan

import pytest

from accel.model.device import Device, Process
from accel.model.plausible import MOST_DEVICES, plausible
from accel.model.readings import Readings
from accel.model.report import Report
from accel.watch.sampling.asking import plausible_readings

DEVICE = Device(
    id="x:0",
    index=0,
    backend="x",
    vendor="X",
    kind="gpu",
    memory_total_bytes=80 << 30,
    memory_used_bytes=1 << 30,
    utilization_percent=100.0,
    temperature_celsius=-5.0,
    power_watts=700.0,
)


def report(*devices: Device) -> Report:
    return Report(backend="x", source="x-smi", devices=devices)


def test_what_a_device_can_have_is_left_alone() -> None:
    given = report(DEVICE)
    assert plausible(given) is given


@pytest.mark.parametrize(
    ("field", "value"),
    [
        ("temperature_celsius", inf),
        ("temperature_celsius", 65535.0),
        ("temperature_celsius", 255.0),
        ("memory_total_bytes", 0),
        ("power_watts", nan),
        ("power_watts", -1.0),
        ("utilization_percent", 101.0),
        ("memory_total_bytes", -(1 << 20)),
        ("memory_total_bytes", 10**400),
        ("memory_used_bytes", (80 << 30) + 1),
        ("memory_free_bytes", 1 << 60),
        ("numa_node", 4_294_967_295),
    ],
)
def test_what_no_device_has_is_unknown_and_quoted(field: str, value: float) -> None:
    read = plausible(report(replace(DEVICE, **{field: value}), replace(DEVICE, id="x:1", index=1)))
    assert read.devices[0] == replace(DEVICE, **{field: None})
    assert read.devices[1] == replace(DEVICE, id="x:1", index=1)
    (gap,) = read.gaps
    assert (gap.fact, gap.device, read.status) == (field, "x:0", "partial")
    assert len(gap.reason) < 120


def test_a_device_whose_number_cannot_be_is_none() -> None:
    read = plausible(report(DEVICE, replace(DEVICE, id="x:4294967295", index=4_294_967_295)))
    assert read.devices == (DEVICE,)
    assert "4294967295" in read.gaps[0].reason


def test_only_so_many_devices_are_kept() -> None:
    many = [replace(DEVICE, id=f"x:{number}", index=number) for number in range(MOST_DEVICES + 5)]
    read = plausible(report(*many))
    assert len(read.devices) == MOST_DEVICES
    assert "4,101 devices" in read.gaps[0].reason


@pytest.mark.parametrize(
    ("given", "kept"),
    [
        (Process(pid=7, name="train", memory_bytes=1 << 60), (Process(pid=7, name="train"),)),
        (Process(pid=7, memory_bytes=(80 << 30) + 1), (Process(pid=7),)),
        (Process(pid=10**19, memory_bytes=1), ()),
    ],
)
def test_what_no_process_has_is_unknown_and_quoted(given: Process, kept: tuple[Process, ...]) -> None:
    other = Process(pid=8, memory_bytes=80 << 30)
    read = plausible(report(replace(DEVICE, processes=(given, other))))
    assert read.devices[0].processes == (*kept, other)
    assert [(gap.fact, gap.device) for gap in read.gaps] == [("processes", "x:0")]


@pytest.mark.parametrize(
    ("field", "value"),
    [
        ("busy_percent", 250.0),
        ("temperature_celsius", 255.0),
        ("memory_used_bytes", (80 << 30) + 1),
        ("power_watts", nan),
    ],
)
def test_a_reading_that_no_device_has_is_unknown_and_quoted(field: str, value: float) -> None:
    sound = Readings(id="x:0", busy_percent=97.0, memory_total_bytes=80 << 30, memory_used_bytes=80 << 30)
    read = plausible_readings(replace(sound, **{field: value}))
    assert getattr(read, field) is None
    assert [(gap.fact, gap.device) for gap in read.gaps] == [(field, "x:0")]
    assert plausible_readings(sound) is sound
