"""Codes, their letters and names belong to accel's own plugins, then to the distribution that has them first."""

import sys
from pathlib import Path

import pytest

from accel.plugins.discovery import OWN, installed
from accel.plugins.registry import Registry

CHECKS = """\
from accel.vendors.contract.backend import Reader
from accel.vendors.contract.check import check
from accel.vendors.contract.hookspecs import hookimpl
from accel.vendors.contract.rule import Rule

def run(facts, specs):
    yield from ()

@hookimpl
def accel_checks():
    return [check(code=code, name=name, layer="hardware")(run) for code, name in {checks}]

@hookimpl
def accel_readers():
    return [Reader(name=name, signs=(), read=lambda text: ()) for name in {readers}]

@hookimpl
def accel_rules():
    return [Rule(name=name, gives={{}}, run=lambda seen, specs: ()) for name in {rules}]
"""


def stranger(
    site: Path,
    name: str,
    checks: list[tuple[str, str]],
    *,
    distribution: str | None = None,
    readers: tuple[str, ...] = (),
    rules: tuple[str, ...] = (),
) -> None:
    module = f"accel_hostile_{name}"
    (site / f"{module}.py").write_text(CHECKS.format(checks=checks, readers=readers, rules=rules), encoding="utf-8")
    folder = site / f"{distribution or name}-1.0.dist-info"
    folder.mkdir(exist_ok=True)
    with open(folder / "entry_points.txt", "a", encoding="utf-8") as file:
        file.write(f"[accel.plugins]\n{name} = {module}\n")


@pytest.fixture
def site(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.syspath_prepend(str(tmp_path))
    for name in [name for name in sys.modules if name.startswith("accel_hostile_")]:
        monkeypatch.delitem(sys.modules, name)
    return tmp_path


@pytest.mark.parametrize("whole", [False, True])
@pytest.mark.parametrize("guarded", [False, True])
@pytest.mark.parametrize(
    ("code", "name", "words"),
    [
        ("NV001", "aaa-driver", "its check NV001 aaa-driver is ignored: the code is accel-sdk (nvidia)'s"),
        ("NV999", "aaa-driver", "its check NV999 aaa-driver is ignored: codes with NV are accel-sdk (nvidia)'s"),
        ("AC999", "aaa-driver", "codes with AC are accel-sdk's"),
        ("AA001", "driver-too-old", "the name driver-too-old is accel-sdk"),
    ],
)
def test_what_is_accel_s_own_is_refused_to_a_plugin_that_comes_first_by_name(
    site: Path, code: str, name: str, words: str, guarded: bool, whole: bool
) -> None:
    known = {check.code: check.name for check in Registry({}).checks}
    stranger(site, "aaa", [(code, name), ("AA002", "aaa-own")])
    registry = Registry({}, guarded=guarded, whole=whole)
    assert {check.code: check.name for check in registry.checks} == known | {"AA002": "aaa-own"}
    told = {plugin.name: plugin for plugin in registry.looked_at}
    assert words in str(told["aaa"].reason)
    assert told["aaa"].status == "failed"
    assert all(plugin.status == "loaded" for name, plugin in told.items() if name != "aaa")


def test_letters_are_the_distribution_s_that_has_them_first_and_all_of_its_plugins_may_use_them(site: Path) -> None:
    stranger(site, "aaa", [("ZZ001", "aaa-one")], distribution="acme")
    stranger(site, "bbb", [("ZZ002", "bbb-one")], distribution="acme")
    stranger(site, "ccc", [("ZZ003", "ccc-one"), ("CC001", "ccc-two")], distribution="other")
    registry = Registry({})
    assert {c.code for c in registry.checks if c.name[:3] in ("aaa", "bbb", "ccc")} == {"ZZ001", "ZZ002", "CC001"}
    told = {plugin.name: plugin.reason for plugin in registry.looked_at}
    assert told["ccc"] == "its check ZZ003 ccc-one is ignored: codes with ZZ are acme (aaa)'s"
    assert told["aaa"] is None


def test_readers_and_rules_of_known_names_are_refused(site: Path) -> None:
    rule = next(rule.name for rule in Registry({}).rules)
    stranger(site, "aaa", [], readers=("nvidia-smi table", "aaa table"), rules=(rule, "aaa-rule"))
    registry = Registry({})
    assert [reader.name for reader in registry.all_readers].count("nvidia-smi table") == 1
    assert "aaa table" in [reader.name for reader in registry.all_readers]
    assert [one.name for one in registry.rules].count(rule) == 1
    (told,) = (plugin for plugin in registry.looked_at if plugin.name == "aaa")
    assert rule in str(told.reason)


def test_a_plugin_that_is_left_out_by_the_user_keeps_its_letters(site: Path) -> None:
    stranger(site, "aaa", [("NV999", "aaa-one")])
    registry = Registry({"ACCEL_DISABLE": "nvidia"})
    if registry._catalogue is None:
        pytest.skip("what a plugin has that is not loaded is known by the catalogue alone")
    assert "aaa-one" not in [check.name for check in registry.checks]


def test_what_the_user_names_in_the_place_of_an_own_plugin_has_its_letters(site: Path) -> None:
    stranger(site, "unused", [("NV999", "nvidia-of-mine")])
    (site / "accel_hostile_unused.py").rename(site / "nvidia.py")
    registry = Registry({"ACCEL_PLUGINS": "nvidia", "ACCEL_DISABLE": "unused"})
    assert "nvidia-of-mine" in [check.name for check in registry.checks]


def test_a_distribution_that_calls_itself_accel_s_is_a_stranger(site: Path) -> None:
    stranger(site, "aaa", [("NV001", "aaa-driver")], distribution="accel_sdk")
    stranger(site, "nvidia", [("NV001", "aaa-driver")], distribution="accel_sdk")
    found = {plugin.name: plugin for plugin in installed(sys.path)}
    assert found["aaa"].distribution != OWN
    assert found["nvidia"].module == "accel_nvidia"
    assert found["nvidia"].distribution == OWN
    registry = Registry({})
    assert [check.name for check in registry.checks if check.code == "NV001"] == ["driver-too-old"]


def test_another_version_of_accel_s_metadata_disables_nothing(site: Path) -> None:
    folder = site / "accel_sdk-0.0.1.dist-info"
    folder.mkdir()
    (folder / "entry_points.txt").write_text(
        "[accel.plugins]\nnvidia = accel_nvidia\n[accel.plugin_api]\nnvidia = 7:9\n", encoding="utf-8"
    )
    found = {plugin.name: plugin for plugin in installed(sys.path)}
    assert found["nvidia"].clash is None
    assert found["nvidia"].signs


@pytest.mark.parametrize("guarded", [False, True])
def test_a_table_of_accel_s_is_no_plugin_s_to_replace(site: Path, guarded: bool) -> None:
    own = Registry({}).specs
    stranger(site, "aaa", [])
    folder = site / "records"
    for name in ("nvidia/architectures", "language/parts", "aaa/words"):
        (folder / name).parent.mkdir(parents=True, exist_ok=True)
        (folder / f"{name}.yaml").write_text("kinds: []\n", encoding="utf-8")
    with open(site / "accel_hostile_aaa.py", "a", encoding="utf-8") as file:
        file.write(f"\n@hookimpl\ndef accel_specs():\n    return {str(folder)!r}\n")
    specs = Registry({}, guarded=guarded).specs
    for name in ("nvidia/architectures", "language/parts"):
        assert specs.table(name) == own.table(name)
        assert any(name in problem and "accel has a table of this name" in problem for problem in specs.problems)
