"""What `import accel` promises: names, laziness, no name taken twice."""

import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest

import accel
from accel.apps import api

HERE = Path(accel.__file__).parent


def test_every_public_name_is_there_and_documented() -> None:
    for name in accel.__all__:
        assert getattr(accel, name).__doc__, name


def test_no_module_takes_a_public_name() -> None:
    modules = {path.stem for path in HERE.iterdir()}
    assert not modules & set(accel.__all__)  # importing the module would replace the function


def test_importing_accel_loads_nothing_else() -> None:
    code = "import sys; before = set(sys.modules); import accel; print(*sorted(n for n in set(sys.modules) - before))"
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert done.stdout.split() == ["accel"]


def test_listing_devices_imports_no_framework_and_no_codec() -> None:
    code = (
        "import sys, accel; accel.devices(); "
        "print(*[n for n in ('torch', 'jax', 'msgspec', 'rich', 'subprocess') if n in sys.modules])"
    )
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert done.stdout.split() == []


def test_the_functions_answer_on_any_machine() -> None:
    listed = accel.devices()
    assert listed[-1].kind == "cpu"
    assert accel.device("cpu:0").id == "cpu:0"
    assert accel.accelerators() == tuple(d for d in listed if d.kind != "cpu")
    assert accel.doctor(accel.read_text("hello")).verdict == "undecided"


class TorchsDevice:
    """What torch.device has of interest."""

    def __init__(self, kind: str, index: int | None) -> None:
        self.type, self.index = kind, index


GPU = accel.Device(
    id="nvidia:1",
    index=1,
    backend="nvidia",
    vendor="NVIDIA",
    kind="gpu",
    uuid="GPU-8f2c61d0-0000-4000-8000-aaaabbbbcccc",
    pci_address="0000:3b:00.0",
    runtime_names=("cuda:0",),
)
CPU = accel.Device(id="cpu:0", index=0, backend="cpu", vendor="Intel", kind="cpu", runtime_names=("cpu:0",))


@pytest.fixture
def one_gpu(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(api, "_devices", lambda isolate, timeout_seconds: (GPU, CPU))


@pytest.mark.usefixtures("one_gpu")
@pytest.mark.parametrize(
    "which",
    [
        *(0, "nvidia:1", "cuda:0", TorchsDevice("cuda", 0), TorchsDevice("cuda", None)),
        *("GPU-8f2c61d0-0000-4000-8000-aaaabbbbcccc", "gpu-8F2C61", "0000:3b:00.0", "3B:00.0", "00000000:3B:00.0"),
    ],
)
def test_a_device_is_found_by_each_of_its_names(which: Any) -> None:
    assert accel.device(which) is GPU


@pytest.mark.usefixtures("one_gpu")
@pytest.mark.parametrize("which", [1, -1, "nvidia:0", "cuda:1", "GPU-", "GPU-9", "", TorchsDevice("xpu", 0)])
def test_what_no_device_is_called_is_said_with_those_that_are_here(which: Any) -> None:
    with pytest.raises(accel.NoSuchDevice, match="accel devices"):
        accel.device(which)


@pytest.mark.usefixtures("one_gpu")
@pytest.mark.parametrize("which", [None, True, 1.0, b"cuda:0", object(), GPU])
def test_what_names_no_device_is_a_type_error(which: Any) -> None:
    with pytest.raises(TypeError, match="expected an id"):
        accel.device(which)


def test_what_is_configured_holds_where_a_call_does_not_say_it(monkeypatch: pytest.MonkeyPatch) -> None:
    asked: list[tuple[bool, float]] = []
    monkeypatch.setattr(
        api, "_devices", lambda isolate, timeout_seconds: asked.append((isolate, timeout_seconds)) or ()
    )
    try:
        accel.devices()
        accel.configure(timeout_seconds=3.0)
        accel.devices()
        accel.accelerators(isolate=False)
        accel.configure(isolate=True)
        accel.devices()
        accel.devices(timeout_seconds=1.0)
    finally:
        accel.configure()
    accel.devices()
    assert asked == [(False, 20.0), (True, 3.0), (False, 20.0), (True, 20.0), (True, 1.0), (False, 20.0)]
    with pytest.raises(accel.BadInput, match="above 0"):
        accel.configure(timeout_seconds=0)


def test_a_file_and_a_text_are_read_apart(tmp_path: Path) -> None:
    (tmp_path / "report.txt").write_text("torch 2.4.0+cpu\n", encoding="utf-8")
    from_file = accel.read(tmp_path / "report.txt")
    assert from_file.environments[0].frameworks == accel.read_text("torch 2.4.0+cpu\n").environments[0].frameworks
    assert from_file.origin == str(tmp_path / "report.txt")
    with pytest.raises(accel.BadInput, match="read_text"):
        accel.read("hello")


def test_the_health_of_one_accelerator_is_asked_for_by_its_id() -> None:
    assert accel.health() == {d: accel.health(d) for d in accel.health()}
    with pytest.raises(accel.NoSuchDevice, match="nvidia:99"):
        accel.health("nvidia:99")


@pytest.mark.parametrize(
    ("asked", "words"),
    [
        ({"vendor": "nvidea"}, "no such vendor is known. Did you mean 'nvidia'"),
        ({"kind": "gpus"}, "no such kind"),
        ({"dtype": "bf17"}, "no such dtype is known. .*bf16"),
        ({"count": 0}, "one device at least"),
    ],
)
def test_a_requirement_that_names_nothing_known_is_refused(asked: dict[str, Any], words: str) -> None:
    with pytest.raises(accel.BadInput, match=words):
        accel.require(**asked)
