"""What the command line answers to a mistyped option, another tool's command, and devices by name."""

import pytest
from rich.console import Console
from rich.table import Table

from accel.apps.cli import main
from accel.apps.render.stacked import stacked
from accel.facts.device_names import device_named, devices_named
from accel.model.device import Device
from accel.model.errors import NoSuchDevice


@pytest.mark.parametrize(
    ("words", "said"),
    [
        (["devices", "--jsn"], "Did you mean  --json ?"),
        (["doctor", "--jsn"], "Did you mean  --json ?"),
        (["plugins", "list", "--jsn"], "Did you mean  --json ?"),
        (["watch", "--recrd=x"], "Did you mean  --record ?"),
        (["--jsn"], "Did you mean  accel COMMAND --json ?"),
        (["--verson"], "Did you mean  accel --version ?"),
        (["monitor"], "Did you mean  accel watch ?"),
        (["Status"], "Did you mean  accel devices ?"),
        (["docter"], "Did you mean  accel doctor ?"),
    ],
)
def test_a_wrong_word_is_answered_with_the_nearest(
    words: list[str], said: str, capsys: pytest.CaptureFixture[str]
) -> None:
    assert main(words) == 2
    assert said in " ".join(capsys.readouterr().err.split("\n")).replace("\n", " ")


def test_what_is_near_nothing_gets_no_suggestion(capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["devices", "--colour"]) == 2
    assert "Did you mean" not in capsys.readouterr().err


def test_the_help_lists_the_version(capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["--help"]) == 0
    assert "-V, --version" in capsys.readouterr().out


def gpu(backend: str, index: int, parent: str | None = None) -> Device:
    name = f"{parent}/{index}" if parent else f"{backend}:{index}"
    return Device(id=name, index=index, backend=backend, vendor=backend, kind="gpu", parent=parent)


CPU = Device(id="cpu:0", index=0, backend="cpu", vendor="x", kind="cpu")
ONE_VENDOR = (gpu("nvidia", 0), gpu("nvidia", 0, "nvidia:0"), gpu("nvidia", 2), CPU)


def test_a_number_names_the_accelerator_that_has_it() -> None:
    assert device_named(ONE_VENDOR, "2").id == "nvidia:2"
    assert device_named(ONE_VENDOR, "0").id == "nvidia:0"
    assert [device.id for device in devices_named(ONE_VENDOR, ["0"])] == ["nvidia:0", "nvidia:0/0"]


def test_a_number_of_two_vendors_devices_names_none() -> None:
    with pytest.raises(NoSuchDevice, match="the number of several: nvidia:0, amd:0"):
        device_named((gpu("nvidia", 0), gpu("amd", 0)), "0")


def test_devices_takes_the_names_of_devices(capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["devices", "cpu:0", "--json"]) == 0
    assert '"id": "cpu:0"' in capsys.readouterr().out
    assert main(["devices", "nvidia:77"]) == 2
    assert "No device 'nvidia:77' is on this machine" in capsys.readouterr().err
    assert main(["devices", "no-such-file"]) == 2
    assert "no-such-file: No such file" in capsys.readouterr().err


@pytest.mark.parametrize(("width", "is_stacked"), [(40, True), (59, True), (100, False)])
def test_a_table_that_a_narrow_terminal_breaks_is_stacked(width: int, is_stacked: bool) -> None:
    table = Table("device", "name of it", "memory")
    table.add_row("nvidia:0", "NVIDIA H100 80GB HBM3", "79.6 of 80.0 GiB in use")
    out = Console(width=width, record=True)
    with out.capture() as captured:
        out.print(stacked(table, out))
    lines = [line.rstrip() for line in captured.get().splitlines()]
    assert ("  memory 79.6 of 80.0 GiB in use" in lines) is is_stacked


def test_a_small_table_stays_a_table_on_a_narrow_terminal() -> None:
    table = Table("a", "b")
    table.add_row("1", "2")
    assert stacked(table, Console(width=40)) is table
