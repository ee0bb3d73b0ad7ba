"""CUDA, cuDNN and ONNX Runtime as people state them, and what states nothing of the kind."""

import pytest

from accel.facts.readers.typed_cuda import READER


def stated(text: str) -> dict[str, list[str]]:
    found: dict[str, list[str]] = {}
    for reading in READER.read(text):
        for kit in reading.environment.toolkits if reading.environment else ():
            found.setdefault(kit.name.removesuffix("-stated"), []).append(kit.version or "")
    return found


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("- CUDA/cuDNN version: 10.2.89", {"cuda": ["10.2.89"]}),
        ("- CUDA/cuDNN version: CUDA 11.3 cuDNN 8200", {"cuda": ["11.3"], "cudnn": ["8.2.0"]}),
        ("- CUDA/cuDNN version: 10.2/7.6.5", {"cuda": ["10.2"], "cudnn": ["7.6.5"]}),
        ("### CUDA/cuDNN version\n\n11.2/8.1", {"cuda": ["11.2"], "cudnn": ["8.1"]}),
        ("- **CUDA/cuDNN version**:\n9.1", {"cuda": ["9.1"]}),
        ("NVIDIA CUDA Tool Kit, VERSION 12.2\nCUDNN, VERSION 8.9", {"cuda": ["12.2"], "cudnn": ["8.9"]}),
        ("CUDA版本: 10.1\ncuDNN版本：7.6.5", {"cuda": ["10.1"], "cudnn": ["7.6.5"]}),
        ("conda install cudatoolkit=10.0", {"cuda": ["10.0"]}),
        (r"C:\Program Files\NVIDIA GPU Computing Toolkit\CUDA\v12.4", {"cuda": ["12.4"]}),
        ("### ONNX Runtime Version or Commit ID\n\n1.19.2 OR 1.17.1", {"onnxruntime": ["1.19.2"]}),
        ("nuget package Microsoft.ML.OnnxRuntime.GPU, VERSION 1.16.0", {"onnxruntime-nuget": ["1.16.0"]}),
    ],
)
def test_what_is_stated_is_read_in_any_form(text: str, expected: dict[str, list[str]]) -> None:
    assert stated(text) == expected


@pytest.mark.parametrize(
    "text",
    [
        "It requires CUDA 11.8 and cuDNN 8.",
        "PyTorch 2.1.2+cu121 with CUDA 1201 (you have 2.1.2+cpu)",
        "The detected CUDA version (10.1) mismatches the version that was used to compile PyTorch (12.1)",
        "| NVIDIA-SMI 470.82.01    Driver Version: 470.82.01    CUDA Version: 11.4     |",
        "Is CUDA 12.4 the right one?",
        "a new machine with CUDA 12.4 drivers",
        "The installed Paddle is compiled with CUDNN 8.2, but CUDNN version in your machine is 8.1",
        "torch 2.1.0+cu121",
    ],
)
def test_what_is_asked_required_or_served_is_not_stated(text: str) -> None:
    assert stated(text) == {}
