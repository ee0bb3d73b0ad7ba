"""How one sees that a fault is over: with the tool of the maker, and with what the reader may run."""

import pytest

from accel.collect.live import judged
from accel.collect.text import read_texts
from accel.model.diagnosis import Finding
from accel.plugins.registry import Registry

_LOST = (
    "Unable to determine the device handle for GPU0000:3B:00.0: GPU is lost.  Reboot the system to recover this GPU\n"
)
_TAKEN = (
    "ValueError: Free memory on device (2.31/191.98 GiB) on startup is less than desired GPU memory utilization "
    "(0.9, 172.79 GiB). Decrease GPU memory utilization or reduce GPU memory used by other processes.\n"
)
_OF_PACKAGES = ("of-the-package-that-is-installed", "of-the-framework-that-failed")


def finding_of(text: str, name: str) -> Finding:
    registry = Registry({})
    found = judged(read_texts([("the text", text)], registry), registry).findings
    return next(one for one in found if one.name == name)


@pytest.mark.parametrize(
    ("text", "name", "command"),
    [
        (_LOST, "gpu-lost", "nvidia-smi -L; sudo dmesg -T | grep -iE 'xid|fallen off'"),
        (f"root@autodl-container-7d1a:~/autodl-tmp# nvidia-smi\n{_LOST}", "gpu-lost", "nvidia-smi -L"),
        (f"$ sbatch train.sh\n{_LOST}", "gpu-lost", "nvidia-smi -L"),
        (
            f"GPU[0] : Card Series: AMD Instinct MI300X\n{_TAKEN}",
            "gpu-memory-taken-by-other-process",
            "rocm-smi --showmeminfo vram",
        ),
        (
            "Ubuntu 18.04 on a g4dn.xlarge with a Tesla T4\nCUDA error 35 at llama.cpp/ggml-cuda.cu:493: CUDA driver "
            "version is insufficient for CUDA runtime version\n",
            "driver-too-old",
            "nvidia-smi",
        ),
        (
            "ERROR: No matching distribution found for torch-npu==2.5.1.post1.dev20250619\n",
            "wheel-not-in-index",
            "pip index versions torch-npu",
        ),
        (
            "Found cuBLAS version 120205, but JAX was built against version 120304, which is newer.\n",
            "cuda-libs-conflict",
            "python -c 'import jax; print(jax.devices())'; pip list | grep -i nvidia-",
        ),
    ],
    ids=["root's", "in-a-rented-container", "in-a-job", "of-amd", "of-a-program-with-its-own-kernels", *_OF_PACKAGES],
)
def test_what_shows_it_can_be_run_there(text: str, name: str, command: str) -> None:
    over = finding_of(text, name).verification
    assert over is not None
    assert over.command == command


def test_who_holds_memory_of_an_amd_gpu_is_asked_of_its_own_tool() -> None:
    found = finding_of(f"GPU[0] : Card Series: AMD Instinct MI300X\n{_TAKEN}", "gpu-memory-taken-by-other-process")
    assert "rocm-smi" in (found.remedies[0].command or "")
    assert all("nvidia" not in (one.command or "") for one in found.remedies)


@pytest.mark.parametrize(
    ("text", "name", "shown"),
    [
        (
            "$ hl-smi\nRuntimeError: synStatus=26 [Generic failure] Device acquire failed.\n"
            "image: vault.habana.ai/gaudi-docker/1.10.0/ubuntu20.04/habanalabs/pytorch-installer-1.13.1\n"
            "HL-SMI Version: hl-1.4.0\nDriver Version: 1.4.0\n",
            "gaudi-not-acquired",
            "one release",
        ),
        (
            "CUDA error 209 at /src/ggml-cuda.cu:5284: no kernel image is available for execution on the device\n",
            "gpu-arch-not-in-build",
            "no longer prints “CUDA error 209 at",
        ),
    ],
)
def test_a_text_says_what_is_then_true_and_not_only_that_it_works(text: str, name: str, shown: str) -> None:
    over = finding_of(text, name).verification
    assert over is not None
    assert shown in over.text
