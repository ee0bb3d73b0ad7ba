"""The readers against recorded outputs of nvidia-smi, kept outside of the project: set ACCEL_CORPUS to their folder."""

import json
import os
from pathlib import Path
from typing import Any

import pytest

from accel.model.device import Device
from accel.model.merge import merged_devices
from accel.vendors.contract.backend import has_sign
from accel.vendors.toolkit.members import readers_of

_FOLDER = Path(os.environ.get("ACCEL_CORPUS", "")) / "outputs" / "nvidia"
_INDEX = _FOLDER / "index.json"
_ENTRIES = json.loads(_INDEX.read_text(encoding="utf-8")) if os.environ.get("ACCEL_CORPUS") and _INDEX.exists() else []
_FIELDS = {
    "utilization_gpu_percent": ("utilization_percent", 1),
    "temperature_c": ("temperature_celsius", 1),
    "power_draw_w": ("power_watts", 1),
    "power_limit_w": ("power_limit_watts", 1),
    "memory_total_mib": ("memory_total_bytes", 2**20),
    "memory_used_mib": ("memory_used_bytes", 2**20),
    "fan_percent": ("fan_percent", 1),
}

pytestmark = pytest.mark.skipif(not _ENTRIES, reason="ACCEL_CORPUS is not set: no recordings")


def _devices(text: str) -> tuple[Device, ...]:
    readings = [g for r in readers_of("accel_nvidia") if has_sign(r, text.lower()) for g in r.read(text)]
    return merged_devices(report for reading in readings for report in reading.reports)[0]


@pytest.mark.parametrize("entry", _ENTRIES, ids=lambda entry: str(entry["file"]))
def test_a_recording_gives_the_facts_that_were_noted(entry: dict[str, Any]) -> None:
    devices = _devices((_FOLDER / entry["file"]).read_text(encoding="utf-8"))
    wanted = (entry.get("expected") or {}).get("devices")
    if wanted is None:
        return
    whole = [device for device in devices if device.parent is None]
    assert [d.index for d in whole] == [w.get("index", place) for place, w in enumerate(wanted)]
    for device, want in zip(whole, wanted, strict=True):
        for key, (field, unit) in _FIELDS.items():
            if key in want and (key != "power_draw_w" or want[key] is None):
                value = None if want[key] is None else want[key] * unit
                assert getattr(device, field) == value, f"{device.id} {field}"
