"""The machines with a fault: what they take away is the hardware's, and nothing else."""

from pathlib import Path

import pytest
import yaml

from accel.kit.situations import DENIED, LOST, SITUATIONS, ZERO, FaultyMachine
from accel.machine.recorded import RecordedMachine

pytestmark = pytest.mark.slow  # processes, and deadlines that run out

LIMIT = "/sys/fs/cgroup/memory.max"
DEVICE = "/sys/class/acme/acme0/memory"


@pytest.mark.parametrize("situation", [DENIED, LOST, ZERO])
def test_a_control_group_says_its_limit_where_the_hardware_says_nothing(situation: str, tmp_path: Path) -> None:
    files = {LIMIT: "512\n", "/proc/self/cgroup": "0::/\n", DEVICE: "64\n"}
    (tmp_path / "machine.yaml").write_text(yaml.safe_dump({"files": files}))
    machine = FaultyMachine(RecordedMachine(tmp_path), SITUATIONS[situation])
    assert machine.read(LIMIT) == "512\n"
    assert machine.read("/proc/self/cgroup") == "0::/\n"
    with pytest.raises(OSError):
        machine.read(DEVICE)
