"""What a remedy names in words alone becomes the command that does it, with the values that the text shows."""

import pytest
from every_case import registry

from accel.collect.text import read_texts
from accel.facts.infer import infer
from accel.facts.questions import Facts
from accel.model.dataclass import replace
from accel.model.diagnosis import Remedy
from accel.remedies.acts import with_act
from accel.remedies.blanks import filled_in
from accel.remedies.environment import Environment

ECC = "NVRM: Xid (PCI:0000:4e:00): 94, pid=2411, name=python3, Contained: SM (0x1). RST: No, D-RST: No\n"
LISTED = """\
| NVIDIA-SMI 535.104.05   Driver Version: 535.104.05   CUDA Version: 12.2 |
|   3  NVIDIA A100-SXM4-80GB    On  | 00000000:4E:00.0 Off |                    0 |
"""
IN_POD = "The pod runs on Kubernetes 1.29, node group gpu.\n"
ON_WINDOWS = "PS C:\\Users\\a> nvidia-smi\n"


def acted(remedy: Remedy, text: str, check: str = "gpu-ecc-uncorrectable", devices: tuple[str, ...] = ()) -> Remedy:
    known = registry()
    snapshot = read_texts([("report", text)], known)
    facts = Facts(snapshot, infer(snapshot, known.specs, known.rules)[0])
    found = next(one for one in known.checks if one.name == check)
    here = Environment(facts=facts, specs=known.specs)
    told = with_act(remedy, found, here)
    return replace(told, command=filled_in(told.command, devices, here))


@pytest.mark.parametrize(
    ("said", "reach", "command"),
    [
        ("Drain the machine and reboot it; a lost GPU usually needs a power cycle.", "reboot", "sudo reboot"),
        ("Power the machine off and on; check the board's power and seating.", "reboot", "sudo poweroff"),
        ("End the programs on this GPU and reset it.", "reset", "sudo nvidia-smi --gpu-reset -i 3"),
        ("If it hangs again, reset the GPU.", "reset", "sudo nvidia-smi --gpu-reset -i 3"),
    ],
)
def test_an_act_that_is_named_becomes_its_command(said: str, reach: str, command: str) -> None:
    remedy = Remedy(text=said, action=reach)  # type: ignore[arg-type]
    assert acted(remedy, LISTED).command == command


@pytest.mark.parametrize(
    "remedy",
    [
        Remedy(text="Update the firmware; start the kernel with tsc=reliable.", action="reboot"),  # names none
        Remedy(text="Reset the devices together.", action="reset"),  # not one of them
        Remedy(text="If it stays, reboot.", action="reboot", kind="ask"),  # somebody else does it
        Remedy(text="Then reboot.", command="sudo update-grub", action="reboot"),  # has its command
        Remedy(text="Set it and reboot.", action="app"),  # of the program: no reboot of the machine
    ],
)
def test_what_names_no_act_or_has_a_command_stays(remedy: Remedy) -> None:
    assert acted(remedy, LISTED) == remedy


def test_a_device_that_prose_alone_names_has_no_number() -> None:
    remedy = Remedy(text="Reset the GPU.", action="reset")
    assert acted(remedy, "My A100 answers with an uncorrectable ECC error.\n").command == (
        "sudo nvidia-smi --gpu-reset -i GPU_NUMBER"
    )


def test_the_tool_is_the_one_of_the_checks_maker() -> None:
    remedy = Remedy(text="When nothing runs on it, reset the chip.", action="reset")
    assert (
        acted(remedy, "npu-smi: ECC error\n", check="npu-ecc-error").command
        == "sudo npu-smi set -t reset -i NPU_ID -c 0"
    )


def test_a_node_of_kubernetes_is_drained_first() -> None:
    found = acted(Remedy(text="Reboot the machine.", action="reboot"), ECC + IN_POD).command
    assert found is not None
    assert found.startswith("kubectl drain NODE ")
    assert found.endswith("ssh NODE sudo reboot")


def test_windows_restarts_by_its_own_command() -> None:
    assert acted(Remedy(text="Reboot the machine.", action="reboot"), ON_WINDOWS).command == "shutdown /r /t 0"


def test_whoever_holds_a_device_is_shown_and_then_ended() -> None:
    remedy = Remedy(text="Find the process, and end it.", command="sudo lsof -w /dev/accel*", action="app")
    assert acted(remedy, "The device is busy.\n").command == "sudo lsof -w /dev/accel*; sudo kill PID"


def test_a_process_that_is_named_is_ended_by_its_number() -> None:
    remedy = Remedy(text="See whether it is wanted; if not, end it.", command="ps -fp 4242", action="app")
    told = acted(remedy, "The device is busy.\n")
    assert told.command == "sudo kill 4242"
    assert told.text.endswith("ps -fp 4242")
