"""What stands around the programs of a recorded machine, and whether it is kept."""

from pathlib import Path
from typing import Any

import pytest
import yaml

from accel.collect.surroundings import surroundings
from accel.collect.upkeep import upkeep
from accel.machine.live import LiveMachine
from accel.machine.recorded import RecordedMachine

STATUS = "Name:\tpython3\nNoNewPrivs:\t{new}\nSeccomp:\t{seccomp}\nCapEff:\t{capabilities}\nCpus_allowed_list:\t0-15\n"
HOST = {
    f"/proc/self/ns/{name}": f"{name}:[{number}]"
    for name, number in {"pid": 4026531836, "ipc": 4026531839, "user": 4026531837}.items()
}


def machine(folder: Path, **recorded: Any) -> RecordedMachine:
    (folder / "machine.yaml").write_text(yaml.safe_dump(recorded), encoding="utf-8")
    return RecordedMachine(folder)


def around(folder: Path, **recorded: Any) -> dict[str, dict[str, str]]:
    return {one.fact: dict(one.values) for one in surroundings(machine(folder, **recorded))}


def kept(folder: Path, **recorded: Any) -> list[tuple[str, dict[str, str]]]:
    return [(one.fact, dict(one.values)) for one in upkeep(machine(folder, **recorded))]


def test_a_program_on_a_host_is_not_confined(tmp_path: Path) -> None:
    status = STATUS.format(new=0, seccomp=0, capabilities="000001ffffffffff")
    assert around(tmp_path, files={"/proc/self/status": status}, links=HOST)["confinement"] == {
        "seccomp": "none",
        "no_new_privileges": "no",
        "capabilities": "41",
        "privileged": "yes",
        "cpus": "0-15",
        "own_pid_namespace": "no",
        "own_ipc_namespace": "no",
        "own_user_namespace": "no",
    }


def test_a_program_in_a_container_is_confined(tmp_path: Path) -> None:
    files = {
        "/proc/self/status": STATUS.format(new=1, seccomp=2, capabilities="00000000a80425fb"),
        "/proc/self/attr/current": "docker-default (enforce)\n",
    }
    told = around(tmp_path, files=files, links={**HOST, "/proc/self/ns/pid": "pid:[4026532001]"})["confinement"]
    assert told["seccomp"] == "filter"
    assert (told["privileged"], told["capabilities"], told["apparmor"]) == ("no", "14", "docker-default (enforce)")
    assert (told["own_pid_namespace"], told["own_ipc_namespace"]) == ("yes", "no")


@pytest.mark.parametrize(
    ("files", "named"),
    [
        ({"/sys/fs/selinux/enforce": "1"}, True),
        ({"/sys/fs/selinux/enforce": "0", "/proc/self/attr/current": "system_u:system_r:container_t:s0:c1,c2"}, False),
        ({"/proc/self/attr/current": "system_u:system_r:container_t:s0:c1,c2\0"}, True),
        ({"/proc/self/attr/current": "unconfined_u:unconfined_r:unconfined_t:s0"}, False),
        ({"/proc/self/attr/current": "docker-default (enforce)"}, False),
    ],
)
def test_selinux_is_named_where_it_enforces(files: dict[str, str], named: bool, tmp_path: Path) -> None:
    assert ("selinux-named" in around(tmp_path, files=files)) is named


def test_the_days_since_the_start_are_counted(tmp_path: Path) -> None:
    assert around(tmp_path, files={"/proc/uptime": "5788800.11 4.2\n"}) == {"up-for-days": {"days": "67"}}


@pytest.mark.parametrize(
    ("variables", "count"),
    [
        ({"SLURM_GPUS_ON_NODE": "4"}, "4"),
        ({"SLURM_JOB_GPUS": "0,2-3"}, "3"),
        ({"SLURM_GPUS_ON_NODE": "2", "SLURM_JOB_GPUS": "0,1,2"}, "2"),
        ({"SLURM_JOB_GPUS": "gpu:a100:2"}, None),
        ({"KUBERNETES_SERVICE_HOST": "10.0.0.1", "NVIDIA_VISIBLE_DEVICES": "GPU-5c1d9a30,GPU-5c1d9a31"}, "2"),
        ({"KUBERNETES_SERVICE_HOST": "10.0.0.1", "NVIDIA_VISIBLE_DEVICES": "all"}, None),
        ({"NVIDIA_VISIBLE_DEVICES": "GPU-5c1d9a30,GPU-5c1d9a31"}, None),
        ({"KUBERNETES_SERVICE_HOST": "10.0.0.1", "ASCEND_VISIBLE_DEVICES": "0,1,6"}, "3"),
        ({"SLURM_JOB_GPUS": "0-99999999"}, None),
        ({}, None),
    ],
)
def test_what_a_scheduler_gave_is_counted(variables: dict[str, str], count: str | None, tmp_path: Path) -> None:
    told = around(tmp_path, environment=variables).get("devices-allotted")
    assert (told and told["count"]) == count


def test_what_windows_hands_over_is_counted(tmp_path: Path) -> None:
    nodes = ["/usr/lib/wsl/lib/libcuda.so.1", "/usr/lib/wsl/lib/libnvidia-ml.so.1", "/usr/lib/wsl/drivers/nv_1/x.so"]
    assert around(tmp_path, nodes=nodes)["wsl-driver-store"] == {"libraries": "2", "drivers": "1"}


def test_disks_are_asked_and_servers_are_not(tmp_path: Path) -> None:
    mounts = (
        "30 24 8:1 / / rw - ext4 /dev/sda1 rw\n31 30 0:5 / /home rw - nfs4 srv:/x rw\n"
        "32 30 8:2 / /scratch rw - xfs /dev/sdb1 rw\n"
    )
    told = kept(
        tmp_path,
        files={"/proc/self/mountinfo": mounts},
        environment={"HOME": "/home/jane", "HF_HOME": "/scratch/hf", "TORCH_HOME": "/scratch/t", "TMPDIR": "relative"},
        filesystems={path: {"total_bytes": 100, "free_bytes": 7} for path in ("/", "/home", "/scratch")},
    )
    assert told == [
        ("disk-use", {"path": "/", "total": "100", "free": "7"}),
        ("disk-use", {"path": "/scratch", "total": "100", "free": "7", "variable": "HF_HOME"}),
    ]


@pytest.mark.parametrize(
    ("nodes", "state", "loaded"),
    [
        (["/var/lib/dkms/nvidia/535.1/source"], "added", "no"),
        (["/var/lib/dkms/nvidia/535.1/6.8.0/x86_64/module"], "built", "no"),
        (
            ["/var/lib/dkms/nvidia/535.1/6.8.0/x86_64/module", "/var/lib/dkms/nvidia/kernel-6.8.0-x86_64"],
            "installed",
            "no",
        ),
        (["/var/lib/dkms/nvidia/535.1/5.15.0/x86_64/module", "/sys/module/nvidia/refcnt"], "added", "yes"),
    ],
)
def test_what_dkms_has_for_this_kernel_is_told(nodes: list[str], state: str, loaded: str, tmp_path: Path) -> None:
    told = kept(tmp_path, nodes=nodes, files={"/proc/sys/kernel/osrelease": "6.8.0\n"})
    expected = {"module": "nvidia", "version": "535.1", "kernel": "6.8.0", "state": state, "loaded": loaded}
    assert told == [("dkms-module", expected)]


def test_of_a_services_unit_the_last_file_counts(tmp_path: Path) -> None:
    files = {
        "/lib/systemd/system/slurmd.service": "[Service]\nLimitMEMLOCK=64K\nLimitNOFILE=51200:524288\nLimitCORE=0\n",
        "/etc/systemd/system/slurmd.service.d/more.conf": "[Service]\n  LimitMEMLOCK = infinity\n",
        "/lib/systemd/system/docker.service": "[Service]\n#LimitMEMLOCK=1\n",
    }
    assert kept(tmp_path, files=files) == [
        ("service-limit", {"service": "slurmd", "resource": "memlock_bytes"}),
        ("service-limit", {"service": "slurmd", "resource": "open_files", "value": "51200"}),
    ]


def test_this_machine_is_read() -> None:
    live = LiveMachine()
    if live.system == "linux":
        assert {one.fact for one in surroundings(live)} >= {"up-for-days", "confinement"}
        assert all(one.grade == "measured" for one in (*surroundings(live), *upkeep(live)))
