"""A package remedy is chosen for this machine, and none breaks what an installed package requires."""

import pytest

from accel.collect.live import judged
from accel.collect.text import read_texts
from accel.facts.infer import infer
from accel.facts.questions import Facts
from accel.plugins.registry import Registry
from accel.remedies.planner import plan
from accel.vendors.contract.check import Check, Problem, Remedy

_CHECK = Check(code="AC999", name="no-gpu", layer="driver", run=lambda facts, specs: ())
_SMI = "| NVIDIA-SMI 550.54.14    Driver Version: 550.54.14    CUDA Version: 12.4 |\nGPU 0: NVIDIA GeForce RTX 4090\n"


def planned(text: str, *remedies: Remedy) -> tuple[Remedy, ...]:
    known = Registry({})
    snapshot = read_texts([("report", text)], known)
    facts = Facts(snapshot, infer(snapshot, known.specs, known.rules)[0])
    return plan(Problem(title="No GPU.", remedies=remedies), _CHECK, facts, known.specs).remedies


def command(text: str, written: str) -> str:
    return planned(text, Remedy(text="Install it.", command=written))[0].command or ""


def test_a_package_without_a_release_is_chosen_for_the_driver() -> None:
    told = command(_SMI, "pip uninstall -y onnxruntime && pip install onnxruntime-gpu")
    assert told.startswith("pip uninstall -y onnxruntime && pip install --upgrade 'onnxruntime-gpu[cuda,cudnn]>=1.")
    assert command("it is slow", "pip install onnxruntime-gpu") == "pip install onnxruntime-gpu"


@pytest.mark.parametrize(
    "written",
    ["pip install some-unknown-name", "pip install onnxruntime-gpu==1.20.1", "pip install PACKAGE", "pip install ."],
)
def test_what_the_resolver_does_not_know_stays_as_it_was_written(written: str) -> None:
    assert command(_SMI, written) == written


@pytest.mark.parametrize(
    ("listed", "written", "pin"),
    [
        ("cupy-cuda12x==14.2.0", "pip install 'numpy<2'", "cupy-cuda12x 14.2.0 requires numpy>=2.0"),
        ("vllm==0.11.0", "pip install torch==2.5.1", "vllm 0.11.0 requires torch==2.8.0"),
    ],
)
def test_what_breaks_an_installed_package_is_no_command_and_comes_last(listed: str, written: str, pin: str) -> None:
    broken = Remedy(text="Take that.", command=written)
    other = Remedy(text="Set it.", command="export A=1")
    first, last = planned(f"$ pip freeze\n{listed}\nnumpy==2.1.0\n", broken, other)
    assert (first.command, last.command) == ("export A=1", None)
    assert pin in last.text


@pytest.mark.parametrize(
    ("listed", "written"),
    [
        ("cupy-cuda12x==13.6.0", "pip install 'numpy<2'"),
        ("vllm==0.11.0", "pip install torch==2.8.0 --index-url https://download.pytorch.org/whl/cu128"),
        ("vllm==0.11.0", "pip uninstall -y vllm && pip install torch==2.5.1"),
        ("some-unknown-name==1.0", "pip install 'numpy<2'"),
    ],
)
def test_what_every_installed_package_allows_stays_a_command(listed: str, written: str) -> None:
    assert command(f"$ pip freeze\n{listed}\nnumpy==2.1.0\n", written) == written


_UNSERVED = """RuntimeError: CUDA error: no kernel image is available for execution on the device
Tesla P100-PCIE-16GB with CUDA capability sm_60 is not compatible with the current PyTorch installation.
The current PyTorch install supports CUDA capabilities sm_70 sm_75 sm_80 sm_86 sm_90.
"""


def first_command(text: str) -> str:
    known = Registry({})
    told = judged(read_texts([("report", text)], known), known).findings
    return next(one for one in told if one.name == "gpu-arch-not-in-build").remedies[0].command or ""


@pytest.mark.parametrize(
    ("before", "companions"),
    [
        ("", False),
        ("I am using Google Colab.\n", True),
        ("$ pip install torch torchvision torchaudio\n", True),
    ],
    ids=["alone", "preinstalled", "asked-of-the-installer"],
)
def test_companions_of_torch_move_with_it(before: str, companions: bool) -> None:
    told = first_command(f"{before}torch 2.8.0+cu128\nGPU 0: Tesla P100-PCIE-16GB\n{_UNSERVED}")
    assert "cu126" in told
    assert ("torchvision==" in told and "torchaudio==" in told) is companions


def test_an_add_on_that_fetches_its_own_wheel_is_made_to_compile() -> None:
    written = "pip install --force-reinstall --no-deps --no-build-isolation flash-attn"
    assert command("it is slow", written) == f"FLASH_ATTENTION_FORCE_BUILD=TRUE {written}"
    assert command("In [3]: !pip list\n", written) == f"!FLASH_ATTENTION_FORCE_BUILD=TRUE {written}"
    assert command("$ docker run app:1\n", written) == f"RUN FLASH_ATTENTION_FORCE_BUILD=TRUE {written}"
    assert command("it is slow", "pip install flash-attn").startswith("pip install flash-attn")
