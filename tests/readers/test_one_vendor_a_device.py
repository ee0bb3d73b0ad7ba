"""Of every hand-made text of every plugin, each device is claimed by the readers of one vendor."""

from functools import cache
from pathlib import Path

import pytest

from accel.model.device import Device
from accel.model.merge import merged_devices
from accel.plugins.registry import Registry
from accel.specs.store import parse
from accel.text.clean import clean
from accel.vendors.contract.backend import Reader

PLUGINS = Path(__file__).parents[2] / "plugins"
FOLDERS = tuple(folder for name in ("texts", "readers") for folder in sorted(PLUGINS.glob(f"*/tests/{name}")))
TEXTS = {f"{f.parts[-3]}/{p.stem}": p.read_text(encoding="utf-8") for f in FOLDERS for p in sorted(f.glob("*.txt"))} | {
    f"{folder.parts[-3]}/{name}": case["text"]
    for folder in FOLDERS
    for path in sorted(folder.glob("*.yaml"))
    for name, case in parse(str(path)).items()
    if isinstance(case, dict) and "text" in case
}
SEVERAL = {  # texts made of other vendors' outputs, and how many devices each vendor has in them
    "amd/hygon-json-is-not-ours": {"hygon": 1},
    "amd/rocm-smi-json-of-hygon-s-spoilt": {"hygon": 1},
    "amd/rocm-smi-text-beside-a-card-of-hygon-s": {"amd": 1, "hygon": 2},
    "amd/rocminfo-beside-hygon-s-agents": {"amd": 1, "hygon": 2},
    "ascend/foreign-nvidia-table": {"nvidia": 1},
    "cambricon/foreign-tables": {"nvidia": 1},
    "enflame/foreign-tables": {"nvidia": 1},
    "hygon/rocminfo": {"amd": 1, "hygon": 3},
    "hygon/table-of-amd": {"amd": 1},
    "hygon/text-of-gpu-lines": {"amd": 1, "hygon": 1},
    "iluvatar/foreign-tables": {"nvidia": 1},
    "iluvatar/list": {"iluvatar": 2, "nvidia": 1},
    "kunlun/foreign-tables": {"nvidia": 1},
    "metax/foreign-tables": {"nvidia": 1},
    "mthreads/foreign-query": {"nvidia": 1},
    "nvidia/another-first-column-is-another-vendor": {"gaudi": 1},
    "nvidia/collect-env-without-nvidia": {"amd": 1},
    "nvidia/topology-of-another-vendor": {"metax": 2},
}


@cache
def readers() -> tuple[Reader, ...]:
    return Registry({}).readers


def claims(text: str) -> dict[str, int]:
    """Return how many devices each vendor's readers find."""
    cleaned = clean(text)
    reports = [
        report
        for reader in readers()
        if not reader.signs or any(sign in cleaned for sign in reader.signs)
        for reading in reader.read(cleaned)
        for report in reading.reports
    ]
    devices: tuple[Device, ...] = merged_devices(reports)[0]
    counts: dict[str, int] = {}
    for device in devices:
        counts[device.backend] = counts.get(device.backend, 0) + 1
    return counts


@pytest.mark.parametrize("name", TEXTS)
def test_a_text_is_read_by_the_vendor_whose_tool_printed_it(name: str) -> None:
    found = claims(TEXTS[name])
    if name in SEVERAL:
        assert found == SEVERAL[name]
    else:
        assert set(found) <= {name.partition("/")[0]}
