"""The readers of texts about Gaudi cards."""

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
        for reader in readers_of("accel_gaudi")
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


def test_the_tools_and_the_drivers_versions_are_told_apart() -> None:
    (reading,) = _readings((HERE / "hl_smi_gaudi2_processes.txt").read_text())
    driver = reading.reports[0].driver
    assert driver is not None
    assert (driver.version, driver.library_version) == ("1.20.0-bd87f71", "hl-1.20.0-fw-58.1.1.1")
    assert driver.firmware_version == "58.1.1.1"


def test_processes_that_are_not_shown_are_a_gap_and_not_none() -> None:
    (reading,) = _readings((HERE / "hl_smi_gaudi2_processes.txt").read_text())
    assert [(gap.fact, gap.device) for gap in reading.reports[0].gaps] == [("processes", "gaudi:1")]


def test_a_cut_table_gives_the_rows_it_has() -> None:
    text = (HERE / "hl_smi_gaudi2_processes.txt").read_text()
    (device,) = _devices(text[: text.index("| N/A   41C")])
    assert (device.name, device.memory_total_bytes, device.temperature_celsius) == ("HL-225", None, None)


def test_table_query_and_log_of_one_machine_are_one_list() -> None:
    table = (HERE / "hl_smi_gaudi1_narrow.txt").read_text()
    query = "index, name, bus_id, temperature.aip [C]\n3, HL-205, 0000:90:1e.0, 38 C\n"
    assert [(d.id, d.temperature_celsius, d.power_watts) for d in _devices(table + query)] == [("gaudi:3", 38, 97)]


@pytest.mark.parametrize(
    "text",
    [
        "HL-SMI Version: hl-1.18.0-fw-53.1.1.1",
        "|   0  NVIDIA A100         On  | 00000000:10:1C.0 Off |                    0 |",
        "| XPU  Name  Persistence-M| Bus-Id  Disp.A |\n|   0  P800 OAM  N/A  | 00000000:03:00.0 N/A |",
        "name, uuid, memory.total [MiB]\nNVIDIA H100, GPU-1, 81559 MiB",
        "hl-smi -Q name,uuid -f csv,noheader\nerror, again",
        "19:00.0 Processing accelerators: Habana Labs Ltd. Device",
        "index, name\n0, HDMI",
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
    for reader in readers_of("accel_gaudi"):
        assert not [d for reading in reader.read(text) for report in reading.reports for d in report.devices]


def test_hostile_text_is_read_to_its_end() -> None:
    for text in (
        "|   0  HL-225 " * 20_000,
        "[0] AIP (accel0) " * 20_000,
        "index, name, temperature.aip [C]\n" * 20_000,
        "hl-smi -Q " * 20_000,
        "| AIP\n" + "|   0" + " " * 100_000,
        " : " * 50_000,
        "0000:19:00.0 1da3:" * 10_000,
    ):
        for reader in readers_of("accel_gaudi"):
            list(reader.read(text))


@pytest.mark.skipif(not CORPUS, reason="ACCEL_CORPUS names no folder of recordings")
def test_recordings_give_as_many_devices_as_their_index_says() -> None:
    folder = Path(CORPUS or "") / "outputs/gaudi"
    for entry in json.loads((folder / "index.json").read_text()):
        assert len(_devices((folder / entry["file"]).read_text())) == entry["expected"]["device_count"], entry["file"]
