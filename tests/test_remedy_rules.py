"""Every remedy of every check, on all cases of the kit and, with ACCEL_CORPUS, on the corpus, keeps the rules."""

import re
from functools import cache
from pathlib import Path

import corpus
import pytest
from every_case import FOLDERS, every_case, registry
from remedy_rules import RULES, broken_promises

from accel.collect.text import read_texts
from accel.facts.questions import Facts
from accel.model.diagnosis import Diagnosis, Finding, Remedy
from accel.model.snapshot import Snapshot

HERE = Path(__file__).parent
# The checks whose remedies are held to the rules: the others join as they are gone through.
HELD = re.compile(r".*")


@cache
def on_the_kit() -> frozenset[str]:
    return frozenset(check.name for check in registry().checks)


def broken(snapshot: Snapshot, diagnosis: Diagnosis) -> list[str]:
    told = broken_promises(diagnosis, snapshot, registry().specs)
    return [one for one in told if HELD.match(one.split(": ")[1])]


@pytest.mark.parametrize("folder", FOLDERS, ids=lambda folder: "-".join(folder.parts[-3:]))
def test_no_remedy_of_a_case_breaks_a_rule(folder: Path) -> None:
    old = "framework" in folder.name or folder.parent == HERE  # whose cases of older checks are of the same form
    cases = [case for case in every_case() if case.folder == folder and (old or case.check in on_the_kit())]
    cases = [case for case in cases if not isinstance(case.given.get("live"), dict)]
    found = {f"{case.check}:{case.name}": broken(case.snapshot, case.diagnosis) for case in cases}
    assert {name: told for name, told in found.items() if told} == {}


@pytest.mark.skipif(not corpus.IS_THERE, reason="ACCEL_CORPUS names no corpus")
def test_no_remedy_on_the_corpus_breaks_a_rule() -> None:
    found = {path.parent.name: broken(*(corpus.judged(path) or ())) for path in corpus.reports()}
    assert {name: told for name, told in found.items() if told} == {}


BREAKS = {
    "no-cpu-wheel-for-a-gpu": (
        "GPU 0: NVIDIA GeForce RTX 3090 (UUID: GPU-1)",
        "pip install torch --index-url https://download.pytorch.org/whl/cpu",
    ),
    "no-cuda-where-there-is-none": (
        "OS: macOS 14.4.1 (arm64)",
        "pip install torch --index-url https://download.pytorch.org/whl/cu121",
    ),
    "no-driver-inside-wsl": (
        "Linux 5.15.90.1-microsoft-standard-WSL2 x86_64",
        "sudo apt install nvidia-driver-550",
    ),
    "no-pip-in-a-container-that-is-thrown-away": (
        "$ docker run --rm --gpus all pytorch/pytorch python x.py",
        "pip install torch==2.4.0",
    ),
    "no-older-release": ("pip list\ntorch==2.6.0", "pip install torch==2.4.0"),
    "pip-replaces-it": (
        "pip list\ntorch 2.4.0+cpu",
        "pip install torch==2.4.0 --index-url https://download.pytorch.org/whl/cu121",
    ),
    "root-in-a-container": ("root@0a1b2c3d4e5f:/# cat /proc/1/cgroup\n0::/docker/0a1b2c3d4e5f", "apt install gcc"),
    "companions-move-with-torch": ("torch==2.4.0\ntorchvision==0.19.0", "pip install torch==2.6.0"),
    "keeps-the-installer": ("$ uv pip install numpy", "pip install torch==2.4.0"),
    "old-toolkit-for-an-unknown-driver": ("torch 2.4.0", "pip install torch==2.14.1"),
    "no-build-by-a-guess": ("OS: Microsoft Windows 11 Pro", "pip install torch==2.6.0"),
    "pairs-are-pinned": ("torch==2.4.0", "pip install --no-deps xformers"),
    "resets-one-device": ("torch==2.4.0", "sudo nvidia-smi --gpu-reset"),
    "of-this-distribution": ("OS: Fedora Linux 40", "sudo apt install gcc"),
    "no-pip-as-root": ("torch==2.4.0", "sudo pip install torch==2.6.0"),
    "is-shown-whole": ("torch==2.4.0", "pip list\x1b[8m; id"),
    "keeps-the-mirror": (
        "$ pip install torch --index-url https://mirror.example/simple",
        "pip install torch --index-url https://download.pytorch.org/whl/cu121",
    ),
    "can-be-typed": ("torch==2.4.0", "env -u LD_LIBRARY_PATH python …"),
    "of-this-system": ("OS: Microsoft Windows 11 Pro", "sudo modprobe nvidia"),
    "exists-for-windows": ("OS: Microsoft Windows 11 Pro", "pip install vllm"),
}


@pytest.mark.parametrize("rule", BREAKS)
def test_a_rule_sees_what_breaks_it(rule: str) -> None:
    text, command = BREAKS[rule]
    snapshot = read_texts([("report", text)], registry())
    finding = Finding(
        code="AC999", name="made-up", severity="error", title="made up", remedies=(Remedy(text="Do.", command=command),)
    )
    diagnosis = Diagnosis(verdict="faults", findings=(finding,))
    told = list(broken_promises(diagnosis, snapshot, registry().specs))
    assert any(one.startswith(f"{rule}: ") for one in told), (told, Facts(snapshot).host)
    assert rule in RULES
