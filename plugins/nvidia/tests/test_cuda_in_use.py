"""The CUDA of an environment is told by any of several signs, and by none where there is none."""

import pytest
from accel_nvidia.cuda_in_use import cuda_in_use, programs_of, releases_for
from accel_nvidia.readers.cuda_folders import READER
from accel_nvidia.toolkit_install import toolkit_of

from accel.collect.text import read_texts
from accel.facts.infer import infer
from accel.facts.questions import Facts
from accel.plugins.registry import Registry
from accel.resolver.installer import in_conda

_REGISTRY = Registry({})


def facts_of(text: str) -> Facts:
    snapshot = read_texts([("report", text)], _REGISTRY)
    inferred, _ = infer(snapshot, _REGISTRY.specs, _REGISTRY.rules)
    return Facts(snapshot, inferred)


@pytest.mark.parametrize(
    ("text", "missing", "cudnn", "cuda"),
    [
        ("torch 2.1.2+cu118", (), None, "11.8"),
        ("torchaudio: 2.1.1+cu118", (), None, "11.8"),
        ("nvidia-cublas-cu12==12.1.3.1", (), None, "12"),
        ("it fails", ("libcublasLt.so.11",), None, "11"),
        ("it fails", ("libcurand.so.10",), None, None),
        ("RuntimeError: faster-whisper cannot load a library", (), "8", "12"),
        ("onnxruntime-gpu==1.19.2 does not start", (), "9", "12.8"),
        ("RuntimeError: onnxruntime cannot load a library", (), "9", "12"),
        ("RuntimeError: Paddle is compiled with CUDNN 9.9", (), "9.9", "12"),
        ("Cuda compilation tools, release 12.4, V12.4.131", (), None, "12.4"),
        ("it fails", (), "8", None),
    ],
)
def test_any_sign_tells_the_cuda(text: str, missing: tuple[str, ...], cudnn: str | None, cuda: str | None) -> None:
    found = cuda_in_use(facts_of(text), _REGISTRY.specs, missing, cudnn)
    assert (found or "").startswith(cuda) if cuda is not None else found is None


def test_the_builds_of_a_program_are_those_for_the_cudnn() -> None:
    rows = programs_of(facts_of("RuntimeError: Paddle cannot load libcudnn.so"), _REGISTRY.specs, "5")
    assert [row["first"] for row in rows] == ["0.11", "0.10"]
    assert all(one["cudnn"] == "5" for row in rows for one in row["builds"])
    assert releases_for(_REGISTRY.specs, "onnxruntime-gpu", "8", "11")[-1] == "1.16.0"


@pytest.mark.parametrize(
    ("line", "folder"),
    [
        ("/cvmfs/a/Core/cudacore/12.2.2/lib64:/cvmfs/a/lib", "/cvmfs/a/Core/cudacore/12.2.2/lib64"),
        ('prepend_path("LD_LIBRARY_PATH","/opt/apps/cuda/12.1/lib64")', "/opt/apps/cuda/12.1/lib64"),
        ("libcudart.so.12 => /usr/local/cuda-12.4/lib64/libcudart.so.12", "/usr/local/cuda-12.4/lib64"),
        ("ls: /usr/local/cuda-12.4/lib64: No such file or directory", None),
        ("cannot open shared object file; LD_LIBRARY_PATH: /usr/local/cuda-11.2/lib64", None),
        ("/usr/local/cuda/lib64", None),
    ],
)
def test_a_folder_of_libraries_is_read_where_it_is_shown(line: str, folder: str | None) -> None:
    kits = [kit for one in READER.read(line) if one.environment is not None for kit in one.environment.toolkits]
    assert [kit.path for kit in kits] == ([folder] if folder is not None else [])


@pytest.mark.parametrize(
    ("text", "command"),
    [
        ("$ conda install pytorch", "conda install -c nvidia/label/cuda-11.8.0 cuda-toolkit"),
        ("$ ls /usr/local/cuda-11.8", "export CUDA_HOME=/usr/local/cuda-11.8"),
        ("it does not build", "wget https://developer.download.nvidia.com/compute/cuda/repos/"),
        ("C:\\Users\\me> nvcc --version", "winget install"),
    ],
)
def test_a_toolkit_is_installed_unless_the_text_shows_it(text: str, command: str | None) -> None:
    shown = toolkit_of(facts_of(text), _REGISTRY.specs, "11.8").command
    assert shown is None if command is None else (shown or "").startswith(command)


@pytest.mark.parametrize(
    ("text", "known"),
    [
        ("$ conda install pytorch", True),
        ('File "/home/me/miniconda3/envs/app/lib/python3.10/site-packages/torch/__init__.py", line 1, in f', True),
        ("../../.pixi/envs/default/lib/python3.12/site-packages/jax/_src/xla_bridge.py:1004: in f", True),
        ("$ conda activate app\n$ pip install torch", False),
        ("It fails in a venv", False),
    ],
)
def test_an_environment_is_condas_by_its_commands_and_folders(text: str, known: bool) -> None:
    assert in_conda(facts_of(text)) is known
