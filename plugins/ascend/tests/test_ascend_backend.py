"""The backend on recorded machines, and on this one with a fake npu-smi that answers, hangs, dies or talks nonsense."""

import os
from collections.abc import Callable, Mapping, Sequence
from pathlib import Path
from typing import Any

import pytest
import yaml
from accel_ascend import VENDOR
from accel_ascend.model import AscendDevice

from accel.machine.live import LiveMachine
from accel.machine.process import CommandResult
from accel.machine.recorded import RecordedMachine
from accel.model.merge import merged_devices, merged_driver
from accel.vendors.contract.backend import Request
from accel.vendors.toolkit.vendor_backend import VendorBackend

TEXTS = Path(__file__).parent / "texts"
TABLE = (TEXTS / "a2-with-processes.txt").read_text()
PCI = "/sys/bus/pci/devices"
HEALTH = Request(depth="health")


def pci_files(*addresses: str, device: str = "0xd802") -> dict[str, str]:
    return {
        path: value
        for address in addresses
        for path, value in (
            (f"{PCI}/{address}/vendor", "0x19e5\n"),
            (f"{PCI}/{address}/device", f"{device}\n"),
            (f"{PCI}/{address}/numa_node", "1\n"),
        )
    }


@pytest.fixture
def machine(tmp_path: Path) -> Callable[..., RecordedMachine]:
    def recorded(**facts: Any) -> RecordedMachine:
        (tmp_path / "machine.yaml").write_text(yaml.safe_dump(facts))
        return RecordedMachine(tmp_path)

    return recorded


def by_id(reports: Any) -> Mapping[str, AscendDevice]:
    devices, _ = merged_devices(reports)
    return {device.id: device for device in devices if isinstance(device, AscendDevice)}


def facts(reports: Any) -> set[str]:
    return {one.fact for report in reports for one in report.observations}


def test_a_machine_without_ascend_is_not_detected(machine: Callable[..., RecordedMachine]) -> None:
    other = pci_files("0000:75:00.0", device="0xa250")
    assert VendorBackend(VENDOR).detect(machine(files=other, nodes=["/dev/davincified"])) is False


@pytest.mark.parametrize(
    "facts",
    [
        {"nodes": ["/dev/davinci15"]},
        {"nodes": ["/dev/davinci_manager"]},
        {"nodes": ["/usr/local/sbin/npu-smi"]},
        {"nodes": ["/opt/tools/npu-smi"], "environment": {"PATH": "/usr/bin:/opt/tools"}},
        {"files": {"/usr/local/Ascend/driver/version.info": "Version=24.1.0\n"}},
        {"files": pci_files("0000:c1:00.0")},
        {"files": pci_files("0000:c1:00.0") | {f"{PCI}/0000:c1:00.0/vendor": "0x203f\n"}},
    ],
)
def test_any_one_sign_is_enough(machine: Callable[..., RecordedMachine], facts: dict[str, Any]) -> None:
    assert VendorBackend(VENDOR).detect(machine(**facts)) is True


def test_the_table_and_the_files_are_one(machine: Callable[..., RecordedMachine]) -> None:
    found = VendorBackend(VENDOR).probe(
        machine(
            files=pci_files("0000:41:00.0", "0000:c2:00.0")
            | {"/usr/local/Ascend/driver/version.info": "Version=24.1.0\nascendhal_version=7.35.19\n"}
            | {"/usr/local/Ascend/firmware/version.info": "Version=7.5.0.1.129\nfirmware_version=1.0\n"}
            | {"/proc/modules": "drv_pcie_host 352256 0 - Live 0x0\n"},
            nodes=["/dev/davinci2", "/dev/davinci6", "/dev/davinci_manager", "/dev/devmm_svm", "/dev/hisi_hdc"],
            commands=[{"argv": ["npu-smi", "info"], "stdout": TABLE}],
        ),
        Request(),
    )
    devices = by_id(found)
    assert list(devices) == ["ascend:2", "ascend:6"]
    assert (devices["ascend:2"].pci_id, devices["ascend:2"].numa_node) == ("19e5:d802", 1)
    assert devices["ascend:6"].health == "critical"
    driver = merged_driver(sorted(found, key=lambda report: -report.trust))
    assert driver is not None
    assert (driver.version, driver.firmware_version) == ("24.1.0", "7.5.0.1.129")
    assert facts(found) == {"ascend-version-file"}


def test_depth_health_asks_more_and_places_the_answers(machine: Callable[..., RecordedMachine]) -> None:
    found = VendorBackend(VENDOR).probe(
        machine(
            commands=[
                {"argv": ["npu-smi", "info"], "stdout": TABLE},
                {
                    "argv": ["npu-smi", "info", "-t", "health", "-i", "6", "-c", "0"],
                    "stdout": "Health Status : Alarm\nError Code : 80C98001\n",
                },
                {
                    "argv": ["npu-smi", "info", "-t", "ecc", "-i", "2"],
                    "stdout": "NPU ID : 2\nChip Count : 1\n\nHBM Double Bit Error Count : 3\nChip ID : 0\n",
                },
                {"argv": ["npu-smi", "info", "-t", "board", "-i", "2"], "timed_out": True},
            ]
        ),
        HEALTH,
    )
    devices = by_id(found)
    assert set(devices) == {"ascend:2", "ascend:6"}
    assert devices["ascend:6"].error_codes == ("80C98001",)
    assert devices["ascend:2"].hbm_double_bit_errors == 3
    assert any(g.fact == "npu-smi info -t board -i 2" and "in time" in g.reason for r in found for g in r.gaps)


def test_without_npu_smi_the_nodes_are_the_chips(machine: Callable[..., RecordedMachine]) -> None:
    found = VendorBackend(VENDOR).probe(
        machine(files=pci_files("0000:c1:00.0", "0000:c2:00.0"), nodes=["/dev/davinci0", "/dev/davinci10"]), Request()
    )
    devices = by_id(found)
    assert list(devices) == ["ascend:0", "ascend:10"]
    assert devices["ascend:10"].architecture == "ascend910b"
    assert devices["ascend:10"].pci_address is None, "which of two functions a node is, nothing says"
    assert devices["ascend:10"].memory_total_bytes is None
    assert {"npu-smi-missing", "npu-node-missing"} <= facts(found)


def test_chips_without_driver_are_told_by_the_bus(machine: Callable[..., RecordedMachine]) -> None:
    found = VendorBackend(VENDOR).probe(
        machine(files=pci_files("0000:c1:00.0", device="0xd803") | {"/proc/modules": "ext4 1 0 - Live 0x0\n"}),
        Request(),
    )
    assert [(d.pci_address, d.architecture, d.health) for d in by_id(found).values()] == [
        ("0000:c1:00.0", "ascend910_93", "unknown")
    ]
    assert {"npu-no-module", "npu-no-node"} <= facts(found)


def test_closed_nodes_and_a_lost_card_are_facts(machine: Callable[..., RecordedMachine]) -> None:
    nodes = ["/dev/davinci2", "/dev/davinci6", "/dev/davinci7"]
    nodes += ["/dev/davinci_manager", "/dev/devmm_svm", "/dev/hisi_hdc"]
    found = VendorBackend(VENDOR).probe(
        machine(
            nodes=nodes,
            inaccessible=["/dev/davinci_manager"],
            commands=[{"argv": ["npu-smi", "info"], "stdout": TABLE}],
        ),
        Request(),
    )
    assert facts(found) == {"npu-node-denied", "npu-not-listed"}
    assert len(by_id(found)) == 2


def test_cann_is_found_where_its_variables_point(machine: Callable[..., RecordedMachine]) -> None:
    info = "package_name=Ascend-cann-toolkit\nversion=8.1.RC1\n"
    found = VendorBackend(VENDOR).probe(
        machine(
            environment={"ASCEND_TOOLKIT_HOME": "/opt/cann/latest"},
            files={"/opt/cann/latest/aarch64-linux/ascend_toolkit_install.info": info},
        ),
        Request(),
    )
    said = [dict(one.values) for report in found for one in report.observations if one.fact == "ascend-version-file"]
    assert [(one["file"], one["version"]) for one in said] == [("cann", "8.1.RC1")]


def test_a_call_that_hung_before_is_not_made_again(machine: Callable[..., RecordedMachine]) -> None:
    recorded = machine(nodes=["/dev/davinci2"], commands=[{"argv": ["npu-smi", "info"], "stdout": TABLE}])
    found = VendorBackend(VENDOR).probe(recorded, Request(skip=frozenset({("npu-smi info", None)})))
    assert found[0].status == "failed"
    assert list(by_id(found)) == ["ascend:2"]
    assert by_id(found)["ascend:2"].name is None


def test_memory_processes_and_samples_come_from_the_table(machine: Callable[..., RecordedMachine]) -> None:
    backend = VendorBackend(VENDOR)
    recorded = machine(commands=[{"argv": ["npu-smi", "info"], "stdout": TABLE}])
    memory = backend.memory(recorded, "ascend:2")
    assert memory is not None
    assert memory.used_bytes == 51200 << 20
    assert backend.memory(recorded, "ascend:0") is None
    assert [p.pid for p in backend.processes(recorded)["ascend:2"] or ()] == [4242, 4243]
    device = by_id(backend.probe(recorded, Request()))["ascend:2"]
    hotter = machine(commands=[{"argv": ["npu-smi", "info"], "stdout": TABLE.replace("101.5", "250.5")}])
    assert [d.power_watts for d in backend.sample(hotter, [device])] == [250.5]


FAKES = {
    "answers": ("cat <<'END'\n" + TABLE + "END\n", "ok", None),
    "hangs": ("sleep 600\n", "failed", "npu-smi-hung"),
    "hangs-and-ignores": ("trap '' TERM INT\nsleep 600 & sleep 600\n", "failed", "npu-smi-hung"),
    "dies": ("kill -SEGV $$\n", "failed", "npu-smi-no-list"),
    "says-nothing": ("exit 0\n", "failed", "npu-smi-no-list"),
    "says-nonsense": ("head -c 3000 /dev/urandom\n", "failed", "npu-smi-no-list"),
    "stops-half-way": ("cat <<'END'\n" + TABLE[:500] + "\nEND\nexit 1\n", "failed", None),
    "speaks-chinese": ("echo 'dcmi 模块初始化失败'\nexit 187\n", "failed", "npu-smi-dcmi-failed"),
    "refuses": ("echo 'dcmi module initialize failed. ret is -8005'\nexit 187\n", "failed", "npu-smi-dcmi-failed"),
    "is-used": (
        "echo 'dcmi model initialized failed, because the device is used. ret is -8020'\nexit 172\n",
        "failed",
        "npu-smi-device-used",
    ),
}


class HastyMachine(LiveMachine):
    """This machine, with a fake npu-smi first on its PATH, and no patience."""

    def __init__(self, folder: Path) -> None:
        super().__init__({**os.environ, "PATH": f"{folder}:{os.environ['PATH']}"})

    def run(self, argv: Sequence[str], timeout_seconds: float) -> CommandResult:
        return super().run(argv, min(timeout_seconds, 1.0))


@pytest.mark.skipif(os.name != "posix", reason="the fake npu-smi is a shell script")
@pytest.mark.parametrize("name", FAKES)
def test_whatever_npu_smi_does_there_is_a_report(name: str, tmp_path: Path) -> None:
    script, status, event = FAKES[name]
    tool = tmp_path / "npu-smi"
    tool.write_text("#!/bin/sh\n" + script)
    tool.chmod(0o755)
    found = VendorBackend(VENDOR).probe(HastyMachine(tmp_path), Request())
    assert found[0].status == status
    if event is not None:
        assert event in facts(found)
    if status != "ok":
        assert [gap.reason for gap in found[0].gaps if gap.reason]


@pytest.mark.skipif(os.name != "posix", reason="the fake npu-smi is a shell script")
def test_the_rows_before_a_hang_are_kept(tmp_path: Path) -> None:
    tool = tmp_path / "npu-smi"
    tool.write_text("#!/bin/sh\ncat <<'END'\n" + TABLE[: TABLE.index("| 6     910B2")] + "END\nsleep 600\n")
    tool.chmod(0o755)
    found = VendorBackend(VENDOR).probe(HastyMachine(tmp_path), Request())
    assert [device.id for device in found[0].devices] == ["ascend:2"]
    assert found[0].status == "partial"
    assert "npu-smi-hung" in facts(found)


def test_a_lost_card_is_seen_however_many_answers_list_the_others() -> None:
    machine = RecordedMachine(Path(__file__).parent / "machines" / "card-lost")
    for depth in ("devices", "health"):
        noted = [o for r in VendorBackend(VENDOR).probe(machine, Request(depth=depth)) for o in r.observations]
        (values,) = [dict(o.values) for o in noted if o.fact == "npu-not-listed"]
        assert (values["nodes"], values["listed"], values["pci_addresses"]) == ("3", "2", "0000:01:00.0")
