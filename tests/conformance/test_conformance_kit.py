"""The kit on plugins that break one promise each: it names the fault, and nothing makes it hang or fall."""

import ast
import re
import shutil
import string
from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Any

import pytest
import warm_accel

import accel.kit.requirements
from accel.kit.result import Result
from accel.kit.run import check_plugin
from accel.specs import load
from accel.specs.store import parse

pytestmark = pytest.mark.slow  # processes, and deadlines that run out

HERE = Path(__file__).parent
BAD: Mapping[str, Mapping[str, Any]] = parse(str(HERE / "bad_plugins.yaml"))
CHILDREN = 5  # that one trial starts at the most: what hangs or crashes on one machine is left out on the others


def test_every_fault_has_its_sentences_and_the_words_they_need() -> None:
    faults = load().table("system/conformance")["faults"]
    used = set()
    for path in Path(accel.kit.requirements.__path__[0]).glob("*.py"):
        for node in ast.walk(ast.parse(path.read_text(encoding="utf-8"))):
            if isinstance(node, ast.Call) and isinstance(node.func, ast.Name) and node.func.id == "fault":
                names = [one.value for one in ast.walk(node.args[0]) if isinstance(one, ast.Constant)]
                given = {word.arg for word in node.keywords}
                for name in ("ended-in-hang", "ended-in-crash") if names == ["ended-in-"] else names:
                    used.add(name)
                    parts = (part for text in faults[name].values() for part in string.Formatter().parse(text))
                    assert {re.split(r"[.\[]", word)[0] for _, word, _, _ in parts if word} <= given, name
    assert used == set(faults)


def laid_out(folder: Path, case: Mapping[str, Any]) -> Path:
    """Lay the good plugin out as an installed distribution, with the case's edits in it."""
    package = folder / "accel_acme"
    shutil.copytree(HERE / "good_plugin" / "accel_acme", package, ignore=shutil.ignore_patterns("__pycache__"))
    for method, lines in case.get("begin", {}).items():
        edited(package / "backend.py", {f"    def {method}(": None}, lines)
    for file, changes in case.get("edits", {}).items():
        edited(package / file, changes)
    for name in ("driver-gone", "hot") if case.get("machines") == "healthy" else ():
        shutil.rmtree(package / "machines" / name)
    metadata = folder / "accel_acme-1.2.dist-info"
    metadata.mkdir()
    api, signs = case.get("api", "v1"), case.get("signs", ())
    entry_points = "[accel.plugins]\nacme = accel_acme\n"
    entry_points += f"[accel.plugin_api]\nacme = {api}\n" if api else ""
    entry_points += "[accel.plugin_signs]\n" + "".join(f"{sign} = acme\n" for sign in signs) if signs else ""
    (metadata / "entry_points.txt").write_text(entry_points, encoding="utf-8")
    readme = case.get("readme", "# accel-acme\n\nReads Acme's accelerators.\n")
    (metadata / "METADATA").write_text(
        f"Metadata-Version: 2.1\nName: accel-acme\nVersion: 1.2\n\n{readme}", encoding="utf-8"
    )
    return folder


def edited(file: Path, changes: Mapping[str, Any], lines: str = "") -> None:
    text = file.read_text(encoding="utf-8")
    for old, new in changes.items():
        old, new = (part and part.replace("\\n", "\n") for part in (old, new))
        assert old in text, f"{file.name} has no {old!r}"
        if new is None:
            at = text.index("\n", text.index(old)) + 1
            text = f"{text[:at]}        {lines}\n{text[at:]}"
        else:
            text = text.replace(old, new)
    file.write_text(text, encoding="utf-8")


@pytest.fixture
def check(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Callable[[Mapping[str, Any]], Result]:
    """Return a function that tries the good plugin with a case's edits, in no more processes than it should take."""
    children = []

    def begin(*given: Any) -> Any:
        children.append(given)
        return warm_accel.begin_kit(*given)

    def tried(case: Mapping[str, Any]) -> Result:
        import sys

        for name in [name for name in sys.modules if name.split(".")[0] == "accel_acme"]:
            monkeypatch.delitem(sys.modules, name)
        monkeypatch.syspath_prepend(laid_out(tmp_path, case))
        monkeypatch.delenv("ACCEL_PLUGINS", raising=False)
        result = check_plugin("acme", begin=begin)
        assert len(children) <= CHILDREN
        return result

    return tried


def told(result: Result) -> str:
    return "\n".join(f"{o.rule}: {f.sentence} {f.where}" for o in result.outcomes for f in o.faults) + str(
        [(o.rule, o.note) for o in result.outcomes if o.status == "not proven"]
    )


def test_a_good_plugin_reaches_the_highest_level(check: Callable[..., Result]) -> None:
    result = check({})
    assert told(result) == "[]"
    assert result.level == "diagnose"
    assert result.machines == ("driver-gone", "healthy", "hot")


@pytest.mark.parametrize("name", BAD)
def test_the_fault_of_a_bad_plugin_is_named(check: Callable[..., Result], name: str) -> None:
    case = {"machines": "healthy", **BAD[name]}
    result = check(case)
    outcome = next(o for o in result.outcomes if o.rule == case["rule"])
    assert outcome.status == case.get("status", "failed"), told(result)
    sentences = [f"{fault.sentence} {fault.where or ''}" for fault in outcome.faults] or [outcome.note or ""]
    fitting = [sentence for sentence in sentences if case["says"] in sentence]
    assert fitting, told(result)
    assert case.get("where", "") in fitting[0]
    assert all(fault.remedy for fault in outcome.faults)
    assert result.level != "diagnose"


def test_a_machine_may_have_spec_records_of_its_owner(check: Callable[..., Result], tmp_path: Path) -> None:
    limit = "chip.slowdown_celsius if (chip := specs.chip(name='Acme X2', vendor='acme')) else 1000"
    by_spec = {"edits": {"checks.py": {"if heat >= 90:": f"if heat >= ({limit}):"}}}
    assert "acme-hot finds nothing on the machine" in told(check(by_spec))
    shutil.rmtree(tmp_path)
    laid_out(tmp_path, by_spec)
    folder = tmp_path / "accel_acme/machines/hot/specs/acme"
    shutil.copytree(HERE / "good_plugin/accel_acme/specs/acme", folder)
    record = (folder / "chips/x1.yaml").rename(folder / "chips/x2.yaml")
    changes = {"Acme X1": "Acme X2", "f00d:0001": "f00d:0002", "_watts: 350": "_watts: 350\n    slowdown_celsius: 90"}
    edited(record, changes)
    assert "acme-hot finds nothing on the machine" not in told(check_plugin("acme", begin=warm_accel.begin_kit))
