"""Texts of five vendors' tools: plugins/<vendor>/tests/texts/<name>.txt, with the devices of each in expected.yaml.

What a text says is read, however it was pasted; no text raises, and a part of one or a foreign one invents nothing.
"""

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
from accel.text.clean import clean
from accel.vendors.contract.backend import Reading
from accel.vendors.toolkit.members import readers_of

CORPUS = Path(os.environ.get("ACCEL_CORPUS", "/nonexistent")) / "outputs"
PLUGINS = Path(__file__).parents[2] / "plugins"
NO_DEVICE: dict[str, list[str]] = {
    "apple": [
        "Chipset Model:",
        "The Chipset Model: of my Mac",
        "Chip: Apple M1\nTotal Number of Cores: 8\nMemory: 16 GB",
        '{"SPDisplaysDataType": [{"sppci_cores": "8"}]}',
        '{"SPDisplaysDataType": "Apple M1"}',
        "[GPU] Apple M1 Max",
    ],
    "gaudi": [
        "HL-SMI Version: hl-1.18.0-fw-53.1.1.1",
        "|   0  NVIDIA A100         On  | 00000000:10:1C.0 Off |                    0 |",
        "| XPU  Name  Persistence-M| Bus-Id  Disp.A |\n|   0  P800 OAM  N/A  | 00000000:03:00.0 N/A |",
        "name, uuid, memory.total [MiB]\nNVIDIA H100, GPU-1, 81559 MiB",
        "hl-smi -Q name,uuid -f csv,noheader\nerror, again",
        "19:00.0 Processing accelerators: Habana Labs Ltd. Device",
        "index, name\n0, HDMI",
    ],
    "intel": [
        "| XPU-SMI               Driver Version: 5.0.21.21    XPU-RT Version: 5.0.21   |\n|   0  P800 OAM |",
        "| Device ID | Device Information |\n| 0 | Device Name: P800 |\n| | Vendor Name: Kunlun |",
        "Device ID,Device Name\n0,P800",
        "Timestamp, DeviceId, GPU Power (W)",
        "Timestamp, DeviceId, TileId, GPU Utilization (%)\n06:14:46.000, 0, 0, 35.00\n",
        '{"device_id": 0, "device_name": "NVIDIA H100"}',
        "[cuda:gpu][cuda:0] NVIDIA CUDA BACKEND, NVIDIA A100 8.0 [CUDA 12.4]",
        "expect 8 [level_zero:gpu]",
        "[opencl:gpu][opencl:1] rusticl, Mesa AMD Radeon OpenCL 3.0 [25.0]",
    ],
    "neuron": [
        "| NEURON | PCI |\n| a | b |",
        "| NEURON | NEURON |\n| DEVICE | CORES |\n| 0 | 4 |",
        '[{"neuron_device": "x"}]',
        '[{"neuron_device": 0}]',
        '{"neuron_hardware_info": {"neuron_device_count": 1000000}}',
        '{"neuron_hardware_info": null}',
        "00:05.0 Ethernet controller: Amazon.com, Inc. Elastic Network Adapter [1d0f:ec20]",
        "the neuron 0 of layer 7 has 96 GB",
    ],
    "tpu": [
        "/dev/accel0 and /dev/vfio/0 are there",
        "| /dev/vfio/0 | TPU v6e chip | 1 | 7 |",
        "| GPU  PID  Type  Process name |\n| 0  1234  C  python |\n/dev/accel0",
        "class TpuDevice(Device): pass\nTPU_VISIBLE_CHIPS=0 TPU_0",
        "[CpuDevice(id=0)] [CudaDevice(id=0)] GpuDevice(id=1)",
        "jax.devices (8 total, 8 local): []",
        "00:04.0 Ethernet controller: Google, Inc. gVNIC [1ae0:0042]",
    ],
}
HOSTILE: dict[str, tuple[str, ...]] = {
    "apple": (
        "Chipset Model: " * 20_000,
        '{"a":' * 50_000 + '"SPDisplaysDataType"',
        '{"SPDisplaysDataType": [\n' * 20_000,
        "Chipset Model: x\n" + "A" * 100_000 + ":",
        "Chipset Model: x\n" + ("A " * 50_000),
    ),
    "gaudi": (
        "|   0  HL-225 " * 20_000,
        "[0] AIP (accel0) " * 20_000,
        "index, name, temperature.aip [C]\n" * 20_000,
        "hl-smi -Q " * 20_000,
        "| AIP\n" + "|   0" + " " * 100_000,
        " : " * 50_000,
        "0000:19:00.0 1da3:" * 10_000,
    ),
    "intel": (
        "| Device ID | Device Information |\n" * 20_000,
        '{"device_name":' * 50_000,
        "[level_zero:gpu][level_zero:0] " * 10_000,
        "[level_zero:gpu][level_zero:0] Intel, " + "a " * 50_000,
        "Timestamp, DeviceId\n" * 20_000,
        "Device ID,Device Name\n" + '"' * 100_000,
    ),
    "neuron": (
        "| NEURON | PCI |\n" * 20_000,
        "[" * 100_000 + '"neuron_device"',
        '{"a":' * 50_000 + '"neuron_hardware_info"',
        '[{"neuron_device": \n' * 20_000,
        "| NEURON " * 20_000,
        "0000:19:00.0 1d0f:7" * 10_000,
    ),
    "tpu": (
        "|" * 100_000,
        "TpuDevice(id=1," + "(" * 100_000,
        "| type | pid |\n" * 20_000,
        "device info: TPU " * 20_000,
    ),
}
VENDORS = tuple(NO_DEVICE)
EXPECTED: dict[str, list[dict[str, Any]]] = {
    f"{vendor}/{name}": devices
    for vendor in VENDORS
    for name, devices in parse(str(PLUGINS / vendor / "tests/texts/expected.yaml")).items()
}
CHANGES = {
    "as it is": lambda text: text,
    "quoted": lambda text: clean("\n".join(f"> {line}" for line in text.splitlines())),
    "indented": lambda text: clean("It says\n" + "\n".join(f"    {line}" for line in text.splitlines())),
    "with CRLF": lambda text: clean("\r\n".join(text.splitlines())),
}
# Without the part that says which chips there are, each of its lists is counted from 0.
COUNTED_AGAIN = {"tpu": 8}


def text_of(name: str) -> str:
    vendor, _, file = name.partition("/")
    return (PLUGINS / vendor / "tests/texts" / file).read_text()


def readings(vendor: str, text: str) -> list[Reading]:
    return [
        reading
        for reader in readers_of(f"accel_{vendor}")
        if not reader.signs or any(sign in text for sign in reader.signs)
        for reading in reader.read(text)
    ]


def devices(vendor: str, text: str) -> tuple[Device, ...]:
    return merged_devices(report for reading in readings(vendor, text) for report in reading.reports)[0]


def shown(device: Device, name: str) -> object:
    if name == "pids":
        return None if device.processes is None else [process.pid for process in device.processes]
    value = getattr(device, name)
    return list(value) if isinstance(value, tuple) else value


@pytest.mark.parametrize("name", EXPECTED)
@pytest.mark.parametrize("change", CHANGES)
def test_a_text_gives_its_devices_and_no_other(name: str, change: str) -> None:
    found = devices(name.partition("/")[0], CHANGES[change](text_of(name)))
    assert len(found) == len(EXPECTED[name])
    for device, wanted in zip(found, EXPECTED[name], strict=True):
        assert {key: shown(device, key) for key in wanted} == wanted


@pytest.mark.parametrize("vendor", VENDORS)
def test_every_text_is_expected_and_described(vendor: str) -> None:
    folder = PLUGINS / vendor / "tests/texts"
    provenance = (folder / "PROVENANCE.md").read_text()
    for path in folder.glob("*.txt"):
        assert f"{vendor}/{path.name}" in EXPECTED
        assert path.name in provenance


@pytest.mark.parametrize(("vendor", "text"), [(vendor, text) for vendor in VENDORS for text in NO_DEVICE[vendor]])
def test_what_lists_no_device_of_a_vendor_gives_none(vendor: str, text: str) -> None:
    assert devices(vendor, text) == ()


@settings(max_examples=300, deadline=None)
@given(st.sampled_from(sorted(EXPECTED)), st.integers(0, 3000), st.integers(0, 3000), st.text(max_size=30))
def test_cut_and_dirty_texts_never_raise_and_invent_nothing(name: str, start: int, end: int, dirt: str) -> None:
    vendor, text = name.partition("/")[0], text_of(name)
    most = max(len(devices(vendor, text)), COUNTED_AGAIN.get(vendor, 0))
    assert len(devices(vendor, text[:end])) <= most
    assert len(devices(vendor, text[start:])) <= most
    devices(vendor, text[start:] + dirt)
    devices(vendor, text.replace(" ", dirt, 5))


@settings(max_examples=40, deadline=None)
@given(st.text(max_size=400))
def test_foreign_text_gives_no_device(text: str) -> None:
    for vendor in VENDORS:
        for reader in readers_of(f"accel_{vendor}"):
            assert not [d for reading in reader.read(text) for report in reading.reports for d in report.devices]


@pytest.mark.parametrize("vendor", VENDORS)
def test_hostile_text_is_read_to_its_end(vendor: str) -> None:
    for text in HOSTILE[vendor]:
        for reader in readers_of(f"accel_{vendor}"):
            list(reader.read(text))


@pytest.mark.skipif(not CORPUS.is_dir(), reason="ACCEL_CORPUS names no corpus")
@pytest.mark.parametrize("vendor", ["apple", "gaudi", "neuron", "tpu"])
def test_recordings_give_as_many_devices_as_their_index_says(vendor: str) -> None:
    folder = CORPUS / ("google_tpu" if vendor == "tpu" else vendor)
    for entry in json.loads((folder / "index.json").read_text()):
        expected = entry["expected"]
        listed = next((expected[k] for k in ("devices", "chips") if isinstance(expected.get(k), list)), None)
        count = expected.get("device_count")
        if vendor == "tpu":
            count = len(listed) if listed is not None and all(isinstance(item, dict) for item in listed) else None
        if count is not None:
            assert len(devices(vendor, (folder / entry["file"]).read_text())) == count, entry["file"]


def test_a_display_is_no_gpu_and_tells_nothing_of_one() -> None:
    (device,) = devices("apple", text_of("apple/displays_m3.txt"))
    assert device.vendor == "Apple"


def test_cores_of_the_processor_are_not_those_of_the_gpu() -> None:
    text = text_of("apple/displays_m3.txt").replace("      Total Number of Cores: 14\n", "")
    assert [getattr(device, "core_count", 0) for device in devices("apple", text)] == [None]


@pytest.mark.parametrize(
    ("vendor", "text", "ids"),
    [
        (
            "apple",
            "      Chipset Model: Apple M1 Ultra\n      Bus: Built-In\n\n" + text_of("apple/displays_json_m1.txt"),
            ["apple:0"],
        ),
        (
            "gaudi",
            text_of("gaudi/hl_smi_gaudi1_narrow.txt")
            + "index, name, bus_id, temperature.aip [C]\n3, HL-205, 0000:90:1e.0, 38 C\n",
            ["gaudi:3"],
        ),
        (
            "neuron",
            text_of("neuron/neuron_ls_trn2_core_ids.txt") + text_of("neuron/neuron_ls_json_trn2.txt"),
            ["neuron:0"],
        ),
    ],
)
def test_two_forms_of_one_machine_are_one_list(vendor: str, text: str, ids: list[str]) -> None:
    found = devices(vendor, text)
    assert [device.id for device in found] == ids
    if vendor == "gaudi":
        assert (found[0].temperature_celsius, found[0].power_watts) == (38, 97)


def test_gaudis_tool_and_driver_have_versions_of_their_own() -> None:
    (reading,) = readings("gaudi", text_of("gaudi/hl_smi_gaudi2_processes.txt"))
    driver = reading.reports[0].driver
    assert driver is not None
    assert (driver.version, driver.library_version) == ("1.20.0-bd87f71", "hl-1.20.0-fw-58.1.1.1")
    assert driver.firmware_version == "58.1.1.1"


def test_processes_that_are_not_shown_are_a_gap_and_not_none() -> None:
    (reading,) = readings("gaudi", text_of("gaudi/hl_smi_gaudi2_processes.txt"))
    assert [(gap.fact, gap.device) for gap in reading.reports[0].gaps] == [("processes", "gaudi:1")]


@pytest.mark.parametrize(
    ("name", "cut_at", "rows"),
    [
        ("gaudi/hl_smi_gaudi2_processes.txt", "| N/A   41C", [("gaudi:0", "HL-225", None, None)]),
        ("neuron/neuron_ls_trn1_wide.txt", "| 1      | 2", [("neuron:0", "Trainium1", 34359738368, None)]),
        ("tpu/tpu_info_markdown_v5e.txt", "| /dev/vfio/5", [("tpu:0", "TPU v5e", None, None)]),
    ],
)
def test_a_cut_table_gives_the_rows_it_has(
    name: str, cut_at: str, rows: list[tuple[str, str, int | None, float | None]]
) -> None:
    text = text_of(name)
    found = devices(name.partition("/")[0], text[: text.index(cut_at)])
    assert [(d.id, d.name, d.memory_total_bytes, d.temperature_celsius) for d in found] == rows


def test_the_version_of_level_zero_is_the_librarys() -> None:
    (reading,) = readings("intel", text_of("intel/sycl_ls.txt"))
    assert reading.reports[0].driver is not None
    assert reading.reports[0].driver.library_version == "1.3.31294"


def test_virtual_functions_are_no_devices() -> None:
    text = text_of("intel/xpu_smi_discovery.txt").replace("Function Type: physical", "Function Type: virtual ", 1)
    assert [device.id for device in devices("intel", text)] == ["intel:1"]


def test_a_domain_that_is_not_printed_is_not_known() -> None:
    (device,) = devices("neuron", text_of("neuron/neuron_ls_inf2.txt"))
    assert device.pci_address is None


def test_what_neuron_monitor_says_of_a_missing_driver_is_a_gap() -> None:
    (reading,) = readings("neuron", text_of("neuron/neuron_monitor_no_driver.txt"))
    assert [gap.reason for gap in reading.reports[0].gaps] == ["failed to open the driver"]


def test_versions_become_packages_and_the_driver() -> None:
    (reading,) = readings("tpu", text_of("tpu/tpu_info_version.txt"))
    assert reading.environment is not None
    assert [(p.name, p.version) for p in reading.environment.packages or ()] == [
        ("tpu-info", "0.11.0"),
        ("libtpu", "0.0.24.1"),
    ]
    assert reading.reports[0].driver is not None
    assert reading.reports[0].driver.library_version == "0.0.24.1"


def test_a_version_that_is_not_available_is_a_gap() -> None:
    (reading,) = readings("tpu", text_of("tpu/tpu_info_version_na.txt"))
    assert reading.reports[0].driver is None
    assert [gap.fact for gap in reading.reports[0].gaps] == ["libtpu version"]


def test_without_metrics_the_memory_is_not_known_and_the_gap_says_why() -> None:
    (reading,) = readings("tpu", text_of("tpu/tpu_info_no_metrics.txt"))
    assert {gap.fact for gap in reading.reports[0].gaps} == {"memory_total_bytes", "utilization_percent"}
    assert all("program" in gap.reason for gap in reading.reports[0].gaps)


def test_rows_of_use_that_do_not_fit_the_chips_are_not_dealt_out() -> None:
    text = text_of("tpu/tpu_info_boxes_v3.txt").replace("│ 3      │  0.00 GiB / 16.00 GiB │      0.00% │\n", "")
    assert [device.memory_used_bytes for device in devices("tpu", text)] == [None, None]


def test_chips_are_counted_once_where_jax_lists_their_cores_too() -> None:
    jax = "[TpuDevice(id=0, process_index=0, coords=(0,0,0), core_on_chip=0), TpuDevice(id=3, process_index=0)]\n"
    assert len(devices("tpu", text_of("tpu/tpu_info_boxes_v3.txt") + jax)) == 2


def test_the_description_of_a_vm_is_read_in_every_form() -> None:
    def described(text: str) -> list[dict[str, str]]:
        noted = [o for r in readings("tpu", text) for o in r.observations]
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
def test_a_type_stands_for_chips_and_hosts(name: str, chips: int, hosts: int | None) -> None:
    known = accelerator_type(name, load())
    assert known is not None
    assert (known.chips, known.hosts) == (chips, hosts)


def test_what_is_no_type_is_none() -> None:
    assert [accelerator_type(name, load()) for name in ("v4-7", "v9-8", "v4", "v5p-0")] == [None] * 4
