"""A vendor's tool, as its statement has it: which calls are made, what counts, and what the bus adds."""

import re
from collections.abc import Callable, Iterator
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest
import yaml
from accel_mthreads import VENDOR as MTHREADS

from accel.machine.protocol import Machine
from accel.machine.recorded import RecordedMachine
from accel.model.device import Device
from accel.model.merge import merged_devices
from accel.model.report import Report
from accel.vendors.contract.backend import Reader, Reading, Request
from accel.vendors.contract.vendor import Tool, Vendor
from accel.vendors.toolkit.tool_probe import ToolProbe
from accel.vendors.toolkit.vendor_backend import VendorBackend

BUS = "/sys/bus/pci/devices"


def acme(index: int, **facts: Any) -> Device:
    return VENDOR.device(index, **facts)


def read(text: str) -> Iterator[Reading]:
    """Read lines like  card 0 5e:00.0 used=5."""
    rows = re.findall(r"card (\d) ([\w:.]+)(?: used=(\d+))?(?: watts=(\d+))?", text)
    devices = tuple(
        acme(
            int(index),
            pci_address=f"0000:{place}",
            memory_used_bytes=int(used) if used else None,
            power_watts=float(watts) if watts else None,
        )
        for index, place, used, watts in rows
    )
    if devices:
        yield Reading(source="acme", reports=(Report(backend="acme", source="acme", devices=devices),))


def name_on_file(machine: Machine, address: str) -> dict[str, Any]:
    return {"name": machine.read(f"/proc/acme/{address}")} if machine.exists(f"/proc/acme/{address}") else {}


VENDOR = Vendor(
    name="acme",
    maker="Acme",
    kind="npu",
    package="accel_acme",
    record=Device,
    pci_ids=("acac",),
    no_boards=("ff",),
    nodes=("/dev/acme<N>",),
    tool=Tool(
        names=("acme-smi", "/opt/acme/acme-smi"),
        hint="it comes with the driver",
        calls=((), ("info",)),
        more=(("-q",),),
        memory_call=("info",),
    ),
)


def readers() -> tuple[Reader, ...]:
    return (Reader(name="acme", signs=("card",), read=read),)


TOOL = ToolProbe(VENDOR, readers, name_on_file)


@pytest.fixture
def machine(tmp_path: Path) -> Callable[..., RecordedMachine]:
    def recorded(**facts: Any) -> RecordedMachine:
        (tmp_path / "machine.yaml").write_text(yaml.safe_dump(facts))
        return RecordedMachine(tmp_path)

    return recorded


def says(text: str, *arguments: str, tool: str = "acme-smi", **more: Any) -> dict[str, Any]:
    return {"argv": [tool, *arguments], "stdout": text, **more}


def function(address: str, device: str) -> dict[str, str]:
    return {f"{BUS}/{address}/vendor": "0xacac\n", f"{BUS}/{address}/device": f"0x{device}\n"}


def reasons(reports: Any) -> list[str]:
    return [gap.reason for report in reports for gap in report.gaps]


def noted(reports: Any) -> list[str]:
    return [one.fact for report in reports for one in report.observations]


def test_the_calls_are_made_at_every_depth_and_more_of_them_for_health(machine: Callable[..., RecordedMachine]) -> None:
    here = machine(commands=[says("card 0 5e:00.0"), says("card 0 5e:00.0", "info"), says("card 0 5e:00.0", "-q")])
    assert [len(TOOL.probe(here, Request())), len(TOOL.probe(here, Request(depth="health")))] == [3, 4]


def test_memory_and_processes_are_read_from_the_first_call_where_no_other_is_stated(tmp_path: Path) -> None:
    commands = [
        {"argv": ["acme-smi", "info"], "stdout": "card 0 5e:00.0 used=5"}
    ]  # without arguments it prints nothing
    (tmp_path / "machine.yaml").write_text(yaml.safe_dump({"commands": commands}))
    assert VENDOR.tool is not None
    tool = ToolProbe(replace(VENDOR, tool=replace(VENDOR.tool, calls=(("info",),), memory_call=())), readers)
    read_memory = tool.memory(RecordedMachine(tmp_path), "acme:0")
    assert read_memory is not None
    assert read_memory.used_bytes == 5
    assert tool.processes(RecordedMachine(tmp_path)) == {"acme:0": None}


def test_where_nothing_is_listed_no_more_is_asked(machine: Callable[..., RecordedMachine]) -> None:
    here = machine(
        commands=[says("no driver", exit_code=9), says("", "info", timed_out=True), says("card 0 5e:00.0", "-q")]
    )
    reports = TOOL.probe(here, Request(depth="health"))
    assert ["exited with 9" in reasons(reports)[0], "gave no answer" in reasons(reports)[1]] == [True, True]
    assert merged_devices(reports)[0] == ()


def test_a_first_call_that_fails_leaves_the_second(machine: Callable[..., RecordedMachine]) -> None:
    here = machine(commands=[says("", timed_out=True), says("card 0 5e:00.0", "info")])
    reports = TOOL.probe(here, Request())
    assert [d.id for d in merged_devices(reports)[0]] == ["acme:0"]
    assert ["gave no answer" in reason for reason in reasons(reports)] == [True]


def test_a_tool_that_is_missing_everywhere_is_asked_once_and_the_gap_says_where_it_comes_from(
    machine: Callable[..., RecordedMachine],
) -> None:
    reports = TOOL.probe(machine(), Request())
    assert [reason.endswith(": it comes with the driver") for reason in reasons(reports)] == [True]


def test_a_tool_off_the_path_is_found_where_its_package_puts_it(machine: Callable[..., RecordedMachine]) -> None:
    here = machine(commands=[says("card 0 5e:00.0", tool="/opt/acme/acme-smi")])
    assert [d.id for d in merged_devices(TOOL.probe(here, Request()))[0]] == ["acme:0"]


def test_a_list_after_which_the_tool_failed_is_partial(machine: Callable[..., RecordedMachine]) -> None:
    answers = [says("card 0 5e:00.0", exit_code=3, stderr="card 1 is lost"), says("card 0 5e:00.0", "info")]
    first, second, _ = TOOL.probe(machine(commands=answers), Request())
    assert (first.status, second.status, len(first.devices)) == ("partial", "ok", 1)
    assert "exited with 3" in first.gaps[0].reason
    assert "card 1 is lost" in first.gaps[0].reason


def test_the_bus_and_the_driver_s_files_add_to_what_is_listed(machine: Callable[..., RecordedMachine]) -> None:
    files = function("0000:5e:00.1", "0001") | function("0000:6a:00.0", "0001") | {"/proc/acme/0000:5e:00.1": "X1"}
    answers = [says("card 4 5e:00.1"), says("card 4 5e:00.1", "info")]
    (device,) = merged_devices(TOOL.probe(machine(files=files, commands=answers), Request()))[0]
    assert (device.id, device.pci_id, device.name) == ("acme:4", "acac:0001", "X1")


def test_without_a_list_the_boards_of_the_bus_count_and_their_other_functions_do_not(
    machine: Callable[..., RecordedMachine],
) -> None:
    files = function("0000:5e:00.0", "0001") | function("0000:5e:00.1", "0001") | function("0000:6a:00.0", "00ff")
    reports = TOOL.probe(machine(files=files), Request())
    assert [d.pci_address for d in merged_devices(reports)[0]] == ["0000:5e:00.0"]
    assert noted(reports) == ["acme-driver-absent"]


@pytest.mark.parametrize(("node", "missing"), [("/dev/acme3", False), ("/dev/acmectl", True)])
def test_any_numbered_node_is_the_driver_s(machine: Callable[..., RecordedMachine], node: str, missing: bool) -> None:
    reports = TOOL.probe(machine(files=function("0000:5e:00.0", "0001"), nodes=[node]), Request())
    assert noted(reports) == ["acme-driver-absent"] * missing


def test_a_sample_has_what_every_call_says_and_none_of_what_is_gone(machine: Callable[..., RecordedMachine]) -> None:
    here = machine(commands=[says("card 0 5e:00.0 used=5"), says("card 0 5e:00.0 used=6 watts=70", "info")])
    known = [acme(0, memory_used_bytes=1), acme(1, memory_used_bytes=1, health="ok")]
    fresh = [(d.memory_used_bytes, d.power_watts, d.health) for d in TOOL.sample(here, known)]
    assert fresh == [(5, 70.0, "unknown"), (None, None, "unknown")]
    told = TOOL.memory(here, "acme:0")
    assert told is not None
    assert told.used_bytes == 6


@pytest.mark.parametrize(("reason", "times"), [("acme-smi states none", 1), ("", 0)])
def test_a_tool_that_states_no_health_has_that_said_once(reason: str, times: int) -> None:
    folder = Path(__file__).parent.parent / "plugins/mthreads/tests/machines/healthy"
    assert MTHREADS.tool is not None
    stated = replace(MTHREADS, tool=replace(MTHREADS.tool, no_health=reason))
    reports = VendorBackend(stated).probe(RecordedMachine(folder), Request(depth="health"))
    assert sum(len(report.devices) > 0 for report in reports) > 1
    assert sum(gap.fact == "health" for report in reports for gap in report.gaps) == times
