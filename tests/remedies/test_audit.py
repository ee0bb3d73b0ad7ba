"""No remedy installs what the tables say cannot work here: it is mended, or there is no command and the reason."""

import pytest

from accel.collect.text import read_texts
from accel.facts.infer import infer
from accel.facts.questions import Facts
from accel.plugins.registry import Registry
from accel.remedies.actions import actions_of
from accel.remedies.audit import objections
from accel.remedies.environment import Environment, environment_of
from accel.remedies.planner import plan
from accel.vendors.contract.check import Check, Problem, Remedy

_REGISTRY = Registry({})
_CHECK = Check(code="AC999", name="no-gpu", layer="driver", run=lambda facts, specs: ())
_TENSORFLOW = (
    "pip install \"tensorflow[and-cuda]==$(python -c 'import importlib.metadata as m; "
    'print(m.version("tensorflow"))\')"'
)
_CU128 = "https://download.pytorch.org/whl/cu128"
_CUDA_12_AND_CUDNN_8 = "CUDA version: 12.3\ncuDNN version: 8.9.7\n"
_SMI = "| NVIDIA-SMI 470.199.02    Driver Version: 470.199.02    CUDA Version: 11.4 |\n"


def facts_of(text: str) -> Facts:
    snapshot = read_texts([("report", text)], _REGISTRY)
    return Facts(snapshot, infer(snapshot, _REGISTRY.specs, _REGISTRY.rules)[0])


def here(text: str) -> Environment:
    return environment_of(facts_of(text), _REGISTRY.specs)


def planned(text: str, command: str) -> Remedy:
    problem = Problem(title="No GPU.", remedies=(Remedy(text="Install it.", command=command),))
    return plan(problem, _CHECK, facts_of(text), _REGISTRY.specs).remedies[0]


@pytest.mark.parametrize(
    ("text", "command", "because"),
    [
        ("CUDA version: 12.3\n", "pip install onnxruntime-gpu", "built for CUDA 13"),
        (_CUDA_12_AND_CUDNN_8, "pip install onnxruntime-gpu==1.20.1", "built for cuDNN 9"),
        ("- Python 3.6.9\n", "pip install 'jax[cuda12]'", "Python 3.6"),
        ("it runs on Python 3.8 here\n", "uv pip install torch==2.7.0", "Python 3.8"),
        ("$ pip freeze\ntensorflow==2.12.0\n", _TENSORFLOW, "no extra and-cuda"),
        ("### TensorFlow Version: 2.12\n", _TENSORFLOW, "no extra and-cuda"),
        ("Windows 11\n", "python -m pip install 'jax[cuda12]==0.6.0'", "no build cuda12"),
        (f"{_SMI}GPU 0: NVIDIA GeForce RTX 3090\n", f"pip install torch==2.7.0 --index-url {_CU128}", "driver"),
        ("torch\n", "pip install torch==2.4.0 --index-url https://download.pytorch.org/whl/cu130", "no build cu130"),
        ("Red Hat Enterprise Linux Server 7.6 (Maipo)\n", "sudo dnf module install nvidia-driver:580-dkms", "yum"),
    ],
)
def test_what_cannot_work_here_has_a_reason(text: str, command: str, because: str) -> None:
    assert because in " ".join(objections(actions_of(command, _REGISTRY.specs), here(text)))


@pytest.mark.parametrize(
    ("text", "command"),
    [
        ("it is slow\n", "pip install onnxruntime-gpu"),
        ("CUDA version: 13.0\n", "pip install onnxruntime-gpu"),
        ("CUDA version: 12.3\n", "pip install 'onnxruntime-gpu[cuda,cudnn]==1.26.0'"),
        ("- Python 3.12.4\n", "pip install 'jax[cuda12]'"),
        ("- Python 3.6.9\n", "conda create -y -n e python=3.12 && conda run -n e pip install 'jax[cuda12]'"),
        ("$ pip freeze\ntensorflow==2.16.1\n", _TENSORFLOW),
        (f"{_SMI}CUDA version: 11.4\n", "pip install nvidia-cudnn-cu11 onnxruntime-gpu==1.16.3"),
        ("- Python 3.6.9\n", "pip install some-unknown-name==1.0 ./a.whl"),
        ("torch\n", "pip install torch==2.4.0 --index-url https://wheels.example/simple"),
        ("Rocky Linux 9.3\n", "sudo dnf module install nvidia-driver:580-dkms"),
    ],
)
def test_what_may_work_here_has_none(text: str, command: str) -> None:
    assert objections(actions_of(command, _REGISTRY.specs), here(text)) == ()


def test_the_newest_release_that_passes_takes_the_place_of_the_newest() -> None:
    told = planned("CUDA version: 12.3\n", "pip uninstall -y onnxruntime && pip install onnxruntime-gpu")
    assert told.command is not None
    assert told.command.startswith("pip uninstall -y onnxruntime && pip install onnxruntime-gpu==1.2")
    assert "built for CUDA 13" in told.text
    assert objections(actions_of(told.command, _REGISTRY.specs), here("CUDA version: 12.3\n")) == ()


def test_a_build_of_another_index_serves_the_cuda_and_the_cudnn_here() -> None:
    told = planned(_CUDA_12_AND_CUDNN_8, "pip install onnxruntime-gpu")
    assert told.command is not None
    assert "onnxruntime-gpu==1.18.0 --index-url https://aiinfra." in told.command


def test_another_python_is_named_where_this_one_has_no_wheel() -> None:
    told = planned("- Python 3.6.9\nCUDA version: 11.3\n", "pip install onnxruntime-gpu")
    assert (told.command or "").startswith("uv venv --python 3.")
    assert "onnxruntime-gpu==1.18" in (told.command or "")


def test_where_nothing_passes_there_is_no_command_and_the_reason() -> None:
    told = planned("$ pip freeze\ntensorflow==2.12.0\n", _TENSORFLOW)
    assert told.command is None
    assert "No command: tensorflow 2.12.0 has no extra and-cuda." in told.text


def test_a_release_that_goes_with_another_is_not_replaced_alone() -> None:
    told = planned("CUDA version: 12.3\n", "pip install onnxruntime-gpu==1.31.1 numpy")
    assert told.command is None
