"""Recorded outputs of npu-smi, kept outside this repository: their folder is named by ACCEL_CORPUS."""

import json
import os
from pathlib import Path
from typing import Any

import pytest

from accel.model.device import Device
from accel.model.merge import merged_devices
from accel.vendors.toolkit.members import readers_of

CORPUS = Path(os.environ.get("ACCEL_CORPUS", "/nonexistent")) / "outputs" / "ascend"

pytestmark = pytest.mark.skipif(not (CORPUS / "index.json").exists(), reason="ACCEL_CORPUS names no corpus")


def entries() -> list[Any]:
    if not (CORPUS / "index.json").exists():
        return []
    return [
        pytest.param(entry, id=entry["file"])
        for entry in json.loads((CORPUS / "index.json").read_text())
        if (CORPUS / entry["file"]).exists()
    ]


def devices_of(text: str) -> tuple[Device, ...]:
    reports = [
        report
        for reader in readers_of("accel_ascend")
        if not reader.signs or any(sign in text for sign in reader.signs)
        for reading in reader.read(text)
        for report in reading.reports
    ]
    return merged_devices(reports)[0]


@pytest.mark.parametrize("entry", entries())
def test_a_recording_gives_its_devices(entry: dict[str, Any]) -> None:
    expected = entry.get("expected") or {}
    found = devices_of((CORPUS / entry["file"]).read_text(errors="replace"))
    wanted = expected.get("devices", expected.get("chips"))
    if wanted is None:
        count = expected.get("device_count", expected.get("chip_count"))
        assert count is None or len(found) == count
        return
    assert len(found) == len(wanted)
    for want in wanted:
        if "bus_id" not in want or want["bus_id"] is None:
            continue
        same = [d for d in found if d.pci_address and d.pci_address.endswith(want["bus_id"].lower())]
        assert same, want["bus_id"]
        assert any(device.memory_total_bytes == want["memory_total_mib"] << 20 for device in same)
        assert any(device.memory_used_bytes == want["memory_used_mib"] << 20 for device in same)
