"""Where no build of the installed release fits, the remedy goes to the nearest release that has one."""

from collections.abc import Sequence

import pytest

from accel.collect.live import judged
from accel.collect.text import read_texts
from accel.plugins.registry import Registry
from accel.resolver.nearest import nearest_minors
from accel.resolver.target import Accelerator, Target

REGISTRY = Registry({})
BLACKWELL = Accelerator(vendor="nvidia", name="RTX 5090", code="12.0")
VOLTA = Accelerator(vendor="nvidia", name="V100", code="7.0")


def machine(*devices: Accelerator, **known: object) -> Target:
    return Target(system="linux", machine="x86_64", accelerators=devices, **known)  # type: ignore[arg-type]


@pytest.mark.parametrize(
    ("installed", "target", "first"),
    [
        ("2.4.0", machine(BLACKWELL), ["2.7", "2.8", "2.9"]),
        ("2.6.0", machine(BLACKWELL, serves={"nvidia": "12.8"}), ["2.7", "2.8", "2.9"]),
        ("2.6.0", machine(VOLTA, drivers={"nvidia": "470.82.01"}), ["2.7", "2.5", "2.4"]),
        ("1.12.1", machine(VOLTA, python="3.12"), ["2.2", "2.3", "2.4"]),
        ("no version", machine(VOLTA), []),
    ],
)
def test_the_nearest_comes_first_and_of_two_alike_the_newer(
    installed: str, target: Target, first: Sequence[str]
) -> None:
    assert list(nearest_minors(REGISTRY.specs, "torch", installed, None, target)[:3]) == list(first)


def test_a_package_that_no_table_holds_has_no_near_release() -> None:
    assert nearest_minors(REGISTRY.specs, "made-up", "1.0", None, machine(VOLTA)) == ()


def test_a_gpu_that_is_too_new_gets_the_nearest_torch_that_knows_it() -> None:
    text = """PyTorch version: 2.4.0+cu121
CUDA used to build PyTorch: 12.1
GPU 0: NVIDIA GeForce RTX 5090
Nvidia driver version: 570.86.10
NVIDIA GeForce RTX 5090 with CUDA capability sm_120 is not compatible with the current PyTorch installation.
The current PyTorch install supports CUDA capabilities sm_50 sm_60 sm_70 sm_75 sm_80 sm_86 sm_90.
"""
    found = judged(read_texts([("report", text)], REGISTRY), REGISTRY).findings
    remedy = next(f for f in found if f.name == "gpu-arch-not-in-build").remedies[0]
    assert "The nearest that fits is torch 2.7.1+cu128" in remedy.text
    assert (
        remedy.command
        == "pip install torch==2.7.1 torchvision==0.22.1 --index-url https://download.pytorch.org/whl/cu128"
    )
