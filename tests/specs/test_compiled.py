"""What a wheel holds answers as the YAML does, parses only what it needs, and needs no YAML."""

import marshal
import subprocess
import sys
from pathlib import Path

import pytest

from accel.specs import Specs, load
from accel.specs.store import MANIFEST, Folder

ROOT = Path(__file__).parents[2]


@pytest.fixture(scope="module")
def compiled(tmp_path_factory: pytest.TempPathFactory) -> Path:
    target = tmp_path_factory.mktemp("compiled")
    code = "import compile, pathlib, sys; compile.compile_specs(pathlib.Path(sys.argv[1]), pathlib.Path(sys.argv[2]))"
    command = [sys.executable, "-c", code, str(ROOT / "specs"), str(target)]
    subprocess.run(command, cwd=ROOT / "specs", check=True, env={"PYTHONPATH": str(ROOT / "specs")})
    return target


def opened(folder: Path) -> Folder:
    return Folder(str(folder), True, tuple(marshal.loads((folder / MANIFEST).read_bytes())["names"]))


def test_compiled_specs_answer_as_the_yaml_does(compiled: Path) -> None:
    wheel, checkout = Specs((opened(compiled),)), load()
    assert wheel.chips() == checkout.chips()
    assert wheel.frameworks("torch") == checkout.frameworks("torch")
    assert wheel.toolkits("cuda") == checkout.toolkits("cuda")
    assert wheel.inference == checkout.inference
    assert wheel.causes == checkout.causes
    assert wheel.compiled("errors") == checkout.compiled("errors")
    assert wheel.compiled("components") == checkout.compiled("components")
    assert not wheel.problems
    for name in ("RTX 3090", "NVIDIA A100-SXM...", "Tesla V100-DGXS-32GB", "7900XTX"):
        assert wheel.compute_capability(name) == checkout.compute_capability(name)
        assert wheel.chip(name) == checkout.chip(name)


def test_a_lookup_parses_only_its_own_tables(compiled: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    folder = opened(compiled)
    read: list[str] = []
    read_table = folder._read
    monkeypatch.setattr(folder, "_read", lambda name: read.append(name) or read_table(name))
    specs = Specs((folder,))
    assert specs.toolkit("cuda", "12.1") is not None
    assert sorted(read) == ["nvidia/architectures", "nvidia/cuda"]
    read.clear()
    assert specs.chip("NVIDIA H100 PCIe") is not None
    assert sorted(read) == ["index", "nvidia/chips/hopper"]


def test_importing_specs_loads_neither_yaml_nor_records() -> None:
    code = """
import sys, json
before = set(sys.modules)
import accel.specs
accel.specs.load()
heavy = {"yaml", "re", "dataclasses", "accel.model.chip", "accel.names.tokens", "accel.specs.validate"}
print(sorted(heavy & (set(sys.modules) - before)))
"""
    command = [sys.executable, "-c", code]
    done = subprocess.run(command, check=True, capture_output=True, text=True)
    assert done.stdout.strip() == "[]"
