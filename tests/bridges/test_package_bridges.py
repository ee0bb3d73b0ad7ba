"""accel as a provider of wheel variants and of conda's virtual packages, with stand-ins for variantlib and conda."""

import json
import sys
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from types import ModuleType
from typing import Any, NamedTuple

import pluggy
import pytest

from accel.apps.bridges import conda_plugin, served, variant_provider
from accel.apps.bridges.served import Served
from accel.machine.recorded import RecordedMachine
from accel.plugins.registry import Registry
from accel.specs import load

MACHINES = Path(__file__).parents[1] / "machines"
ROOT = Path(__file__).parents[2]


def on(machine: str) -> tuple[Served, ...]:
    return served.served(RecordedMachine(MACHINES / machine), Registry({}), isolate=False)


def features(*stacks: Served) -> dict[str, list[str]]:
    return {feature.name: feature.values for feature in variant_provider.supported(stacks, load())}


@pytest.mark.parametrize(
    ("machine", "stacks"),
    [
        ("wsl2", [("cuda", "12.6", ("8.9",))]),
        ("ubuntu-torch-cpu-build", [("cuda", "12.4", ("8.6",))]),
        ("ascend-910b-healthy", [("cann", None, ("ascend910b",))]),
        ("tpu-v5e", [("tpu", None, ("v5e",))]),
        ("laptop-without-accelerator", []),
    ],
)
def test_a_machine_has_the_stacks_of_its_devices(machine: str, stacks: list[Any]) -> None:
    assert [(stack.name, stack.version, stack.codes) for stack in on(machine)] == stacks


def test_every_release_that_the_driver_serves_is_supported_the_newest_first() -> None:
    found = features(Served(backend="nvidia", name="cuda", version="12.2", codes=("9.0",)))
    assert found["stack"] == ["cuda"]
    assert found["cuda_minimum"][:4] == ["12.2", "12.1", "12.0", "11.8"]
    assert found["code"] == ["cuda_9.0"]


def test_a_device_runs_the_code_of_its_older_relatives_but_not_of_integrated_ones() -> None:
    assert features(Served(backend="nvidia", name="cuda", codes=("8.9",)))["code"] == [
        "cuda_8.9",
        "cuda_8.6",
        "cuda_8.0",
    ]
    assert features(Served(backend="nvidia", name="cuda", codes=("8.7",)))["code"] == ["cuda_8.7"]
    assert features(Served(backend="amd", name="rocm", codes=("gfx90a:sramecc+",)))["code"] == ["rocm_gfx90a"]


def test_an_unknown_version_supports_no_minimum() -> None:
    assert "cuda_minimum" not in features(Served(backend="nvidia", name="cuda", codes=("9.0",)))
    assert features() == {}


def test_what_is_supported_is_within_all_and_in_the_letters_of_the_draft() -> None:
    every = {feature.name: feature for feature in variant_provider.get_all_configs()}
    for machine in ("wsl2", "ascend-910b-healthy", "tpu-v5e"):
        for feature in variant_provider.supported(on(machine), load()):
            assert set(feature.values) <= set(every[feature.name].values)
            assert feature.multi_value is every[feature.name].multi_value
    letters = set("abcdefghijklmnopqrstuvwxyz0123456789_")
    for feature in every.values():
        assert isinstance(feature.values, list)
        assert len(set(feature.values)) == len(feature.values) > 0
        assert set(feature.name) <= letters
        assert set("".join(feature.values)) <= letters | {"."}
    assert set(variant_provider.namespace) <= letters
    assert variant_provider.is_aot_plugin is False


def test_the_provider_answers_of_the_live_node(on_node: Callable[..., str]) -> None:
    code = (
        "import json; from accel.apps.bridges import variant_provider as v\n"
        "print(json.dumps({c.name: c.values[:2] for c in v.get_supported_configs()}))"
    )
    said = json.loads(on_node(code, FAKENVML_GPUS="2", CUDA_VISIBLE_DEVICES=""))
    assert said == {"stack": ["cuda"], "cuda_minimum": ["12.8", "12.6"], "code": ["cuda_9.0"]}


class OldVirtualPackage(NamedTuple):
    """As conda had it in 2023."""

    name: str
    version: "str | None"
    build: "str | None"


@dataclass
class VirtualPackage:
    """As conda has it in 2026: a version may be a function, which answers NULL for a package that is not there."""

    name: str
    version: "str | Callable[[], str | None] | None"
    build: "str | Callable[[], str | None] | None"
    override_entity: "str | None" = None


class Specs:
    """conda's hook, as far as it is implemented."""

    @pluggy.HookspecMarker("conda")
    def conda_virtual_packages(self) -> Any:
        """Register virtual packages."""


NULL = object()


@pytest.fixture
def conda(monkeypatch: pytest.MonkeyPatch) -> Callable[..., list[Any]]:
    """Ask the hook as conda does, through pluggy."""

    def ask(package: type, *stacks: Served) -> list[Any]:
        types: Any = ModuleType("conda.plugins.types")
        types.CondaVirtualPackage = package
        auxlib: Any = ModuleType("conda.auxlib")
        auxlib.NULL = NULL
        names = {"conda": ModuleType("conda"), "conda.plugins": ModuleType("conda.plugins")}
        for name, module in {**names, "conda.plugins.types": types, "conda.auxlib": auxlib}.items():
            monkeypatch.setitem(sys.modules, name, module)
        monkeypatch.setattr(conda_plugin, "served_here", lambda: stacks)
        manager = pluggy.PluginManager("conda")
        manager.add_hookspecs(Specs)
        manager.register(conda_plugin)
        manager.check_pending()
        return [one for group in manager.hook.conda_virtual_packages() for one in group]

    return ask


CUDA = Served(backend="nvidia", name="cuda", version="12.8", codes=("9.0", "8.6"))
TPU = Served(backend="tpu", name="tpu", codes=("v5e",))


def test_conda_is_told_of_each_stack_when_it_asks(conda: Any) -> None:
    given = conda(VirtualPackage, CUDA, TPU)
    found = {package.name: package for package in given}
    assert (found["accel_cuda"].version(), found["accel_cuda"].build()) == ("12.8", "8.6_9.0")
    assert (found["accel_tpu"].version(), found["accel_tpu"].build()) == (None, "v5e")
    assert (found["accel_rocm"].version(), found["accel_rocm"].build()) == (NULL, None)
    assert {package.override_entity for package in found.values()} == {"version"}
    assert {"accel_cann", "accel_xpu", "accel_cuda"} <= set(found)
    assert len(found) == len(given)


def test_an_older_conda_is_told_only_of_what_is_here(conda: Any) -> None:
    assert conda(OldVirtualPackage, CUDA, TPU) == [("accel_cuda", "12.8", "8.6_9.0"), ("accel_tpu", None, "v5e")]


def test_conda_own_cuda_package_is_left_alone(conda: Any) -> None:
    assert all(package.name.startswith("accel_") for package in conda(VirtualPackage, CUDA))


def test_a_probe_that_breaks_does_not_break_the_tool(
    monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture
) -> None:
    monkeypatch.setattr(served, "served", lambda *_, **__: 1 / 0)
    served.served_here.cache_clear()
    try:
        assert served.served_here() == ()
    finally:
        served.served_here.cache_clear()
    assert "could not probe this machine" in caplog.text


def test_both_are_registered_for_their_tools_alone() -> None:
    text = (ROOT / "pyproject.toml").read_text(encoding="utf-8")
    assert '[project.entry-points.variant_plugins]\naccel = "accel.apps.bridges.variant_provider"' in text
    assert '[project.entry-points.conda]\naccel = "accel.apps.bridges.conda_plugin"' in text
