"""The readers of texts about TPUs."""

import json
import os
from pathlib import Path
from typing import Any

import pytest
from accel_tpu.accelerator_type import accelerator_type
from hypothesis import given, settings
from hypothesis import strategies as st

from accel.model.device import Device
from accel.model.merge import merged_devices
from accel.model.observation import Noted
from accel.specs import load
from accel.specs.store import parse
from accel.vendors.contract.backend import Reading
from accel.vendors.toolkit.members import readers_of

HERE = Path(__file__).parent / "texts"
EXPECTED: dict[str, list[dict[str, Any]]] = parse(str(HERE / "expected.yaml"))


def _readings(text: str) -> list[Reading]:
    return [
        reading
        for reader in readers_of("accel_tpu")
        if not reader.signs or any(sign in text for sign in reader.signs)
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
def test_a_text_gives_its_devices_and_no_other(name: str) -> None:
    devices = _devices((HERE / name).read_text())
    assert len(devices) == len(EXPECTED[name])
    for device, wanted in zip(devices, EXPECTED[name], strict=True):
        assert {key: _shown(device, key) for key in wanted} == wanted


def test_every_text_is_expected_and_described() -> None:
    provenance = (HERE / "PROVENANCE.md").read_text()
    for path in HERE.glob("*.txt"):
        assert path.name in EXPECTED
        assert path.name in provenance


def test_versions_become_packages_and_the_driver() -> None:
    (reading,) = _readings((HERE / "tpu_info_version.txt").read_text())
    assert reading.environment is not None
    assert [(p.name, p.version) for p in reading.environment.packages or ()] == [
        ("tpu-info", "0.11.0"),
        ("libtpu", "0.0.24.1"),
    ]
    assert reading.reports[0].driver is not None
    assert reading.reports[0].driver.library_version == "0.0.24.1"


def test_a_version_that_is_not_available_is_a_gap() -> None:
    (reading,) = _readings((HERE / "tpu_info_version_na.txt").read_text())
    assert reading.reports[0].driver is None
    assert [gap.fact for gap in reading.reports[0].gaps] == ["libtpu version"]


def test_without_metrics_the_memory_is_not_known_and_the_gap_says_why() -> None:
    (reading,) = _readings((HERE / "tpu_info_no_metrics.txt").read_text())
    assert {gap.fact for gap in reading.reports[0].gaps} == {"memory_total_bytes", "utilization_percent"}
    assert all("program" in gap.reason for gap in reading.reports[0].gaps)


def test_rows_of_use_that_do_not_fit_the_chips_are_not_dealt_out() -> None:
    text = (HERE / "tpu_info_boxes_v3.txt").read_text().replace("│ 3      │  0.00 GiB / 16.00 GiB │      0.00% │\n", "")
    devices = _devices(text)
    assert len(devices) == 2
    assert {device.memory_used_bytes for device in devices} == {None}


def test_a_cut_table_gives_the_rows_it_has() -> None:
    text = (HERE / "tpu_info_markdown_v5e.txt").read_text()
    devices = _devices(text[: text.index("| /dev/vfio/5")])
    assert [(d.name, d.memory_total_bytes) for d in devices] == [("TPU v5e", None)]


def test_chips_are_counted_once_where_jax_lists_their_cores_too() -> None:
    jax = "[TpuDevice(id=0, process_index=0, coords=(0,0,0), core_on_chip=0), TpuDevice(id=3, process_index=0)]\n"
    assert len(_devices((HERE / "tpu_info_boxes_v3.txt").read_text() + jax)) == 2


@pytest.mark.parametrize(
    "text",
    [
        "/dev/accel0 and /dev/vfio/0 are there",
        "| /dev/vfio/0 | TPU v6e chip | 1 | 7 |",
        "| GPU  PID  Type  Process name |\n| 0  1234  C  python |\n/dev/accel0",
        "class TpuDevice(Device): pass\nTPU_VISIBLE_CHIPS=0 TPU_0",
        "[CpuDevice(id=0)] [CudaDevice(id=0)] GpuDevice(id=1)",
        "jax.devices (8 total, 8 local): []",
        "00:04.0 Ethernet controller: Google, Inc. gVNIC [1ae0:0042]",
    ],
)
def test_what_is_no_list_of_tpus_gives_none(text: str) -> None:
    assert _devices(text) == ()


_ALL = [path.read_text() for path in sorted(HERE.glob("*.txt"))]


@settings(max_examples=60, deadline=None)
@given(st.sampled_from(_ALL), st.integers(0, 2000), st.integers(0, 2000), st.text(max_size=30))
def test_cut_and_dirty_texts_never_raise_and_invent_nothing(text: str, start: int, end: int, dirt: str) -> None:
    most = len(_devices(text))
    assert len(_devices(text[:end])) <= max(most, 8)
    _devices(text[start:] + dirt)
    _devices(text.replace(" ", dirt, 5))


@settings(max_examples=40, deadline=None)
@given(st.text(max_size=400))
def test_foreign_text_gives_no_device(text: str) -> None:
    for reader in readers_of("accel_tpu"):
        assert not [d for reading in reader.read(text) for report in reading.reports for d in report.devices]


def test_hostile_text_is_read_to_its_end() -> None:
    for text in (
        "|" * 100_000,
        "TpuDevice(id=1," + "(" * 100_000,
        "| type | pid |\n" * 20_000,
        "device info: TPU " * 20_000,
    ):
        _devices(text)


def test_the_description_of_a_vm_is_read_in_every_form() -> None:
    def described(text: str) -> list[dict[str, str]]:
        noted = [o for r in _readings(text) for o in r.observations]
        return [{"fact": o.fact, **dict(o.values)} for o in noted if isinstance(o, Noted)]

    command = "gcloud compute tpus tpu-vm create a --accelerator-type=v5litepod-8 --version=tpu-vm-base"
    assert described(command) == [
        {"fact": "tpu-type", "type": "v5litepod-8", "labelled": "yes"},
        {"fact": "tpu-runtime", "version": "tpu-vm-base"},
    ]
    assert described("(TPU v4-32)") == [{"fact": "tpu-type", "type": "v4-32", "labelled": "no"}]
    assert described("nodepool of ct6e-standard-4t, TPU v6e-16")[1] == {"fact": "tpu-host-chips", "chips": "4"}
    for nothing in ("release v4-32 of our tool", "works on TPU v4-8", "TPU image v3-10-rc1", "tpu v2-8.1"):
        assert described(nothing) == [], nothing


@pytest.mark.parametrize(
    ("name", "chips", "hosts"),
    [
        ("v3-8", 4, 1),
        ("v4-16", 8, 2),
        ("v5p-64", 32, 8),
        ("v5litepod-8", 8, 1),
        ("v6e-16", 16, 4),
        ("v5e-16", 16, None),
    ],
)
def test_a_type_stands_for_chips_and_hosts(name: str, chips: int, hosts: int) -> None:
    known = accelerator_type(name, load())
    assert known is not None
    assert (known.chips, known.hosts) == (chips, hosts or None)


def test_what_is_no_type_is_none() -> None:
    assert [accelerator_type(name, load()) for name in ("v4-7", "v9-8", "v4", "v5p-0")] == [None] * 4


CORPUS = os.environ.get("ACCEL_CORPUS")


@pytest.mark.skipif(not CORPUS, reason="ACCEL_CORPUS names no folder of recordings")
def test_recordings_give_as_many_devices_as_their_index_says() -> None:
    folder = Path(CORPUS or "") / "outputs/google_tpu"
    for entry in json.loads((folder / "index.json").read_text()):
        expected = entry["expected"]
        listed = next((expected[k] for k in ("devices", "chips") if isinstance(expected.get(k), list)), None)
        if listed is not None and all(isinstance(item, dict) for item in listed):
            assert len(_devices((folder / entry["file"]).read_text())) == len(listed), entry["file"]
