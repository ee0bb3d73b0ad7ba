"""The limits of a live machine: known with their values, and named as a fault only where they are reached."""

from pathlib import Path
from typing import Any

import yaml

from accel.collect.limits import limits
from accel.diagnose.engine import diagnose
from accel.machine.recorded import RecordedMachine
from accel.model.observation import Limit, Observation
from accel.model.snapshot import Host, Snapshot
from accel.plugins.registry import Registry

_OWN = """\
Limit                     Soft Limit           Hard Limit           Units
Max cpu time              unlimited            unlimited            seconds
Max open files            1024                 1048576              files
Max locked memory         unlimited            unlimited            bytes
"""


def seen(folder: Path, **recorded: Any) -> tuple[Observation, ...]:
    (folder / "machine.yaml").write_text(yaml.safe_dump({"system": "linux", **recorded}), encoding="utf-8")
    found = limits(RecordedMachine(folder))
    assert all(one.grade == "measured" and one.source for one in found)
    return found


def findings(observations: tuple[Observation, ...]) -> list[str]:
    registry = Registry({})
    snapshot = Snapshot(host=Host(system="linux", containerized=True), observations=observations)
    return [finding.name for finding in diagnose(snapshot, registry.specs, registry.checks, registry.rules).findings]


def test_limits_are_known_and_are_no_fault(tmp_path: Path) -> None:
    files = {
        "/proc/self/limits": _OWN,
        "/sys/fs/cgroup/memory.max": "8589934592\n",
        "/sys/fs/cgroup/pids.max": "max\n",
        "/sys/fs/cgroup/pids.current": "12\n",
        "/proc/sys/fs/file-nr": "1024\t0\t9223372036854775807\n",
    }
    shm = {"/dev/shm": {"total_bytes": 67108864, "free_bytes": 67108864}}
    found = seen(tmp_path, files=files, filesystems=shm)
    assert {one.resource: one.value for one in found if isinstance(one, Limit)} == {
        "open_files": 1024,
        "memlock_bytes": None,
        "memory_bytes": 8589934592,
    }
    assert all(isinstance(one, Limit) for one in found)
    assert set(findings(found)) <= {"no-accelerator"}


def test_shared_memory_that_is_full_is_found(tmp_path: Path) -> None:
    full = {"/dev/shm": {"total_bytes": 67108864, "free_bytes": 4096}}
    assert "shm-too-small" in findings(seen(tmp_path, filesystems=full))


def test_a_system_without_a_free_file_is_found(tmp_path: Path) -> None:
    assert "too-many-open-files" in findings(seen(tmp_path, files={"/proc/sys/fs/file-nr": "99990\t0\t100000\n"}))


def test_a_cgroup_without_a_free_task_is_found(tmp_path: Path) -> None:
    files = {"/sys/fs/cgroup/pids.max": "64\n", "/sys/fs/cgroup/pids.current": "64\n"}
    assert "thread-limit-reached" in findings(seen(tmp_path, files=files))


def test_what_may_not_be_read_is_left_out(tmp_path: Path) -> None:
    assert seen(tmp_path) == ()


def test_of_several_groups_the_least_limit_counts(tmp_path: Path) -> None:
    files = {
        "/proc/self/cgroup": "0::/user.slice/job\n",
        "/proc/self/mountinfo": "30 24 0:27 / /sys/fs/cgroup rw - cgroup2 cgroup2 rw\n",
        "/sys/fs/cgroup/user.slice/job/memory.max": "max\n",
        "/sys/fs/cgroup/user.slice/memory.max": "8589934592\n",
        "/sys/fs/cgroup/user.slice/job/cpu.max": "400000 100000\n",
        "/sys/fs/cgroup/user.slice/cpu.max": "1600000 100000\n",
    }
    found = {one.resource: one.value for one in seen(tmp_path, files=files) if isinstance(one, Limit)}
    assert found == {"memory_bytes": 8589934592, "millicpus": 4000}


def test_the_limits_of_another_process_are_its_own(tmp_path: Path) -> None:
    files = {"/proc/71/limits": _OWN, "/proc/self/limits": _OWN.replace("1024", "4096")}
    links = {f"/proc/71/fd/{number}": "/dev/null" for number in range(1015)}
    (tmp_path / "machine.yaml").write_text(yaml.safe_dump({"files": files, "links": links}), encoding="utf-8")
    found = limits(RecordedMachine(tmp_path), 71)
    assert {one.value for one in found if isinstance(one, Limit) and one.resource == "open_files"} == {1024}
    assert "too-many-open-files" in findings(found)


def test_a_limit_of_version_1_that_is_none_is_none(tmp_path: Path) -> None:
    files = {
        "/proc/self/cgroup": "4:memory:/\n",
        "/proc/self/mountinfo": "1 0 0:1 / /sys/fs/cgroup/memory rw - cgroup cgroup rw,memory\n",
        "/sys/fs/cgroup/memory/memory.limit_in_bytes": "9223372036854771712\n",
    }
    assert seen(tmp_path, files=files) == ()
