"""The kernel's settings, the mount of temporary files and the microcode are read, and judged by the table."""

from pathlib import Path
from typing import Any

import yaml

from accel.collect.places import places
from accel.collect.settings import settings
from accel.diagnose.engine import diagnose
from accel.machine.recorded import RecordedMachine
from accel.model.observation import Noted
from accel.model.snapshot import Host, Snapshot
from accel.plugins.registry import Registry

_REGISTRY = Registry({})
_CLOCK = "/sys/devices/system/clocksource/clocksource0/current_clocksource"


def read(folder: Path, **recorded: Any) -> tuple[Noted, ...]:
    (folder / "machine.yaml").write_text(yaml.safe_dump({"system": "linux", **recorded}), encoding="utf-8")
    return settings(RecordedMachine(folder), _REGISTRY.specs.table("system/settings") or {})


def names(noted: tuple[Noted, ...]) -> set[str]:
    snapshot = Snapshot(host=Host(system="linux"), observations=noted)
    judged = diagnose(snapshot, _REGISTRY.specs, _REGISTRY.checks, _REGISTRY.rules)
    return {finding.name for finding in judged.findings if finding.code.startswith("AC29")}


def test_settings_that_hold_accelerators_back_are_found(tmp_path: Path) -> None:
    files = {
        "/proc/sys/kernel/numa_balancing": "1\n",
        "/proc/sys/vm/overcommit_memory": "2\n",
        _CLOCK: "hpet\n",
        "/proc/mounts": "/dev/sda1 / ext4 rw 0 0\ntmpfs /tmp tmpfs rw,nosuid,noexec 0 0\ntmpfs /tmpfs tmpfs rw 0 0\n",
        "/proc/cpuinfo": "processor\t: 0\nmicrocode\t: 0x2b000590\n\nprocessor\t: 1\nmicrocode\t: 0x2b000571\n",
    }
    assert names(read(tmp_path, files=files)) == {
        *("numa-balancing-on", "overcommit-strict", "clock-source-slow"),
        *("temporary-folder-noexec", "microcodes-unlike"),
    }


def test_good_settings_are_known_and_no_fault(tmp_path: Path) -> None:
    files = {
        "/proc/sys/kernel/numa_balancing": "0\n",
        _CLOCK: "tsc\n",
        "/run/systemd/timesync/synchronized": "",
        "/proc/mounts": "/dev/sda1 / ext4 rw,relatime 0 0\ntmpfs /tmp/mine tmpfs rw,noexec 0 0\n",
        "/proc/cpuinfo": "microcode\t: 0x2b000590\nmicrocode\t: 0x2b000590\n",
    }
    noted = read(tmp_path, files=files)
    assert names(noted) == set()
    assert dict(noted[0].values) == {"numa_balancing": "0", "clock_source": "tsc", "synchronized": "yes"}
    assert dict(noted[1].values) == {"path": "/tmp", "options": "rw,relatime"}


def test_the_folder_that_tmpdir_names_counts(tmp_path: Path) -> None:
    files = {"/proc/mounts": "/dev/sda1 / ext4 rw,noexec 0 0\ntmpfs /scratch tmpfs rw 0 0\n"}
    assert names(read(tmp_path, files=files, environment={"TMPDIR": "/scratch/anna"})) == set()


def test_processors_that_are_switched_off_are_counted_unless_only_their_second_threads_are(tmp_path: Path) -> None:
    cpu = "/sys/devices/system/cpu"
    files = {f"{cpu}/present": "0-103\n", f"{cpu}/online": "0-11,13-103\n", f"{cpu}/smt/control": "on\n"}

    def told(**more: str) -> set[str]:
        changed = {**files, **{f"{cpu}/{name.replace('_', '/')}": text for name, text in more.items()}}
        return {one.fact for one in read(tmp_path, files=changed)}

    assert told() == {"processors-online", "processors-offline"}
    assert told(online="0-51\n", smt_control="off\n") == {"processors-online"}
    assert told(online="all\n") == set()
    assert {one.fact for one in read(tmp_path, files={**files, "/sys/hypervisor/type": "xen\n"})} == {
        "processors-online"
    }


def test_a_cache_of_compiled_kernels_on_a_file_server_is_told(tmp_path: Path) -> None:
    mounts = "30 24 8:1 / / rw - ext4 /dev/sda1 rw\n31 30 0:5 / /home rw - nfs4 srv:/home rw\n"
    recorded = {
        "files": {"/proc/self/mountinfo": mounts, "/home/anna/.triton/cache/x": "", "/scratch/inductor/y": ""},
        "environment": {"HOME": "/home/anna", "TORCHINDUCTOR_CACHE_DIR": "/scratch/inductor"},
    }
    (tmp_path / "machine.yaml").write_text(yaml.safe_dump({"system": "linux", **recorded}), encoding="utf-8")
    table = _REGISTRY.specs.table("system/places") or {}
    told = places(RecordedMachine(tmp_path), table, ["nfs", "nfs4"])
    kinds = {dict(one.values)["path"]: dict(one.values)["kind"] for one in told if one.fact == "cache-folder"}
    assert kinds == {"/home/anna/.triton/cache": "nfs4", "/scratch/inductor": "ext4"}
    assert [dict(one.values)["path"] for one in told if one.fact == "cache-on-file-server"] == [
        "/home/anna/.triton/cache"
    ]


def test_a_machine_that_shows_nothing_costs_nothing(tmp_path: Path) -> None:
    assert read(tmp_path) == ()
    assert read(tmp_path, files={"/proc/mounts": "x\n\n a b\n", "/proc/cpuinfo": "microcode\t: what\n"}) == ()
    assert read(tmp_path, system="windows") == ()
