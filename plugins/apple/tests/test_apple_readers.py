"""The readers of texts about the GPUs of Macs."""

import json
import os
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
CORPUS = os.environ.get("ACCEL_CORPUS")


def _readings(text: str) -> list[Reading]:
    return [
        reading
        for reader in readers_of("accel_apple")
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


def test_a_display_is_no_gpu_and_tells_nothing_of_one() -> None:
    (device,) = _devices((HERE / "displays_m3.txt").read_text())
    assert device.vendor == "Apple"


def test_cores_of_the_processor_are_not_those_of_the_gpu() -> None:
    text = (HERE / "displays_m3.txt").read_text().replace("      Total Number of Cores: 14\n", "")
    assert [getattr(device, "core_count", 0) for device in _devices(text)] == [None]


def test_text_and_json_of_one_mac_are_one_list() -> None:
    text = "      Chipset Model: Apple M1 Ultra\n      Bus: Built-In\n\n"
    assert len(_devices(text + (HERE / "displays_json_m1.txt").read_text())) == 1


@pytest.mark.parametrize(
    "text",
    [
        "Chipset Model:",
        "The Chipset Model: of my Mac",
        "Chip: Apple M1\nTotal Number of Cores: 8\nMemory: 16 GB",
        '{"SPDisplaysDataType": [{"sppci_cores": "8"}]}',
        '{"SPDisplaysDataType": "Apple M1"}',
        "[GPU] Apple M1 Max",
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
    for reader in readers_of("accel_apple"):
        assert not [d for reading in reader.read(text) for report in reading.reports for d in report.devices]


def test_hostile_text_is_read_to_its_end() -> None:
    for text in (
        "Chipset Model: " * 20_000,
        '{"a":' * 50_000 + '"SPDisplaysDataType"',
        '{"SPDisplaysDataType": [\n' * 20_000,
        "Chipset Model: x\n" + "A" * 100_000 + ":",
        "Chipset Model: x\n" + ("A " * 50_000),
    ):
        for reader in readers_of("accel_apple"):
            list(reader.read(text))


@pytest.mark.skipif(not CORPUS, reason="ACCEL_CORPUS names no folder of recordings")
def test_recordings_give_as_many_devices_as_their_index_says() -> None:
    folder = Path(CORPUS or "") / "outputs/apple"
    for entry in json.loads((folder / "index.json").read_text()):
        assert len(_devices((folder / entry["file"]).read_text())) == entry["expected"]["device_count"], entry["file"]
