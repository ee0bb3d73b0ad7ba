"""The control groups of a process, of both versions, on a host and inside a container."""

from pathlib import Path

import pytest
import yaml

from accel.collect.cgroups import Groups
from accel.machine.recorded import RecordedMachine

V2 = "30 24 0:27 / /sys/fs/cgroup rw,nosuid - cgroup2 cgroup2 rw,nsdelegate\n"
V1 = "34 31 0:32 / /sys/fs/cgroup/memory rw - cgroup cgroup rw,memory\n" + (
    "35 31 0:33 / /sys/fs/cgroup/cpu,cpuacct rw - cgroup cgroup rw,cpu,cpuacct\n"
)
INSIDE = "34 31 0:32 /docker/c1 /sys/fs/cgroup/memory ro - cgroup cgroup rw,memory\n"
CASES = {
    "version 2 on a host": (
        "0::/user.slice/session-3.scope\n",
        V2,
        ["/sys/fs/cgroup/user.slice/session-3.scope", "/sys/fs/cgroup/user.slice", "/sys/fs/cgroup"],
    ),
    "version 2 in a container that sees its own group as the root": ("0::/\n", V2, ["/sys/fs/cgroup"]),
    "version 1 on a host": (
        "4:memory:/jobs/71\n1:cpu,cpuacct:/\n",
        V1,
        ["/sys/fs/cgroup/memory/jobs/71", "/sys/fs/cgroup/memory/jobs", "/sys/fs/cgroup/memory"],
    ),
    "version 1 in a container": ("4:memory:/docker/c1\n", INSIDE, ["/sys/fs/cgroup/memory"]),
    "version 1 below a container's group": (
        "4:memory:/docker/c1/sub\n",
        INSIDE,
        ["/sys/fs/cgroup/memory/sub", "/sys/fs/cgroup/memory"],
    ),
    "both, and the controller is version 1's": (
        "4:memory:/a\n0::/b\n",
        V1 + V2.replace("/sys/fs/cgroup rw", "/sys/fs/cgroup/unified rw"),
        ["/sys/fs/cgroup/memory/a", "/sys/fs/cgroup/memory"],
    ),
    "nothing is told": ("", "", ["/sys/fs/cgroup"]),
    "a path that leaves its mount": ("0::/../../x\n", V2, ["/sys/fs/cgroup/x", "/sys/fs/cgroup"]),
}


def groups(folder: Path, cgroup: str, mountinfo: str, **files: str) -> Groups:
    told = {"/proc/self/cgroup": cgroup, "/proc/self/mountinfo": mountinfo, **files}
    (folder / "machine.yaml").write_text(
        yaml.safe_dump({"files": {k: v for k, v in told.items() if v}}), encoding="utf-8"
    )
    return Groups(RecordedMachine(folder))


@pytest.mark.parametrize("case", CASES)
def test_the_folders_go_from_the_own_group_to_the_root(case: str, tmp_path: Path) -> None:
    cgroup, mountinfo, folders = CASES[case]
    assert list(groups(tmp_path, cgroup, mountinfo).folders("memory")) == folders


def test_the_nearest_group_that_has_a_file_is_read(tmp_path: Path) -> None:
    files = {"/sys/fs/cgroup/user.slice/cpu.max": "200000 100000\n", "/sys/fs/cgroup/cpu.max": "max 100000\n"}
    found = groups(tmp_path, "0::/user.slice/session-3.scope\n", V2, **files)
    assert found.first("cpu", "cpu.max") == ("/sys/fs/cgroup/user.slice/cpu.max", "200000 100000")
    assert found.first("cpu", "cpu.none") is None
