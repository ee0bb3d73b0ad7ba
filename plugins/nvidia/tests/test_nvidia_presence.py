"""Whether NVIDIA's hardware may be here, asked without loading anything."""

from pathlib import Path

import pytest
import yaml
from accel_nvidia.backend import NvidiaBackend

from accel.machine.recorded import RecordedMachine

_BOARD = "/sys/bus/pci/devices/0000:01:00.0"


@pytest.mark.parametrize(
    ("recorded", "here"),
    [
        ({"system": "windows", "libraries": ["nvml.dll"]}, True),
        ({"system": "windows"}, False),
        ({"libraries": ["libnvidia-ml.so.1"]}, True),
        ({"nodes": ["/dev/dxg"]}, True),
        ({"files": {f"{_BOARD}/vendor": "0x10de\n", f"{_BOARD}/device": "0x2330\n"}}, True),
        ({}, False),
    ],
)
def test_a_library_a_node_or_a_board_on_the_bus_is_a_sign(
    recorded: dict[str, object], here: bool, tmp_path: Path
) -> None:
    (tmp_path / "machine.yaml").write_text(yaml.safe_dump(recorded))
    assert NvidiaBackend().detect(RecordedMachine(tmp_path)) is here
