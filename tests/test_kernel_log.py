"""The kernel's log of a live machine: read without waiting, by the plugins' readers; else a gap says what to type."""

import os
from pathlib import Path
from typing import Any

import pytest
import yaml

from accel.collect.kernel_log import kernel_log, recent
from accel.diagnose.engine import diagnose
from accel.machine.kmsg import PATH, records
from accel.machine.recorded import RecordedMachine
from accel.model.observation import Noted
from accel.model.snapshot import Host, Snapshot
from accel.plugins.registry import Registry

_LOST = "NVRM: Xid (PCI:0000:3b:00): 79, pid=4242, GPU has fallen off the bus."
_LOG = (
    "6,1,1000000,-;Linux version 6.8.0\n"
    f"4,2,90000000000,-;{_LOST}\n SUBSYSTEM=pci\n"
    "12,3,90000000001,-;NVRM: Xid (PCI:0000:4c:00): 79, pid=1, written by a program\n"
    "3,4,90000000002,-;Out of memory: Killed process 77 (python) total-vm:1kB\n"
)


def xids(folder: Path, **recorded: Any) -> tuple[list[Noted], list[str]]:
    """Return the Xids that are seen on a recorded machine, and the reasons of the gaps."""
    (folder / "machine.yaml").write_text(yaml.safe_dump({"system": "linux", **recorded}), encoding="utf-8")
    seen, gaps = kernel_log(RecordedMachine(folder), Registry({}))
    assert all(one.grade == "measured" and one.source == "kernel log" for one in seen)
    return [one for one in seen if isinstance(one, Noted) and one.fact == "xid"], [gap.reason for gap in gaps]


def test_what_the_kernel_says_of_a_gpu_is_seen_with_its_time(tmp_path: Path) -> None:
    (xid,), gaps = xids(tmp_path, files={"/dev/kmsg": _LOG, "/proc/uptime": "90100.00 1.00\n"})
    assert gaps == []
    assert dict(xid.values)["code"] == "79"
    assert xid.text.startswith("[90000.000000] NVRM: Xid (PCI:0000:3b:00): 79")


def test_what_is_older_than_a_day_is_left_out(tmp_path: Path) -> None:
    files = {"/dev/kmsg": _LOG, "/proc/uptime": "190000.00 1.00\n"}
    assert xids(tmp_path, files=files) == ([], [])


def test_only_the_kernels_own_warnings_are_taken() -> None:
    assert [message for _, message in recent(_LOG, None)] == [
        _LOST,
        "Out of memory: Killed process 77 (python) total-vm:1kB",
    ]


@pytest.mark.parametrize("program", ["journalctl", "dmesg"])
def test_a_log_that_may_not_be_opened_is_asked_of_the_systems_tools(program: str, tmp_path: Path) -> None:
    line = f"[90000.000000] node7 kernel: {_LOST}" if program == "journalctl" else f"[90000.000000] {_LOST}"
    (xid,), gaps = xids(
        tmp_path, commands=[{"argv": [program, *["*"] * words], "stdout": f"{line}\n"} for words in (1, 8)]
    )
    assert dict(xid.values)["code"] == "79"
    assert xid.text.startswith("[90000.000000] NVRM: Xid (PCI:0000:3b:00): 79")
    assert gaps == []


def test_of_what_dmesg_prints_the_last_day_is_taken(tmp_path: Path) -> None:
    log = f"[    1.000000] {_LOST}\n[90000.000000] {_LOST.replace('3b', '4c')}\n"
    command = {"argv": ["dmesg", "*"], "stdout": log}
    (xid,), _ = xids(tmp_path, commands=[command], files={"/proc/uptime": "90100.00 1.00\n"})
    assert "4c" in xid.text


def test_whom_the_kernel_killed_and_which_task_does_not_run_is_seen_with_its_time(tmp_path: Path) -> None:
    log = (
        "3,1,90000000000,-;Memory cgroup out of memory: Killed process 77 (python3) total-vm:1kB\n"
        "3,2,90000000001,-;INFO: task nfsd (old):5403 blocked for more than 120 seconds.\n"
        "3,3,90000000002,-;INFO: task python3:99 blocked for more than 120 seconds.\n"
        "3,4,90000000003,-;      Tainted: P           OE      6.8.0 #1\n"
        "6,5,90000000004,-; __schedule+0x2cb/0x760\n"
        "6,6,90000000005,-; uvm_va_space_down_write+0x3c/0x60 [nvidia_uvm]\n"
        "6,7,90000900006,-;usb 1-1: new device\n"
    )
    files = {"/dev/kmsg": log, "/proc/uptime": "90100.00 1.00\n"}
    (tmp_path / "machine.yaml").write_text(yaml.safe_dump({"files": files}), encoding="utf-8")
    seen, _ = kernel_log(RecordedMachine(tmp_path), Registry({}))
    noted = [one for one in seen if isinstance(one, Noted)]
    (killed,) = [one for one in noted if one.fact == "killed-for-memory"]
    assert killed.values == (("task", "python3"), ("pid", "77"), ("by", "group"), ("ago", "100"))
    assert killed.text.startswith("[90000.000000] Memory cgroup out of memory")
    (hung,) = [one for one in noted if one.fact == "task-hung"]
    assert dict(hung.values) == {
        "task": "python3",
        "pid": "99",
        "seconds": "120",
        "function": "uvm_va_space_down_write",
        "module": "nvidia_uvm",
        "ago": "99",
    }
    assert [dict(one.values)["owner"] for one in noted if one.fact == "blocked-task"] == ["nvidia"]
    assert "usb" not in "".join(one.text for one in noted)


def test_a_log_that_nobody_gives_is_a_gap_that_says_what_to_type(tmp_path: Path) -> None:
    refused = "dmesg: read kernel buffer failed: Operation not permitted\n"
    command = {"argv": ["dmesg", "*"], "stdout": "", "stderr": refused, "exit_code": 1}
    seen, (reason,) = xids(tmp_path, commands=[command])
    assert seen == []
    assert "Operation not permitted" in reason
    assert "sudo dmesg > kernel.txt && accel doctor kernel.txt" in reason


@pytest.mark.skipif(not os.access(PATH, os.R_OK), reason="this process may not read the kernel's log")
def test_the_ring_is_read_to_its_end_without_waiting() -> None:
    try:
        text = records(1 << 24)
    except OSError:
        pytest.skip("the kernel refuses it")
    assert ";" in text
    assert len(records(1)) <= len(text)


def test_disks_file_servers_and_processors_are_told_by_the_sentences_of_the_tables(tmp_path: Path) -> None:
    log = (
        "5,1,90000000000,-;nfs: server storage01 not responding, still trying\n"
        "5,2,90000000001,-;random: crng reseeded\n"
        "3,3,90000000002,-;blk_update_request: I/O error, dev nvme0n1, sector 4096 op 0x0:(READ)\n"
        "4,4,90000000003,-;CPU12: Package temperature above threshold, cpu clock throttled (total events = 3)\n"
    )
    (tmp_path / "machine.yaml").write_text(yaml.safe_dump({"files": {"/dev/kmsg": log}}), encoding="utf-8")
    seen, gaps = kernel_log(RecordedMachine(tmp_path), Registry({}))
    assert gaps == ()
    assert [(one.fact, one.text) for one in seen if isinstance(one, Noted)] == [
        ("file-server-silent", "[90000.000000] nfs: server storage01 not responding, still trying"),
        ("disk-errors", "[90000.000002] blk_update_request: I/O error, dev nvme0n1, sector 4096 op 0x0:(READ)"),
        (
            "processor-throttled-for-heat",
            "[90000.000003] CPU12: Package temperature above threshold, cpu clock throttled (total events = 3)",
        ),
    ]


_VENDORS = {
    "amdgpu-ring-timeout": "[drm:amdgpu_job_timedout [amdgpu]] *ERROR* ring gfx_0.0.0 timeout, signaled seq=1",
    "amd-pcie-atomics-missing": "kfd kfd: amdgpu: skipped device 1002:67df, PCI rejects atomics 730<0",
    "intel-gpu-wedged": "xe 0000:03:00.0: [drm] *ERROR* CRITICAL: Xe has declared device 0000:03:00.0 as wedged.",
    "gaudi-unhealthy": "habanalabs 0000:1a:00.0: Failed to initialize hl2. Device is NOT usable !",
}


@pytest.mark.parametrize("name", _VENDORS)
def test_what_a_vendor_s_driver_says_is_found_on_a_live_machine_as_in_a_text(name: str, tmp_path: Path) -> None:
    log = f"6,1,90000000000,-;{_VENDORS[name]}\n6,2,90000000001,-;iwlwifi 0000:00:14.3: loaded firmware version 77\n"
    (tmp_path / "machine.yaml").write_text(yaml.safe_dump({"files": {"/dev/kmsg": log}}), encoding="utf-8")
    registry = Registry({})
    seen, _ = kernel_log(RecordedMachine(tmp_path), registry)
    snapshot = Snapshot(origin="live", host=Host(system="linux"), observations=seen)
    judged = diagnose(snapshot, registry.specs, registry.checks, registry.rules)
    assert [finding.name for finding in judged.findings if finding.name != "no-accelerator"] == [name]


def test_a_log_of_other_drivers_says_nothing(tmp_path: Path) -> None:
    log = (
        "3,1,90000000000,-;iwlwifi 0000:00:14.3: Direct firmware load for iwlwifi-so-a0-72.ucode failed with error -2\n"
        "4,2,90000000001,-;usb 1-1: device descriptor read/64, error -71\n"
        "6,3,90000000002,-;Write protecting the kernel read-only data: 20480k\n"
        "6,4,90000000003,-;EXT4-fs (sda1): mounted filesystem with ordered data mode. Quota mode: none.\n"
    )
    (tmp_path / "machine.yaml").write_text(yaml.safe_dump({"files": {"/dev/kmsg": log}}), encoding="utf-8")
    registry = Registry({})
    seen, _ = kernel_log(RecordedMachine(tmp_path), registry)
    snapshot = Snapshot(origin="live", host=Host(system="linux"), observations=seen)
    judged = diagnose(snapshot, registry.specs, registry.checks, registry.rules)
    assert [finding.name for finding in judged.findings] == ["no-accelerator"]
