"""Wheels with variants are built by variantlib, and the right one is chosen for six simulated machines by accel."""

import base64
import hashlib
import importlib.util
import json
import subprocess
import sys
import zipfile
from pathlib import Path
from types import TracebackType
from typing import Any

import pytest

import accel.testing
from accel.apps import api
from accel.apps.bridges import variant_provider
from accel.apps.bridges.served import served
from accel.specs import load

variantlib = pytest.importorskip("variantlib")
pytest.importorskip("build")

VARIANTS = {
    "cu130": ["accel :: stack :: cuda", "accel :: cuda_minimum :: 13.0"],
    "cu128": ["accel :: stack :: cuda", "accel :: cuda_minimum :: 12.8", "accel :: code :: cuda_9.0"],
    "cu121": ["accel :: stack :: cuda", "accel :: cuda_minimum :: 12.1"],
    "rocm": ["accel :: stack :: rocm", "accel :: code :: rocm_gfx942"],
    "cann": ["accel :: stack :: cann"],
    "null": [],
}
CHOSEN = {
    "8xH100": ["cu130", "cu128", "cu121", "null"],
    "l4-no-nvml": ["cu121", "null"],  # its driver serves CUDA 12.4
    "mi300x-8": ["rocm", "null"],
    "ascend-910b-8": ["cann", "null"],
    "tpu-v5e-4": ["null"],
    "cpu-only": ["null"],
}


def wheel(folder: Path) -> Path:
    """Write the smallest wheel there is."""
    files = {
        "demo.py": b"",
        "demo-1.0.dist-info/METADATA": b"Metadata-Version: 2.1\nName: demo\nVersion: 1.0\n",
        "demo-1.0.dist-info/WHEEL": b"Wheel-Version: 1.0\nGenerator: x\nRoot-Is-Purelib: true\nTag: py3-none-any\n",
    }
    rows = []
    path = folder / "demo-1.0-py3-none-any.whl"
    with zipfile.ZipFile(path, "w") as archive:
        for name, data in files.items():
            digest = base64.urlsafe_b64encode(hashlib.sha256(data).digest()).decode().rstrip("=")
            archive.writestr(name, data)
            rows.append(f"{name},sha256={digest},{len(data)}")
        archive.writestr("demo-1.0.dist-info/RECORD", "\n".join([*rows, "demo-1.0.dist-info/RECORD,,", ""]))
    return path


@pytest.fixture(scope="module")
def wheels(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Build a wheel of each variant as a publisher does, and the index of them."""
    folder = tmp_path_factory.mktemp("variants")
    source = wheel(folder)
    project = folder / "pyproject.toml"
    project.write_text(
        '[variant.default-priorities]\nnamespace = ["accel"]\n[variant.providers.accel]\n'
        'requires = ["accel-sdk"]\nplugin-api = "accel.apps.bridges.variant_provider"\n',
        encoding="utf-8",
    )
    out = folder / "out"
    out.mkdir()
    for label, properties in VARIANTS.items():
        words = ["-p", *properties, "--variant-label", label] if properties else ["--null-variant"]
        run("make-variant", "-f", source, "-o", out, "--no-isolation", "--pyproject-toml", project, *words)
    run("generate-index-json", "-d", out)
    return out


@pytest.fixture(scope="module")
def index(wheels: Path) -> dict[str, Any]:
    found: dict[str, Any] = json.loads((wheels / "demo-1.0-variants.json").read_text(encoding="utf-8"))
    return found


def run(*words: "str | Path") -> None:
    command = [sys.executable, "-c", "from variantlib.commands.main import main; main()", *map(str, words)]
    done = subprocess.run(command, capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stderr[-2000:]


class Loader:
    """variantlib's loader of providers, which would ask in a process of its own, without this process's machine."""

    def __init__(self, **_: Any) -> None:
        from variantlib.models.provider import ProviderConfig, VariantFeatureConfig

        stacks = served(api._machine(), api._registry(), isolate=False)
        configs = [
            VariantFeatureConfig(name=one.name, values=one.values, multi_value=one.multi_value)
            for one in variant_provider.supported(stacks, load())
        ]
        self._found = {"accel": ProviderConfig(namespace="accel", configs=configs)} if configs else {}

    def __enter__(self) -> "Loader":
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        pass

    def get_supported_configs(self) -> dict[str, Any]:
        return self._found


@pytest.mark.parametrize("machine", CHOSEN)
def test_the_right_variant_is_chosen_on_each_machine(
    machine: str, index: dict[str, Any], monkeypatch: pytest.MonkeyPatch
) -> None:
    from variantlib import api as chooser

    monkeypatch.setattr(chooser, "PluginLoader", Loader)
    with accel.testing.machine(machine):
        found = chooser.get_variants_by_priority(variants_json=index)
    assert [one.label for one in found] == CHOSEN[machine]


def test_variantlib_finds_the_provider_and_asks_it_in_a_process_of_its_own(index: dict[str, Any]) -> None:
    from variantlib import api as chooser

    assert [one.label for one in chooser.get_variants_by_priority(variants_json=index)][-1] == "null"


def uv(folder: Path, *words: str) -> subprocess.CompletedProcess[str]:
    """Run the published uv in an environment of its own, without a network."""
    command = [sys.executable, "-m", "uv", "--no-config", "--offline", "--cache-dir", str(folder / "cache"), *words]
    return subprocess.run(command, capture_output=True, text=True, check=False, cwd=folder)


@pytest.mark.skipif(importlib.util.find_spec("uv") is None, reason="uv is not installed")
def test_uvs_preview_reads_the_index_and_passes_the_provider_over(wheels: Path, tmp_path: Path) -> None:
    """uv 0.13 asks only providers that are built into it: of accel's variants it takes the one without a property."""
    assert uv(tmp_path, "venv", "--python", sys.executable, "env").returncode == 0
    asked = ("pip", "install", "-v", "--python", "env", "--no-index", "--find-links", str(wheels), "demo")
    done = uv(tmp_path, *asked, "--preview-features", "wheel-variants")
    assert done.returncode == 0, done.stderr[-2000:]
    assert "Skipping unsupported wheel variant provider `accel.apps.bridges.variant_provider`" in done.stderr
    assert "(demo-1.0-py3-none-any-null.whl)" in done.stderr


@pytest.mark.skipif(importlib.util.find_spec("uv") is None, reason="uv is not installed")
def test_uv_installs_the_wheel_that_accel_resolve_names_once_it_is_a_plain_one(wheels: Path, tmp_path: Path) -> None:
    """What docs/package-tools.md says to do until installers ask other providers."""
    index = wheels / "demo-1.0-variants.json"
    words = ("resolve", "--variants", str(index), "--gpu", "H100", "--driver", "580.65.06", "--json")
    told = subprocess.run([sys.executable, "-m", "accel", *words], capture_output=True, text=True, check=False)
    label = json.loads(told.stdout)["variants"][0]["label"]
    assert label == "cu130"
    run("unmake-variant", "-f", wheels / f"demo-1.0-py3-none-any-{label}.whl", "-o", tmp_path)
    assert uv(tmp_path, "venv", "--python", sys.executable, "env").returncode == 0
    done = uv(tmp_path, "pip", "install", "--python", "env", "--no-index", str(tmp_path / "demo-1.0-py3-none-any.whl"))
    assert done.returncode == 0, done.stderr[-2000:]
