"""What presses a live machine: facts, with their numbers, of the machine and of the control group."""

from pathlib import Path
from typing import Any

import yaml

from accel.collect.pressure import pressure
from accel.machine.live import LiveMachine
from accel.machine.recorded import RecordedMachine

STALL = (
    "some avg10=3.00 avg60=2.00 avg300=0.58 total=172656160\nfull avg10=1.00 avg60=0.42 avg300=0.52 total=65365048\n"
)
V2 = {
    "/proc/self/cgroup": "0::/job\n",
    "/proc/self/mountinfo": "30 24 0:27 / /sys/fs/cgroup rw - cgroup2 cgroup2 rw\n",
}


def facts(folder: Path, files: dict[str, str], **more: Any) -> list[tuple[str, dict[str, str]]]:
    (folder / "machine.yaml").write_text(yaml.safe_dump({"files": files, **more}), encoding="utf-8")
    found = pressure(RecordedMachine(folder))
    assert all(one.grade == "measured" and one.source for one in found)
    return [(one.fact, dict(one.values)) for one in found]


def test_the_waiting_of_the_machine_and_of_the_group_are_told_apart(tmp_path: Path) -> None:
    files = {"/proc/pressure/memory": STALL, "/sys/fs/cgroup/job/memory.pressure": STALL, **V2}
    shares = {"some_avg10": "3.00", "some_avg60": "2.00", "full_avg10": "1.00", "full_avg60": "0.42"}
    assert facts(tmp_path, files) == [
        ("pressure", {"resource": "memory", "whose": "machine", **shares}),
        ("pressure", {"resource": "memory", "whose": "control group", **shares}),
    ]


def test_the_throttling_and_the_kills_of_a_group_are_counted(tmp_path: Path) -> None:
    files = {
        "/sys/fs/cgroup/job/cpu.stat": "usage_usec 5\nnr_periods 1200\nnr_throttled 600\nthrottled_usec 7\n",
        "/sys/fs/cgroup/job/memory.events": "low 0\nmax 12\noom 3\noom_kill 3\n",
        **V2,
    }
    assert facts(tmp_path, files) == [
        ("cpu-throttled", {"periods": "1200", "throttled": "600"}),
        ("group-killed-for-memory", {"count": "3"}),
    ]


def test_a_group_of_version_1_tells_the_same(tmp_path: Path) -> None:
    files = {
        "/proc/self/cgroup": "4:memory:/job\n3:cpu,cpuacct:/job\n",
        "/proc/self/mountinfo": "1 0 0:1 / /sys/fs/cgroup/memory rw - cgroup cgroup rw,memory\n"
        "2 0 0:2 / /sys/fs/cgroup/cpu rw - cgroup cgroup rw,cpu,cpuacct\n",
        "/sys/fs/cgroup/cpu/job/cpu.stat": "nr_periods 10\nnr_throttled 0\nthrottled_time 0\n",
        "/sys/fs/cgroup/memory/job/memory.oom_control": "oom_kill_disable 0\nunder_oom 0\noom_kill 1\n",
    }
    assert [fact for fact, _ in facts(tmp_path, files)] == ["cpu-throttled", "group-killed-for-memory"]


def test_memory_swap_huge_pages_and_settings_are_facts(tmp_path: Path) -> None:
    files = {
        "/proc/meminfo": "MemTotal: 1024 kB\nMemAvailable: 512 kB\nSwapTotal: 8 kB\nSwapFree: 2 kB\n"
        "HugePages_Total:      4\nHugePages_Free:        3\nHugepagesize:       2048 kB\n",
        "/sys/kernel/mm/transparent_hugepage/enabled": "always [madvise] never\n",
        "/sys/devices/system/cpu/cpu0/cpufreq/scaling_governor": "powersave\n",
    }
    assert facts(tmp_path, files) == [
        ("memory-use", {"total": "1048576", "available": "524288"}),
        ("swap-use", {"total": "8192", "used": "6144"}),
        ("huge-pages", {"total": "4", "free": "3", "size": "2097152"}),
        ("transparent-huge-pages", {"mode": "madvise"}),
        ("cpu-governor", {"governor": "powersave"}),
    ]


def test_what_is_not_there_or_is_nonsense_tells_nothing(tmp_path: Path) -> None:
    files = {"/proc/pressure/cpu": "\x00\xff nonsense", "/proc/meminfo": "MemTotal: many kB\n"}
    assert facts(tmp_path, files) == []
    assert facts(tmp_path, {"/proc/meminfo": "MemTotal: 1 kB\nMemAvailable: 1 kB\n"}, system="windows") == []


def test_this_machine_is_read() -> None:
    machine = LiveMachine()
    if machine.system == "linux":
        assert {one.fact for one in pressure(machine)} >= {"memory-use"}
