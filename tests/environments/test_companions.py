"""Whether torchvision and torchaudio are of torch's build, by their own files where their versions do not say it."""

from pathlib import Path

import pytest
from recorded_environment import RecordedEnvironment
from small_elf import small_elf

from accel.collect.environment import looked_at

TORCH_BUILDS = {
    "cpu": "cuda = None\nhip = None\n",
    "cu124": "cuda = '12.4'\nhip = None\n",
    "rocm6.2": "cuda = None\nhip = '6.2.4'\n",
}
NEEDS = {
    "cuda 12": ("libc10.so", "libtorch_cpu.so", "libtorch_cuda.so", "libcudart.so.12"),
    "cuda 11": ("libc10.so", "libtorch_cpu.so", "libtorch_cuda.so", "libcudart.so.11.0"),
    "rocm": ("libc10.so", "libtorch_cpu.so", "libtorch_hip.so"),
    "cpu": ("libc10.so", "libtorch_cpu.so"),
}


def noted(folder: Path, torch: str, version: str, needs: str, name: str = "torchvision") -> list[str]:
    """Return what is noted of a companion beside a build of torch. version: what its own version.py says."""
    environment = RecordedEnvironment(folder)
    versions = f"__version__ = '2.5.1+{torch}'\n{TORCH_BUILDS[torch]}"
    environment.package("torch", "2.5.1", files={"torch/__init__.py": "", "torch/version.py": versions})
    compiled = "torchvision/_C_stable.so" if name == "torchvision" else "torchaudio/lib/libtorchaudio.so"
    files = {f"{name}/__init__.py": "", compiled: small_elf(*NEEDS[needs])}
    environment.package(name, "0.20.1", files={**files, f"{name}/version.py": f"__version__ = '{version}'\n"})
    notes = looked_at(environment.machine(), architecture="x86_64")[1]
    return [one.text for one in notes if getattr(one, "fact", None) == "companion-of-another-build"]


@pytest.mark.parametrize("name", ["torchvision", "torchaudio"])
@pytest.mark.parametrize("version", ["0.20.1+cu124", "0.20.1", "0.20.1a0+3ac97aa"])
def test_a_cuda_build_beside_torch_for_the_cpu_is_told(tmp_path: Path, name: str, version: str) -> None:
    (told,) = noted(tmp_path, "cpu", version, "cuda 12", name)
    assert told.startswith(f"{name} 0.20.1 was built for CUDA 12")
    assert told.endswith("torch 2.5.1 for the CPU")


@pytest.mark.parametrize(
    ("torch", "version", "needs"),
    [
        ("cpu", "0.20.1+cpu", "cpu"),
        ("cpu", "0.20.1", "cpu"),
        ("cu124", "0.20.1+cu124", "cuda 12"),
        ("cu124", "0.20.1+cu121", "cuda 12"),  # torchvision itself compares the majors
        ("cu124", "0.20.1", "cuda 12"),
        ("rocm6.2", "0.20.1+rocm6.2", "rocm"),
        ("rocm6.2", "0.20.1", "rocm"),
    ],
)
def test_a_pair_of_one_build_is_silent(tmp_path: Path, torch: str, version: str, needs: str) -> None:
    assert noted(tmp_path, torch, version, needs) == []


@pytest.mark.parametrize(
    ("torch", "version", "needs", "told"),
    [
        ("cu124", "0.20.1", "cuda 11", "torchvision 0.20.1 was built for CUDA 11, torch 2.5.1 for CUDA 12.4"),
        ("cu124", "0.20.1+cpu", "cpu", "torchvision 0.20.1 was built for the CPU, torch 2.5.1 for CUDA 12.4"),
        ("rocm6.2", "0.20.1+cu124", "cuda 12", "torchvision 0.20.1 was built for CUDA 12.4, torch 2.5.1 for ROCm 6.2"),
        ("cpu", "0.20.1", "rocm", "torchvision 0.20.1 was built for ROCm, torch 2.5.1 for the CPU"),
    ],
)
def test_another_platform_or_cuda_major_is_told(
    tmp_path: Path, torch: str, version: str, needs: str, told: str
) -> None:
    assert noted(tmp_path, torch, version, needs) == [told]


def test_a_companion_without_version_file_or_library_is_silent(tmp_path: Path) -> None:
    environment = RecordedEnvironment(tmp_path)
    environment.package("torch", "2.5.1+cpu")
    environment.package("torchvision", "0.20.1")
    assert looked_at(environment.machine(), architecture="x86_64")[1] == ()
