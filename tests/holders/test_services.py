"""Services of vendors and display servers that run; and the machine as one process has it."""

import os
from pathlib import Path
from types import SimpleNamespace

import pytest

from accel.machine.live import LiveMachine
from accel.model.device import Device
from accel.model.environment import Environment
from accel.model.errors import BadInput
from accel.model.observation import Noted
from accel.model.report import Report
from accel.model.snapshot import Snapshot
from accel.plugins.registry import Registry
from accel.vendors.contract.vendor import Daemon
from accel.vendors.toolkit.vendor_backend import VendorBackend
from accel.watch.holders.asked import as_process, known
from accel.watch.holders.services import services


def test_a_service_is_known_by_its_cut_name_with_unit_and_version(acme: SimpleNamespace, tmp_path: Path) -> None:
    from dataclasses import replace

    daemon = Daemon(program="acme-share-server", role="sharing server", version=("--version",))
    backend = VendorBackend(replace(acme.BACKEND.stated, daemons=(daemon,)))
    files = {
        "/proc/50/comm": "acme-share-serv\n",
        "/proc/50/cgroup": "0::/system.slice/acme.service\n",
        "/proc/60/comm": "Xorg\n",
    }
    command = {"argv": ["acme-share-server", "--version"], "stdout": "sharing server 2.14.1\n"}
    world = acme.machine(tmp_path, files=files, commands=[command])
    told = {dict(one.values)["program"]: dict(one.values) for one in services(world, [backend], 1.0)}
    assert told["acme-share-server"] == {
        "program": "acme-share-server",
        "role": "sharing server",
        "pid": "50",
        "unit": "acme.service",
        "version": "2.14.1",
    }
    assert told["Xorg"]["role"] == "display server"


def test_a_version_that_is_not_told_is_not_known(acme: SimpleNamespace, tmp_path: Path) -> None:
    world = acme.machine(tmp_path, files={"/proc/50/comm": "acme-share-serv\n"})
    (told,) = services(world, [acme.BACKEND], 1.0)
    assert "version" not in dict(told.values)


def test_a_process_brings_its_variables_its_masks_and_its_limits(acme: SimpleNamespace, tmp_path: Path) -> None:
    limits = f"{'Max open files':26}{1024:<21}{4096:<21}files\n"
    process = acme.process(
        71, variables={"ASCEND_RT_VISIBLE_DEVICES": "1", "PATH": "/x", "HF_TOKEN": "secret"}, more={"limits": limits}
    )
    world = acme.machine(tmp_path, process, opened={71: ["/dev/null"]})
    npus = tuple(
        Device(id=f"ascend:{number}", index=number, backend="ascend", vendor="Huawei", kind="npu")
        for number in range(2)
    )
    from accel.collect.limits import limits as limits_of

    given = Snapshot(
        reports=(Report(backend="ascend", source="x", devices=npus),),
        environments=(Environment(variables=(("CUDA_HOME", "/mine"),)),),
        observations=limits_of(world, 71),
    )
    seen = as_process(given, world, Registry({}), known(world, 71))
    assert seen.environments[0].variables == (("ASCEND_RT_VISIBLE_DEVICES", "1"),)
    assert [device.visible for device in seen.reports[0].devices] == [False, True]
    told = [one.text for one in seen.observations if isinstance(one, Noted) and one.fact == "process-asked"]
    assert told == ["process 71: python3 train.py (jane, sleeping)", "it may use 1024 open files (1 are)"]


def test_variables_that_are_closed_are_a_gap_that_says_what_to_type(acme: SimpleNamespace, tmp_path: Path) -> None:
    world = acme.machine(tmp_path, acme.process(71), inaccessible=["/proc/71/environ"])
    given = Snapshot(environments=(Environment(variables=(("CUDA_HOME", "/mine"),)),))
    (environment,) = as_process(given, world, Registry({}), known(world, 71)).environments
    assert environment.variables is None
    assert "sudo accel doctor --pid 71" in environment.gaps[0].reason


def test_a_process_that_is_not_there_is_a_sentence(acme: SimpleNamespace, tmp_path: Path) -> None:
    with pytest.raises(BadInput, match="There is no process 4242"):
        known(acme.machine(tmp_path), 4242)


@pytest.mark.skipif(not Path("/proc/self/limits").exists(), reason="this system has no /proc of Linux")
def test_this_very_process_is_one() -> None:
    assert known(LiveMachine(), os.getpid()).pid == os.getpid()
