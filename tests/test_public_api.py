"""What `import accel` promises: names, laziness, no name taken twice."""

import subprocess
import sys
from pathlib import Path

import accel

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
    assert accel.doctor(accel.read("hello")).verdict == "undecided"
