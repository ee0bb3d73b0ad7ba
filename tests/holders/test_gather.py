"""Who holds which device, on recorded machines."""

from dataclasses import replace
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import pytest
import yaml

from accel.machine.recorded import RecordedMachine
from accel.model.device import Device, Process
from accel.model.holding import Holder, Holdings, RunningProcess
from accel.plugins.registry import Registry
from accel.vendors.toolkit.held_nodes import HeldNodes
from accel.vendors.toolkit.vendor_backend import VendorBackend
from accel.watch.holders.gather import Holders


def only(holdings: Holdings) -> Holder:
    (holder,) = holdings.holders
    return holder


def of(acme: SimpleNamespace, world: Any, *devices: Any, **options: Any) -> Holdings:
    return Holders(world, [acme.BACKEND]).of(devices, **options)


def test_a_listed_process_is_known_with_user_command_start_and_job(acme: SimpleNamespace, tmp_path: Path) -> None:
    variables = {"SLURM_JOB_ID": "9", "SLURM_STEP_ID": "0"}
    trains = acme.process(71, command=("python3", "train.py", "--lr", "0.1"), variables=variables)
    world = acme.machine(tmp_path, trains, opened={71: ["/dev/null", "/dev/acme0", "/dev/acmectl"]})
    found = of(acme, world, acme.device(0, (Process(pid=71, name="python3", memory_bytes=2**30),)), acme.device(1, ()))
    assert only(found) == Holder(
        backend="acme",
        device="acme:0",
        memory_bytes=2**30,
        nodes=("/dev/acme0", "/dev/acmectl"),
        listed=True,
        process=RunningProcess(
            pid=71,
            parent_pid=1,
            name="python3",
            user="jane",
            command=("python3", "train.py", "--lr", "0.1"),
            started_at="2026-11-18T12:06:40Z",
            start_ticks=360_000,
            state="sleeping",
            threads=41,
            memory_bytes=5120 * 1024,
            scheduler="slurm",
            job="9",
            job_step="0",
            unit="session-3.scope",
        ),
    )
    assert found.sees_everybody
    assert found.gaps == ()


def test_a_holder_that_the_driver_does_not_list_is_found_by_its_open_node(
    acme: SimpleNamespace, tmp_path: Path
) -> None:
    world = acme.machine(tmp_path, acme.process(72), opened={72: ["/dev/acme1", "socket:[1]"]})
    holder = only(of(acme, world, acme.device(0, ()), acme.device(1, ())))
    assert (holder.device, holder.listed, holder.memory_bytes, holder.nodes) == ("acme:1", False, None, ("/dev/acme1",))


def test_where_the_driver_lists_nobody_being_listed_is_not_known(acme: SimpleNamespace, tmp_path: Path) -> None:
    world = acme.machine(tmp_path, acme.process(72), opened={72: ["/dev/acme1"]})
    assert only(of(acme, world, acme.device(0), acme.device(1))).listed is None


def test_a_node_of_no_one_device_is_told_where_nothing_else_is(acme: SimpleNamespace, tmp_path: Path) -> None:
    world = acme.machine(tmp_path, acme.process(72), opened={72: ["/dev/acmectl"]})
    assert (only(of(acme, world, acme.device(0, ()))).device, only(of(acme, world, acme.device(0, ()))).backend) == (
        None,
        "acme",
    )


@pytest.mark.parametrize("path", ["/run/containerd/c1/rootfs/dev/acme0", "/dev/acme0 (deleted)"])
def test_a_node_of_a_container_or_one_that_was_removed_counts(acme: SimpleNamespace, path: str, tmp_path: Path) -> None:
    world = acme.machine(tmp_path, acme.process(72), opened={72: [path]})
    assert only(of(acme, world, acme.device(0, ()))).nodes == ("/dev/acme0",)


def test_a_zombie_holds_by_its_other_threads_and_says_where_they_wait(acme: SimpleNamespace, tmp_path: Path) -> None:
    threads = {
        "task/80/stat": "80 (python3) Z 1 80 80 0 -1 4194560 9 0 0 0 5 4 0 0 20 0 2 0 7 0 12",
        "task/81/stat": "81 (python3) D 1 80 80 0 -1 4194560 9 0 0 0 5 4 0 0 20 0 2 0 7 0 12",
        "task/81/stack": "[<0>] __down_common+0x1a/0x20\n[<0>] acme_free+0x3c/0x60 [acme_core]\n",
    }
    world = acme.machine(
        tmp_path,
        acme.process(80, state="Z", more=threads),
        links={"/proc/80/task/81/fd/4": "/dev/acme0"},
    )
    held = only(of(acme, world, acme.device(0, ()))).process
    assert (held.state, held.waits_in, held.waits_in_module) == ("zombie", "acme_free", "acme_core")


def test_a_process_of_the_list_that_is_gone_has_ended(acme: SimpleNamespace, tmp_path: Path) -> None:
    found = of(acme, acme.machine(tmp_path), acme.device(0, (Process(pid=99, memory_bytes=5),)))
    assert only(found).process == RunningProcess(pid=99, state="ended")


def test_in_a_container_a_foreign_number_is_not_taken_for_its_own_process(
    acme: SimpleNamespace, tmp_path: Path
) -> None:
    world = acme.machine(
        tmp_path, acme.process(71), opened={71: ["/dev/null"]}, links={"/proc/self/ns/pid": "pid:[4026532001]"}
    )
    found = of(acme, world, acme.device(0, (Process(pid=71, memory_bytes=5),)))
    assert only(found).process == RunningProcess(pid=71)
    assert not found.sees_everybody
    assert [gap.fact for gap in found.gaps] == ["holders", "process"]


def test_whom_this_user_may_not_look_into_is_counted_and_kernel_threads_are_not(
    acme: SimpleNamespace, tmp_path: Path
) -> None:
    world = acme.machine(
        tmp_path,
        acme.process(60),
        acme.process(61, "kworker/0:1", flags=0x4208060, command=()),
        inaccessible=["/proc/60/fd", "/proc/61/fd"],
        opened={60: ["/dev/acme0"], 61: []},
    )
    found = of(acme, world, acme.device(0, ()))
    assert (found.holders, found.closed, found.sees_everybody) == ((), 1, False)
    assert [gap.reason for gap in found.gaps] == [
        "1 process of others may not be looked into; root may:  sudo accel ps"
    ]


def test_what_there_is_no_time_for_is_told(acme: SimpleNamespace, tmp_path: Path) -> None:
    found = of(
        acme, acme.machine(tmp_path, acme.process(60), opened={60: ["/dev/acme0"]}), acme.device(0, ()), seconds=0.0
    )
    assert (found.holders, found.looked_into, found.unread) == ((), 0, 2)
    assert "no time to look into 2 processes" in found.gaps[0].reason


def test_without_nodes_nobody_is_looked_into(acme: SimpleNamespace, tmp_path: Path) -> None:
    (tmp_path / "bare").mkdir()
    (tmp_path / "bare" / "machine.yaml").write_text("files: {/proc/60/stat: ''}\nlinks: {/proc/60/fd/3: /dev/null}\n")
    world = RecordedMachine(tmp_path / "bare")
    assert of(acme, world) == Holdings()


def test_on_another_system_those_of_the_driver_are_given_and_the_rest_is_a_gap(
    acme: SimpleNamespace, tmp_path: Path
) -> None:
    found = of(
        acme,
        acme.machine(tmp_path, system="windows"),
        acme.device(0, (Process(pid=7, name="python.exe", user="jane"),)),
    )
    assert (only(found).process.name, only(found).listed) == ("python.exe", True)
    assert "only those that the driver lists" in found.gaps[0].reason


def test_a_service_of_the_vendors_is_known_by_its_role(acme: SimpleNamespace, tmp_path: Path) -> None:
    world = acme.machine(
        tmp_path,
        acme.process(50, "acme-share-serv", command=["/usr/bin/acme-share-server"]),
        opened={50: ["/dev/acme0"]},
    )
    held = only(of(acme, world, acme.device(0, ()))).process
    assert (held.name, held.role) == ("acme-share-server", "sharing server")


def test_a_pod_is_named_by_the_kubelets_folder_and_a_container_by_its_engines_file(
    acme: SimpleNamespace, tmp_path: Path
) -> None:
    path = f"0::/kubepods.slice/kubepods-pod{acme.UID.replace('-', '_')}.slice/cri-containerd-{acme.HEX}.scope"
    config = f"/run/containerd/io.containerd.runtime.v2.task/k8s.io/{acme.HEX}/config.json"
    files = {
        f"/var/log/pods/ml_train-7_{acme.UID}/main/0.log": "",
        config: '{"annotations": {"io.kubernetes.cri.container-name": "main"}}',
    }
    world = acme.machine(tmp_path, acme.process(71, cgroup=path), opened={71: ["/dev/acme0"]}, files=files)
    held = only(of(acme, world, acme.device(0, ()))).process
    assert (held.engine, held.container, held.container_name) == ("containerd", acme.HEX, "main")
    assert (held.pod, held.pod_namespace, held.pod_uid, held.unit) == ("train-7", "ml", acme.UID, None)


def test_names_that_are_roots_are_a_gap(acme: SimpleNamespace, tmp_path: Path) -> None:
    config = f"/var/lib/docker/containers/{acme.HEX}/config.v2.json"
    world = acme.machine(
        tmp_path,
        acme.process(71, cgroup=f"0::/system.slice/docker-{acme.HEX}.scope"),
        opened={71: ["/dev/acme0"]},
        files={config: "{}"},
        inaccessible=[config, "/proc/71/environ"],
    )
    found = of(acme, world, acme.device(0, ()))
    assert only(found).process.container_name is None
    assert [gap.fact for gap in found.gaps] == ["job", "container_name"]


def test_a_number_that_is_given_away_again_is_another_process(acme: SimpleNamespace, tmp_path: Path) -> None:
    for folder in ("before", "after"):
        (tmp_path / folder).mkdir()
    before = acme.machine(tmp_path / "before", acme.process(71, start=5), opened={71: ["/dev/acme0"]})
    after = acme.machine(
        tmp_path / "after", acme.process(71, "bash", start=6, command=["bash"]), opened={71: ["/dev/acme0"]}
    )
    holders = Holders(before, [acme.BACKEND])
    assert only(holders.of([acme.device(0, ())])).process.name == "python3"
    holders._machine = holders.book._machine = after
    assert only(holders.of([acme.device(0, ())])).process.name == "bash"


def test_the_memory_of_a_drm_driver_is_counted_once_a_client(acme: SimpleNamespace, tmp_path: Path) -> None:
    address = "0000:03:00.0"
    client = f"drm-driver: amdgpu\ndrm-pdev:\t{address}\ndrm-client-id:\t17\ndrm-memory-vram:\t1024 KiB\n"
    other = client.replace("17", "18").replace("1024 KiB", "2 MiB")
    told = {"fdinfo/3": client, "fdinfo/4": client, "fdinfo/5": other}
    vendor = replace(acme.BACKEND.stated, held_nodes=("/dev/dri/renderD<pci>",))
    world = acme.machine(
        tmp_path,
        acme.process(71, more=told),
        opened={71: ["/dev/dri/renderD128"] * 3},
        nodes=["/dev/dri/renderD128"],
        links={"/sys/class/drm/renderD128/device": f"../../../{address}"},
    )
    found = Holders(world, [VendorBackend(vendor)]).of([acme.device(0, (), pci_address=address)])
    assert (only(found).device, only(found).memory_bytes) == ("acme:0", 3 * 2**20)


def test_a_node_whose_device_only_the_vendors_files_tell_is_placed(tmp_path: Path) -> None:
    (tmp_path / "files").mkdir()
    address = "0000:3b:00.0"
    told = {f"/proc/driver/nvidia/gpus/{address}/information": "Model: \t\t NVIDIA L40S\nDevice Minor: \t 3\n"}
    (tmp_path / "machine.yaml").write_text(yaml.safe_dump({"files": told}), encoding="utf-8")
    backend = Registry({}).backend("nvidia")
    assert isinstance(backend, VendorBackend)
    world = RecordedMachine(tmp_path)
    nodes = HeldNodes([("nvidia", backend.stated.opened_nodes)], backend.nodes_by_address(world))
    gpu = Device(id="nvidia:0", index=0, backend="nvidia", vendor="NVIDIA", kind="gpu", pci_address=address)
    owner = {
        path: nodes.owner(path, [gpu], world) for path in ("/dev/nvidia3", "/dev/nvidia0", "/dev/nvidiactl", "/dev/kfd")
    }
    assert owner == {
        "/dev/nvidia3": ("nvidia", "nvidia:0"),
        "/dev/nvidia0": ("nvidia", None),
        "/dev/nvidiactl": ("nvidia", None),
        "/dev/kfd": None,
    }


def test_every_vendor_with_nodes_of_its_own_says_which_are_held() -> None:
    known = {b.name: b.stated.opened_nodes for b in Registry({}).backends if isinstance(b, VendorBackend)}
    assert [name for name, nodes in known.items() if not nodes] == ["apple", "cpu"]
    assert HeldNodes(known.items()).path_in("/dev/davinci7") == "/dev/davinci7"
    assert HeldNodes(known.items()).path_in("/dev/null") is None


def test_a_group_of_the_iommu_is_the_devices(acme: SimpleNamespace, tmp_path: Path) -> None:
    address = "0000:00:05.0"
    world = acme.machine(
        tmp_path, links={f"/sys/bus/pci/devices/{address}/iommu_group": "../../../kernel/iommu_groups/7"}
    )
    nodes = HeldNodes([("acme", ["/dev/vfio/<iommu_group>"])])
    assert nodes.owner("/dev/vfio/7", [acme.device(0, pci_address=address)], world) == ("acme", "acme:0")
    assert nodes.owner("/dev/vfio/8", [acme.device(0, pci_address=address)], world) == ("acme", None)


def test_the_other_nodes_of_a_listed_process_make_no_holder(acme: SimpleNamespace, tmp_path: Path) -> None:
    world = acme.machine(tmp_path, acme.process(71), opened={71: ["/dev/acme0", "/dev/acme1", "/dev/acmectl"]})
    found = of(acme, world, acme.device(0, (Process(pid=71, memory_bytes=5),)), acme.device(1, ()))
    assert [(holder.device, holder.listed) for holder in found.holders] == [("acme:0", True)]
    assert only(found).nodes == ("/dev/acme0", "/dev/acme1", "/dev/acmectl")


@pytest.mark.parametrize(("opened", "watches"), [(["/dev/acme0"], True), (["/dev/acme0", "/dev/acmectl"], False)])
def test_who_has_no_node_open_that_gives_memory_only_watches(
    acme: SimpleNamespace, opened: list[str], watches: bool, tmp_path: Path
) -> None:
    backend = VendorBackend(replace(acme.BACKEND.stated, memory_nodes=("/dev/acmectl",)))
    world = acme.machine(tmp_path, acme.process(72), opened={72: opened})
    assert only(Holders(world, [backend]).of([acme.device(0, ())])).watches is watches
