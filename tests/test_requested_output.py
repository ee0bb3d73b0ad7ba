"""A text that tells too little is undecided, and is told which command's output would decide it."""

from functools import cache

import pytest

from accel.apps.render.diagnosis_words import outcome
from accel.collect.text import read_texts
from accel.diagnose.engine import diagnose
from accel.facts.readers.mechanisms.subjects import recognise
from accel.facts.readers.page import Page
from accel.model.diagnosis import Diagnosis
from accel.model.snapshot import Snapshot
from accel.plugins.registry import Registry

# A text without the line that decides; a check that one of the commands must decide; part of that command.
TOO_LITTLE = {
    "a driver with its error gone": ("Nvidia GeForce RTX 3050 laptop\nUbuntu 21.04", "driver-too-old", "nvidia-smi"),
    "a container": ("$ docker run -it my/cuda:12.4 bash", "container-without-gpu", "--gpus all"),
    "a job of Slurm": ("#SBATCH --partition=a100\nnvidia driver 525", "slurm-gres-missing", "scontrol"),
    "an add-on beside torch": ("torch 2.3.0\nflash-attn 2.5.7", "extension-built-for-other-torch", "import NAME"),
    "a data loader": ("torch 2.3, DataLoader with 8 workers", "shm-too-small", "/dev/shm"),
    "NPUs": ("NPU: 910B1, CANN 8.0", "npu-nnal-missing", "ascend"),
    "a TPU": ("(v4-16, docker on worker 0 only)", "tpu-slice-incomplete", "describe"),
    "jax on a GPU": ("jax 0.4.30, GeForce RTX 3090", "jax-cuda-plugin-mismatch", "print_environment_info"),
    "a machine that slept": ("CUDA is gone after suspend", "driver-not-loaded", "dmesg"),
    "an old processor": ("Celeron N3060, Python 3.9", "cpu-without-avx", "lscpu"),
    "an old C library": ("centos 7", "glibc-too-old", "ldd --version"),
    "a Mac": ("macOS 13.7, torch 2.4", "mps-not-available", "sw_vers"),
    "an AMD GPU": ("Radeon RX 7900, torch 2.3.0", "rocm-arch-unsupported", "rocminfo"),
    "a list of packages": ("torch==2.5.1+cu124\nnvidia-cublas-cu12==12.4.5.8", "cuda-libs-conflict", "pip list"),
}
SPOKEN = {
    "A DOCKER image": {"container"},
    "the dockerfile": {"container"},
    "(docker)": {"container"},
    "a tf model": {"tensorflow"},
    "after tfoo": set(),
    "undocker it": set(),
    "my_docker": set(),
    "slurm-12.out\nlibslurm": {"slurm"},
    "a6000 beside xa6000": {"nvidia"},
    "it cannot be found, ascending": set(),
    "CANN 8.0, cann-toolkit": {"ascend"},
    "in PowerShell": set(),
    "HCCL on a Gaudi2 card": {"gaudi"},
    "HCCL timed out": {"ascend"},
    "![image](https://x)": set(),
    "": set(),
}


@cache
def registry() -> Registry:
    return Registry({})


def judged(text: str) -> Diagnosis:
    snapshot = read_texts([("report", text)], registry())
    return diagnose(snapshot, registry().specs, registry().checks, registry().rules)


@pytest.mark.parametrize(("text", "check", "part"), TOO_LITTLE.values(), ids=TOO_LITTLE)
def test_a_text_that_tells_too_little_is_told_what_decides(text: str, check: str, part: str) -> None:
    found = judged(text)
    assert found.verdict == "undecided"
    deciding = [one.command for one in found.requested_output if check in one.decides]
    assert any(part in (command or "") for command in deciding), found.requested_output
    assert len([one for one in found.requested_output if one.command]) <= 4


@pytest.mark.parametrize(("text", "subjects"), SPOKEN.items())
def test_a_subject_is_spoken_of_where_one_of_its_words_stands(text: str, subjects: set[str]) -> None:
    seen = {dict(one.values)["subject"] for one in recognise(Page(text, registry().specs))}
    assert seen == subjects


def test_a_text_without_an_error_is_asked_for_it_first() -> None:
    assert judged("torch 2.3.0 on a GeForce RTX 3090").requested_output[0].command is None
    assert all(one.command for one in judged("torch 2.3.0\nFrobnicateError: cuda gave up").requested_output)


def test_what_is_printed_already_is_not_asked_for() -> None:
    said = "GeForce RTX 3090\n"
    smi = "| NVIDIA-SMI 550.120      Driver Version: 550.120      CUDA Version: 12.4     |\n"
    assert any((one.command or "").startswith("nvidia-smi; cat") for one in judged(said).requested_output)
    assert not any((one.command or "").startswith("nvidia-smi; cat") for one in judged(said + smi).requested_output)


def test_where_a_fault_is_found_or_the_machine_itself_is_read_nothing_is_asked_for() -> None:
    assert judged("Failed to initialize NVML: Driver/library version mismatch").requested_output == ()
    assert diagnose(Snapshot(), registry().specs, registry().checks, registry().rules).requested_output == ()


def test_a_list_of_packages_alone_is_never_clear() -> None:
    assert judged("torch==2.5.1+cu124\ntorchvision==0.20.1+cu124\n").verdict == "undecided"


def test_every_look_is_about_subjects_and_decides_checks_that_there_are() -> None:
    specs = registry().specs
    subjects = {subject for subject, _ in specs.hints.subjects}
    checks = {check.name for check in registry().checks} | {check.family for check in registry().checks}
    assert len(subjects) == len(specs.hints.subjects)
    for row in specs.hints.requested_output:
        assert set(row["about"]) - subjects == set(), row["command"]
        assert set(row["decides"]) - checks == set(), row["command"]
        assert row["about"], row["command"]
        assert row["decides"], row["command"]
        assert len(set(row["decides"])) == len(row["decides"]), row["command"]


def test_windows_is_asked_for_what_windows_has() -> None:
    found = judged(
        "The description for Event ID 153 from source nvlddmkm cannot be found.\nError occurred on GPUID: 100"
    )
    assert [one.command for one in found.requested_output] == ["nvidia-smi"]
    asked = [command for one in found.unexplained for command in one.give]
    assert "the command that was run" in asked
    assert "the whole traceback" not in asked  # nothing here is Python's
    assert not [command for command in asked if "$" in command or "dmesg" in command or "/proc" in command]


def test_a_line_that_is_said_again_at_another_time_is_shown_once() -> None:
    line = "Dec 31 01:21:{} FORGE app[555324]: the gpu widget failed at 2024-12-31T01:21:{}.358-05:00"
    found = judged("\n".join(line.format(second, second) for second in (28, 29, 30)))
    assert len(found.unexplained) == 1
    codes = judged("gpu widget failed with error 41\ngpu widget failed with error 42")
    assert len(codes.unexplained) == 2


_OWN = "RuntimeError: Expected all tensors to be on the same device, but found at least two devices, cuda:0 and cpu!\n"


def test_an_error_of_the_program_asks_for_nothing_of_the_machine() -> None:
    found = judged(_OWN)
    assert [(one.name, one.severity) for one in found.findings] == [("tensors-unlike", "info")]
    assert (found.verdict, found.requested_output, found.unexplained) == ("clear", (), ())
    assert outcome(found).startswith("Not an accelerator fault: Tensors of different devices")


def test_an_error_of_the_program_beside_another_asks_on() -> None:
    found = judged(_OWN + "\nthe gpu widget failed with error 41")
    assert found.requested_output
    assert outcome(found).startswith("Undecided")


@pytest.mark.parametrize(
    ("text", "not_asked"),
    {
        "MacBook Pro M1, RuntimeError: cuda is not there, torch 2.4": ("nvidia-smi", "LD_LIBRARY_PATH", "dmesg"),
        "Ascend 910B, RuntimeError: torch.cuda gave up, NPU lost": ("nvidia-smi",),
        "Jetson Orin NX, RuntimeError: cuda gave up, torch 2.3": ("nvidia-smi",),
        "Gaudi2, hccl: Error: gave up": ("npu-smi", "davinci"),
    }.items(),
)
def test_nothing_is_asked_of_another_maker_or_system(text: str, not_asked: tuple[str, ...]) -> None:
    found = judged(text)
    asked = [one.command or "" for one in found.requested_output]
    asked += [give for one in found.unexplained for give in one.give]
    asked += [cause.look or "" for one in found.ambiguous_causes for cause in one.candidates]
    assert asked
    assert [one for one in asked if any(word in one for word in not_asked)] == []


def test_a_machine_under_wsl_is_asked_for_the_builds_of_windows_and_wsl() -> None:
    found = judged("WSL 2, GeForce RTX 3060: nvidia-smi returns an error")
    assert any("wsl.exe --version" in (one.command or "") for one in found.requested_output)
