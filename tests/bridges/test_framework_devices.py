"""To the frameworks' own devices and back, with stand-ins for torch and JAX; with the real ones where they are."""

import os
import subprocess
import sys
from dataclasses import dataclass, replace
from types import ModuleType, SimpleNamespace
from typing import Any

import pytest

import accel
from accel.apps.bridges.device_of import runtime_name_of
from accel.apps.bridges.framework_device import matched
from accel.model.device import Device
from accel.model.errors import BadInput, NoSuchDevice, RequirementUnmet


def device(backend: str, index: int = 0, *names: str, **facts: Any) -> Device:
    given = {"vendor": backend, "kind": "gpu", "visible": True, "runtime_names": names or None, **facts}
    return Device(id=f"{backend}:{index}", index=index, backend=backend, **given)


def fake_torch(cuda: str | None = None, hip: str | None = None, mps: bool = False, **modules: object) -> Any:
    """A torch of one build. Its device() keeps the name, and anything that would start a runtime is not there."""
    torch: Any = ModuleType("torch")
    torch.__version__ = "2.9.0"
    torch.version = SimpleNamespace(cuda=cuda, hip=hip, xpu=None)
    torch._C = SimpleNamespace(_has_xpu=False)
    torch.backends = SimpleNamespace(mps=SimpleNamespace(is_built=lambda: mps))
    torch.device = lambda name: f"torch:{name}"
    for name, module in modules.items():
        setattr(torch, name, module)
    return torch


@pytest.fixture
def torch(monkeypatch: pytest.MonkeyPatch) -> Any:
    """Install a stand-in for torch."""

    def put(**build: Any) -> Any:
        found = fake_torch(**build)
        monkeypatch.setitem(sys.modules, "torch", found)
        return found

    return put


@pytest.mark.parametrize(
    ("build", "given", "expected"),
    [
        ({"cuda": "12.8"}, device("nvidia", 1, "cuda:0"), "torch:cuda:0"),
        ({"hip": "6.4"}, device("amd", 2, "cuda:2"), "torch:cuda:2"),
        ({"cuda": "11.7"}, device("kunlun", 1, "xpu:1", "cuda:1"), "torch:cuda:1"),
        ({"cuda": "10.2"}, device("iluvatar", 0, "cuda:0"), "torch:cuda:0"),
        ({"mps": True}, device("apple", 0, "mps:0"), "torch:mps:0"),
        ({"npu": SimpleNamespace()}, device("ascend", 3, "npu:1"), "torch:npu:1"),
        ({}, device("cpu", 0, "cpu:0", "cpu"), "torch:cpu"),
    ],
)
def test_a_device_is_what_this_build_of_torch_calls_it(torch: Any, build: Any, given: Device, expected: str) -> None:
    torch(**build)
    assert accel.torch_device(given) == expected


@pytest.mark.parametrize(
    ("build", "given", "says"),
    [
        ({}, device("nvidia", 0, "cuda:0"), "torch 2.9.0 has no device type cuda"),
        ({"cuda": "12.8"}, device("amd", 0, "cuda:0"), "built for CUDA, which does not support amd devices"),
        ({"hip": "6.4"}, device("nvidia", 0, "cuda:0"), "built for ROCm, which does not support nvidia devices"),
        ({}, device("ascend", 0, "npu:0"), "It comes with torch_npu"),
        ({"cuda": "12.8"}, device("tpu", 0, "tpu:0"), "no device type tpu"),
        ({}, device("acme", 0, "acme:0"), "no device type acme"),
        ({"cuda": "12.8"}, device("nvidia", 0), "is unknown before the runtime starts"),
        ({"cuda": "12.8"}, device("nvidia", 0, visible=False, runtime_names=()), "hidden from this process"),
    ],
)
def test_what_cannot_be_had_of_torch_is_said_with_what_to_do(torch: Any, build: Any, given: Device, says: str) -> None:
    torch(**build)
    with pytest.raises(RequirementUnmet) as caught:
        accel.torch_device(given)
    assert says in str(caught.value)
    assert given.id in str(caught.value)
    assert str(caught.value).endswith(".")


def test_the_mask_that_hides_a_device_is_quoted(torch: Any, monkeypatch: pytest.MonkeyPatch) -> None:
    torch(cuda="12.8")
    monkeypatch.setenv("CUDA_VISIBLE_DEVICES", "1")
    with pytest.raises(RequirementUnmet, match="CUDA_VISIBLE_DEVICES=1"):
        accel.torch_device(device("nvidia", 0, visible=False))


@pytest.mark.parametrize(("framework", "ask"), [("torch", accel.torch_device), ("jax", accel.jax_device)])
def test_a_framework_that_is_not_installed_is_named(framework: str, ask: Any, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, framework, None)
    with pytest.raises(
        RequirementUnmet, match=rf"{framework} is not installed in this Python.*accel resolve {framework}"
    ):
        ask(device("nvidia", 0, "cuda:0"))


def test_a_framework_whose_import_breaks_is_told_from_one_that_is_missing(
    tmp_path: Any, monkeypatch: pytest.MonkeyPatch
) -> None:
    (tmp_path / "torch.py").write_text("raise OSError('libcudart.so.12: cannot open shared object file')\n")
    monkeypatch.syspath_prepend(str(tmp_path))
    monkeypatch.delitem(sys.modules, "torch", raising=False)
    with pytest.raises(RequirementUnmet, match="importing torch fails: libcudart"):
        accel.torch_device(device("nvidia", 0, "cuda:0"))


def test_an_unknown_id_is_no_device() -> None:
    with pytest.raises(NoSuchDevice, match="nvidia:99"):
        accel.torch_device("nvidia:99")


@dataclass
class JaxDevice:
    """A jax.Device as far as it is looked at."""

    platform: str
    id: int
    local_hardware_id: int | None = None
    device_kind: str = ""
    coords: object = None
    uuid: str | None = None


class FakeJax(ModuleType):
    """A JAX that lists some devices, and raises as JAX does for a platform that it lacks."""

    __version__ = "0.9.0"

    def __init__(self, *devices: JaxDevice) -> None:
        super().__init__("jax")
        self._devices = devices

    def local_devices(self, backend: str | None = None) -> list[JaxDevice]:
        found = [d for d in self._devices if backend in (None, d.platform)]
        if not found:
            raise RuntimeError(f"Unknown backend {backend}. Available backends are ['cpu']\nmore")
        return found


GPUS = (JaxDevice("gpu", 8, 0, "NVIDIA H100"), JaxDevice("gpu", 9, 1, "NVIDIA L4"))


def test_a_gpu_is_found_by_its_number_within_the_masks(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "jax", FakeJax(*GPUS))
    assert accel.jax_device(device("nvidia", 5, "cuda:1")) is GPUS[1]


def test_a_gpu_without_a_known_number_is_found_by_a_name_that_only_one_has(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "jax", FakeJax(*GPUS))
    assert accel.jax_device(device("nvidia", 0, name="NVIDIA L4")) is GPUS[1]
    with pytest.raises(RequirementUnmet, match="is unknown before the runtime starts"):
        accel.jax_device(device("nvidia", 0, name="NVIDIA A100"))


def test_what_identifies_a_device_counts_more_than_its_number() -> None:
    listed = (JaxDevice("gpu", 0, 0, uuid="GPU-B"), JaxDevice("gpu", 1, 1, uuid="GPU-A"))
    known = device("nvidia", 0, "cuda:0", uuid="gpu-a")
    assert matched(known, ("cuda:0",), listed) is listed[1]
    assert matched(replace(known, uuid="GPU-C"), ("cuda:0",), listed) is None


def test_a_tpu_chip_of_two_cores_is_its_first_core() -> None:
    cores = [JaxDevice("tpu", 4 + n, None) for n in range(4)]
    assert matched(device("tpu", 1, "tpu:2", "tpu:3"), ("tpu:2", "tpu:3"), cores) is cores[2]


def test_a_platform_that_jax_lacks_is_said_in_jax_words(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "jax", FakeJax(JaxDevice("cpu", 0, 0)))
    with pytest.raises(
        RequirementUnmet, match=r"JAX 0.9.0 reports: Unknown backend gpu. Available backends are \['cpu'\]"
    ):
        accel.jax_device(device("nvidia", 0, "cuda:0"))


@pytest.mark.parametrize(
    ("given", "name"),
    [
        ("cuda:3", "cuda:3"),
        ("npu", "npu:0"),
        (SimpleNamespace(type="cuda", index=2), "cuda:2"),
        (SimpleNamespace(type="mps", index=None), "mps:0"),
        (JaxDevice("gpu", 9, 1), "cuda:1"),
        (JaxDevice("tpu", 3), "tpu:3"),
        (JaxDevice("METAL", 0, 0), "mps:0"),
    ],
)
def test_a_framework_device_has_a_runtime_name(given: Any, name: str) -> None:
    assert runtime_name_of(given) == name


def test_a_torch_device_without_number_is_the_current_one_of_a_running_torch(torch: Any) -> None:
    torch(cuda=SimpleNamespace())
    sys.modules["torch"].cuda = SimpleNamespace(is_initialized=lambda: True, current_device=lambda: 1)
    assert runtime_name_of(SimpleNamespace(type="cuda", index=None)) == "cuda:1"


def test_the_way_back_finds_the_record(on_machine: Any) -> None:
    on_machine("nvidia-smi-only")
    assert accel.device_of("cuda:1").id == "nvidia:1"
    assert accel.device_of(JaxDevice("gpu", 9, 0)).name == "NVIDIA L4"
    with pytest.raises(NoSuchDevice, match=r"'cuda:7'.*cuda:0 \(nvidia:0\)"):
        accel.device_of("cuda:7")
    with pytest.raises(BadInput, match=r"no torch\.device"):
        accel.device_of(3)  # type: ignore[arg-type]


def test_the_real_torch_takes_its_device_and_starts_nothing() -> None:
    pytest.importorskip("torch")
    code = (
        "import accel, torch; d = accel.torch_device('cpu:0'); assert d == torch.zeros(1).device\n"
        "assert accel.device_of(d).id == 'cpu:0' and not torch.cuda.is_initialized()"
    )
    subprocess.run([sys.executable, "-c", code], check=True, timeout=300)


def test_the_real_jax_gives_its_device() -> None:
    pytest.importorskip("jax")
    code = "import accel, jax; d = accel.jax_device('cpu:0'); assert d in jax.devices('cpu')\n"
    code += "assert accel.device_of(d).id == 'cpu:0'"
    subprocess.run([sys.executable, "-c", code], check=True, timeout=300, env={**os.environ, "JAX_PLATFORMS": "cpu"})
