"""A plugin of YAML alone, as `accel plugins new NAME --data` writes it, untouched: found, proven, useful, never run."""

import importlib.util
import json
import re
import shlex
import shutil
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
import yaml

from accel.machine.recorded import RecordedMachine
from accel.plugins.registry import Registry
from accel.specs.validate import problems

pytestmark = pytest.mark.slow  # processes, and deadlines that run out

PAGE = Path(__file__).parents[2] / "docs" / "data-only-plugin.md"


def test_every_word_of_the_template_has_been_filled_in(data: Any) -> None:
    files = [file for file in data.folder.rglob("*") if file.is_file() and "__pycache__" not in file.parts]
    assert len(files) == 24
    for file in files:
        text = file.read_text(encoding="utf-8")
        assert not re.search(r"\$\{?\w", text), file
        assert "NAME" not in str(file.relative_to(data.folder))
        if file.suffix == ".yaml":
            assert isinstance(yaml.safe_load(text), dict), file


def test_it_has_no_code_and_no_mistake(data: Any) -> None:
    assert list(data.package.rglob("*.py")) == []
    assert problems(str(data.package)) == []


def test_it_reaches_the_highest_level_with_every_rule_of_a_distribution(data: Any) -> None:
    done = data.accel("plugins", "check", data.name, "--json")
    assert done.returncode == 0, done.stdout
    answer = json.loads(done.stdout)
    assert answer["level"] == "diagnose"
    assert {outcome["status"] for outcome in answer["outcomes"]} == {"passed"}


def test_its_own_tests_hold_the_kit(acme_data: Any) -> None:
    done = acme_data.python("pytest", "-p", "no:cacheprovider", "-rA", PYTHONDONTWRITEBYTECODE="1")
    assert done.returncode == 0, done.stdout
    assert "test_a_fault_names_its_device_what_it_means_and_what_to_do" in done.stdout
    assert "Each check is shown finding its fault" in done.stdout


def test_it_says_what_to_do_next_and_each_step_shows_what_it_says(acme_data: Any, tmp_path: Path, shell: Any) -> None:
    said = shell(tmp_path, "acme", "--data").stdout
    assert f"```console\n$ accel plugins new acme --data\n{said}```" in PAGE.read_text(encoding="utf-8")
    assert max(map(len, said.splitlines())) <= 80
    for command, words in {
        "devices --from src/accel_acme/machines/texts/list.txt": ["acme:0", "acme:1", "Acme X1", "180/350 W"],
        "doctor --from src/accel_acme/machines/texts/fault.txt": ["ACME 31: An uncorrectable error", "acme:1", "AE001"],
        'explain "ACME 31"': ["An uncorrectable error in device memory", "reset it"],
    }.items():
        assert f"  accel {command} " in said
        printed = acme_data.accel(*shlex.split(command)).stdout
        assert [word for word in words if word not in printed] == []


def test_a_code_of_a_vendor_with_an_underscore_is_explained(make: Any) -> None:
    assert "no longer answers on the bus" in make("my_npu", "--data").accel("explain", "MY_NPU 45").stdout


def test_what_the_tool_does_not_say_is_not_known(data: Any) -> None:
    text = str(data.package / "machines" / "texts" / "not-available-and-cut.txt")
    (device,) = json.loads(data.accel("devices", "--from", text, "--json").stdout)["devices"]
    assert device["memory_total_bytes"] == 65536 * 2**20
    for fact in ("memory_used_bytes", "utilization_percent", "temperature_celsius", "power_limit_watts"):
        assert device[fact] is None


def test_its_products_its_sentence_and_the_plugin_itself_are_shown(data: Any) -> None:
    assert f"{data.vendor} X1" in data.accel("specs", "show", f"{data.vendor} X1").stdout
    (row,) = (
        r for r in json.loads(data.accel("plugins", "list", "--json").stdout)["plugins"] if r["name"] == data.name
    )
    assert (row["status"], row["version"], row["devices"]) == ("loaded", "0.1.0", 0)


def test_without_its_hardware_it_is_not_asked_for_devices_and_with_it_it_is(acme_data: Any, tmp_path: Path) -> None:
    (tmp_path / "machine.yaml").write_text("{}\n")
    elsewhere = Registry({}, [str(acme_data.site)])
    assert elsewhere.backends_on(RecordedMachine(tmp_path)) == ()
    assert elsewhere.looked_at == ()
    for signs in (
        "nodes: [/dev/acme3]",
        'files: {/proc/bus/pci/devices: "3b00\\tf00d0001\\t10\\n"}',
        "{nodes: [/usr/bin/acme-smi], environment: {PATH: /usr/bin}}",
    ):
        (tmp_path / "machine.yaml").write_text(f"{signs}\n")
        assert Registry({}, [str(acme_data.site)]).looked_at == ()
        assert [p.name for p in _asked(acme_data.site, RecordedMachine(tmp_path))] == ["acme"], signs


def _asked(site: Path, machine: RecordedMachine) -> Any:
    registry = Registry({}, [str(site)])
    registry.backends_on(machine)
    return registry.looked_at


BROKEN = {  # one file changed: what, into what, and the rule that must name it
    "another-amount": ("acme/readers/acme_smi.yaml", 'from: "memory used"', 'from: "memory total"', "replay"),
    "a-wrong-vendor-id": ("acme/tools.yaml", '"f00d:"', '"f00e:"', "replay"),
    "health-without-evidence": ("acme/readers/acme_smi.yaml", 'OK: "ok"', 'Fine: "ok"', "replay"),
    "a-code-of-another": ("acme/inference/faults.yaml", 'code: "AE001"', 'code: "AC001"', "check-codes"),
    "a-sentence-that-is-not-found": ("acme/inference/faults.yaml", "acme: fault {", "acme: faults {", "checks-find"),
    "a-gap-that-is-not-said": (
        "machines/texts/not-available-and-cut.expected.yaml",
        'gaps: ["memory_used_bytes"',
        'gaps: ["uuid"',
        "texts-replayed",
    ),
    "a-figure-without-source": ("acme/chips/x1.yaml", 'sources: ["example"]', 'sources: ["nobody"]', "sources"),
}


@pytest.mark.parametrize("how", BROKEN)
def test_a_promise_broken_in_one_line_is_named(acme_data: Any, tmp_path: Path, how: str) -> None:
    file, right, wrong, rule = BROKEN[how]
    site = tmp_path / "site"
    shutil.copytree(acme_data.site, site)
    path = site / "accel_acme" / file
    text = path.read_text(encoding="utf-8")
    assert text.count(right) == 1
    path.write_text(text.replace(right, wrong), encoding="utf-8")
    done = acme_data.accel("plugins", "check", "acme", "--json", PYTHONPATH=str(site))
    kept = {o["rule"]: o["status"] for o in json.loads(done.stdout)["outcomes"]}
    assert kept[rule] in ("failed", "not proven")


def test_arguments_are_refused_as_for_a_plugin_with_code(tmp_path: Path, shell: Callable[..., Any]) -> None:
    for words in (
        ("nvidia",),
        ("Acme",),
        ("acme", "--kind", "cpu"),
        ("acme", "--prefix", "NV"),
        ("acme", "--vendor", "<"),
    ):
        done = shell(tmp_path, *words, "--data")
        assert (done.returncode, done.stdout) == (2, "")
        assert done.stderr
    assert list(tmp_path.iterdir()) == []


def test_for_programs_it_says_what_it_wrote(tmp_path: Path, shell: Callable[..., Any]) -> None:
    answer = json.loads(shell(tmp_path, "acme", "--data", "--output", "mine", "--json").stdout)
    written = {file.relative_to(tmp_path / "mine").as_posix() for file in tmp_path.rglob("*") if file.is_file()}
    assert set(answer["files"]) == written


@pytest.mark.skipif(
    any(importlib.util.find_spec(name) is None for name in ("pip", "hatchling")),
    reason="builds a wheel with what is installed: pip and hatchling",
)
def test_pip_builds_a_wheel_with_all_its_yaml(acme_data: Any, tmp_path: Path) -> None:
    copy = tmp_path / "accel-acme"
    shutil.copytree(acme_data.folder, copy)
    site = tmp_path / "installed"
    words = ("install", "--no-build-isolation", "--no-index", "--no-deps", "--quiet", "--target", str(site), str(copy))
    done = acme_data.python("pip", *words, PYTHONPATH="")
    assert done.returncode == 0, done.stderr
    needed = {file.relative_to(copy / "src") for file in (copy / "src").rglob("*") if file.is_file()}
    assert needed == {file.relative_to(site) for file in (site / "accel_acme").rglob("*") if file.is_file()}
    done = acme_data.accel("plugins", "check", "acme", PYTHONPATH=str(site))
    assert "Level: diagnose" in done.stdout
