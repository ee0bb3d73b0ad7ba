"""The readers of texts about Intel's GPUs."""

from pathlib import Path
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from accel.model.device import Device
from accel.model.merge import merged_devices
from accel.specs.store import parse
from accel.text.clean import clean
from accel.vendors.contract.backend import Reading
from accel.vendors.toolkit.members import readers_of

HERE = Path(__file__).parent / "texts"
EXPECTED: dict[str, list[dict[str, Any]]] = parse(str(HERE / "expected.yaml"))


def _readings(text: str) -> list[Reading]:
    return [
        reading
        for reader in readers_of("accel_intel")
        if any(sign in text for sign in reader.signs)
        for reading in reader.read(text)
    ]


def _devices(text: str) -> tuple[Device, ...]:
    return merged_devices(report for reading in _readings(text) for report in reading.reports)[0]


def _shown(device: Device, name: str) -> object:
    if name == "pids":
        return None if device.processes is None else [process.pid for process in device.processes]
    value = getattr(device, name)
    return list(value) if isinstance(value, tuple) else value


@pytest.mark.parametrize("name", EXPECTED)
@pytest.mark.parametrize("change", ["as it is", "quoted", "indented", "with CRLF"])
def test_a_text_gives_its_devices_and_no_other(name: str, change: str) -> None:
    text = (HERE / name).read_text()
    lines = text.splitlines()
    if change == "quoted":
        text = "\n".join(f"> {line}" for line in lines)
    elif change == "indented":
        text = "It says\n" + "\n".join(f"    {line}" for line in lines)
    elif change == "with CRLF":
        text = "\r\n".join(lines)
    devices = _devices(text if change == "as it is" else clean(text))
    assert len(devices) == len(EXPECTED[name])
    for device, wanted in zip(devices, EXPECTED[name], strict=True):
        assert {key: _shown(device, key) for key in wanted} == wanted


def test_every_text_is_expected_and_described() -> None:
    provenance = (HERE / "PROVENANCE.md").read_text()
    for path in HERE.glob("*.txt"):
        assert path.name in EXPECTED
        assert path.name in provenance


def test_the_version_of_level_zero_is_the_librarys() -> None:
    (reading,) = _readings((HERE / "sycl_ls.txt").read_text())
    assert reading.reports[0].driver is not None
    assert reading.reports[0].driver.library_version == "1.3.31294"


def test_virtual_functions_are_no_devices() -> None:
    text = (HERE / "xpu_smi_discovery.txt").read_text().replace("Function Type: physical", "Function Type: virtual ", 1)
    assert [device.id for device in _devices(text)] == ["intel:1"]


def test_lines_of_tiles_are_left_out() -> None:
    text = "Timestamp, DeviceId, TileId, GPU Utilization (%)\n06:14:46.000, 0, 0, 35.00\n"
    assert _devices(text) == ()


@pytest.mark.parametrize(
    "text",
    [
        "| XPU-SMI               Driver Version: 5.0.21.21    XPU-RT Version: 5.0.21   |\n|   0  P800 OAM |",
        "| Device ID | Device Information |\n| 0 | Device Name: P800 |\n| | Vendor Name: Kunlun |",
        "Device ID,Device Name\n0,P800",
        "Timestamp, DeviceId, GPU Power (W)",
        '{"device_id": 0, "device_name": "NVIDIA H100"}',
        "[cuda:gpu][cuda:0] NVIDIA CUDA BACKEND, NVIDIA A100 8.0 [CUDA 12.4]",
        "expect 8 [level_zero:gpu]",
        "[opencl:gpu][opencl:1] rusticl, Mesa AMD Radeon OpenCL 3.0 [25.0]",
    ],
)
def test_what_is_none_of_these_gives_no_device(text: str) -> None:
    assert _devices(text) == ()


_ALL = [path.read_text() for path in sorted(HERE.glob("*.txt"))]


@settings(max_examples=60, deadline=None)
@given(st.sampled_from(_ALL), st.integers(0, 3000), st.integers(0, 3000), st.text(max_size=30))
def test_cut_and_dirty_texts_never_raise_and_invent_nothing(text: str, start: int, end: int, dirt: str) -> None:
    most = len(_devices(text))
    assert len(_devices(text[:end])) <= most
    assert len(_devices(text[start:])) <= most
    _devices(text[start:] + dirt)
    _devices(text.replace(" ", dirt, 5))


@settings(max_examples=40, deadline=None)
@given(st.text(max_size=400))
def test_foreign_text_gives_no_device(text: str) -> None:
    for reader in readers_of("accel_intel"):
        assert not [d for reading in reader.read(text) for report in reading.reports for d in report.devices]


def test_hostile_text_is_read_to_its_end() -> None:
    for text in (
        "| Device ID | Device Information |\n" * 20_000,
        '{"device_name":' * 50_000,
        "[level_zero:gpu][level_zero:0] " * 10_000,
        "[level_zero:gpu][level_zero:0] Intel, " + "a " * 50_000,
        "Timestamp, DeviceId\n" * 20_000,
        "Device ID,Device Name\n" + '"' * 100_000,
    ):
        for reader in readers_of("accel_intel"):
            list(reader.read(text))
