"""A question asks for what the text does not show, and of the makers that it speaks of."""

import pytest
from every_case import registry

from accel.collect.text import read_texts
from accel.diagnose.answered import unanswered
from accel.diagnose.engine import diagnose
from accel.facts.infer import infer
from accel.facts.questions import Facts
from accel.model.diagnosis import Diagnosis

TRACEBACK = 'Traceback (most recent call last):\n  File "a.py", line 3, in <module>\n    run()\nRuntimeError: broken\n'


def facts_of(text: str) -> Facts:
    snapshot = read_texts([("report", text)], registry())
    return Facts(snapshot, infer(snapshot, registry().specs, registry().rules)[0])


def judged(text: str) -> Diagnosis:
    known = registry()
    return diagnose(read_texts([("report", text)], known), known.specs, known.checks, known.rules)


@pytest.mark.parametrize(
    ("asked", "text", "left"),
    [
        ("the whole traceback", TRACEBACK, None),
        ("the whole traceback", "RuntimeError: broken\n", "the whole traceback"),
        ("the command that was run", "$ python train.py\nSegmentation fault\n", None),
        ("the command that was run", "It ends with a segmentation fault.\n", "the command that was run"),
        ("nvcc --version; which gcc", "$ nvcc --version\nrelease 12.4, V12.4.131\n", "which gcc"),
        ("cat /etc/nv_tegra_release; pip list", "Orin NX, JetPack 5.1.2: CUDA error\n", "pip list"),
        ("cat /etc/nv_tegra_release", "Orin NX: CUDA error\n", "cat /etc/nv_tegra_release"),
    ],
)
def test_what_the_text_shows_is_not_asked(asked: str, text: str, left: str | None) -> None:
    assert unanswered(asked, facts_of(text), registry().specs) == left


def test_an_edge_tpu_is_not_asked_for_torch() -> None:
    found = judged("Failed to insert module 'gasket': No such device\nmodinfo apex shows the Coral driver.\n")
    asked = " ".join(command for one in found.open_questions for command in one.settles)
    assert "torch" not in asked
    assert "jax" not in asked


def test_an_npu_of_intel_is_not_asked_for_libtpu() -> None:
    found = judged("[Bug] Core Ultra 7: NPU is not an available device in openvino, /dev/accel/accel0 is there\n")
    asked = " ".join(command for one in found.open_questions for command in one.settles)
    assert "libtpu" not in asked
    assert "npu-smi" not in asked
