"""A plugin that is a folder of YAML, as docs/data-only-plugin.md has it."""

import os
import re
import subprocess
import sys
from pathlib import Path

import pytest
import warm_accel

from accel.machine.recorded import RecordedMachine
from accel.model.errors import BadSpec, PluginError
from accel.plugins.registry import Registry
from accel.plugins.yaml_plugin import data_plugin
from accel.vendors.contract.backend import Request

pytestmark = pytest.mark.slow  # processes, and deadlines that run out

ROOT = Path(__file__).parent.parent
_BLOCK = re.compile(r"^```\w+ file=(?P<path>\S+)\n(?P<text>.*?)^```$", re.MULTILINE | re.DOTALL)
LISTED = """\
ACME-SMI 2.1   Driver 5.4.1
|  0  Acme X1  | 0000:3b:00.0 | 1024/65536 | 61 | OK
|  1  Acme X1  | 0000:5e:00.0 |    0/65536 | N/A | Degraded
"""


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    """Write the page's files as it says; return the folder."""
    page = (ROOT / "docs" / "data-only-plugin.md").read_text(encoding="utf-8")
    root = tmp_path / "acme_data"
    for block in _BLOCK.finditer(page):
        path = root / block["path"]
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(block["text"], encoding="utf-8")
    return root


def accel(plugins: Path, *words: str, text: str = "", place: Path | None = None) -> subprocess.CompletedProcess[str]:
    environment = {**os.environ, "ACCEL_PLUGINS": str(plugins), "COLUMNS": "120"}
    return warm_accel.run(*words, environment=environment, folder=place, given=text)


def test_the_commands_of_the_page_do_what_it_says(folder: Path) -> None:
    assert "no mistake was found" in accel(folder, "specs", "validate", str(folder)).stdout
    listed = accel(folder, "devices", "--from", "-", text=LISTED)
    assert listed.returncode == 0, listed.stderr
    assert "Acme X1   1.0/64.0 GiB" in listed.stdout
    judged = accel(folder, "doctor", "--from", "-", text="[ 1033.1] acme: fault 31 on device 1\n")
    assert judged.returncode == 1
    assert "ACME 31: An uncorrectable error in device memory" in judged.stdout
    assert "acme:1" in judged.stdout
    assert "sudo acme-smi collect -i 1" in judged.stdout
    assert "uncorrectable error" in accel(folder, "explain", "ACME 31").stdout
    assert "the driver reports a fault" in accel(folder, "explain", "AX001").stdout.lower()


def test_the_page_s_plugin_keeps_all_promises_of_the_kit(folder: Path) -> None:
    done = accel(folder, "plugins", "check", folder.name)
    assert "Level: diagnose" in done.stdout, done.stdout + done.stderr
    assert done.returncode == 0
    beside = accel(Path(folder.name), "plugins", "check", folder.name, "--rule", "loads", place=folder.parent)
    assert "1 of 1 passed" in beside.stdout, beside.stdout + beside.stderr
    assert f"{folder.name} " in accel(folder, "plugins", "list").stdout


def test_a_code_that_the_table_has_not_is_said_as_it_is(folder: Path) -> None:
    judged = accel(folder, "doctor", "--from", "-", text="acme: fault 99 on device 0\n")
    assert "reports a fault of a device: code 99" in judged.stdout


def machine(folder: Path, **more: str) -> RecordedMachine:
    folder.mkdir(exist_ok=True)
    (folder / "list.txt").write_text(LISTED)
    (folder / "machine.yaml").write_text(
        "nodes: [/dev/acme0, /opt/acme/bin/acme-smi]\n"
        "commands:\n  - {argv: [acme-smi, list], stdout_file: list.txt"
        + "".join(f", {key}: {value}" for key, value in more.items())
        + "}\n"
    )
    return RecordedMachine(folder)


def test_its_tool_lists_the_devices_of_a_live_machine_with_the_mask_applied(folder: Path, tmp_path: Path) -> None:
    (backend,) = [b for b in Registry({"ACCEL_PLUGINS": str(folder)}).backends if b.vendor == "Acme"]
    here = machine(tmp_path / "here")
    assert backend.detect(here)
    devices = [d for report in backend.probe(here, Request()) for d in report.devices]
    assert [(d.id, d.health, d.temperature_celsius) for d in devices] == [
        ("acme:0", "ok", 61.0),
        ("acme:1", "warning", None),
    ]
    shown = backend.visible(devices, {"ACME_VISIBLE_DEVICES": "1"})
    assert [(d.visible, d.runtime_names) for d in shown] == [(False, ()), (True, ("acme:0",))]
    memory = backend.memory(here, "acme:0")
    assert memory is not None
    assert memory.used_bytes == 2**30


def test_a_tool_that_hangs_is_a_gap_and_an_empty_machine_has_none(folder: Path, tmp_path: Path) -> None:
    (backend,) = [b for b in Registry({"ACCEL_PLUGINS": str(folder)}).backends if b.vendor == "Acme"]
    reports = backend.probe(machine(tmp_path / "hung", timed_out="true", stdout="''"), Request())
    assert any("gave no answer" in gap.reason for report in reports for gap in report.gaps)
    (tmp_path / "empty").mkdir()
    (tmp_path / "empty" / "machine.yaml").write_text("{}\n")
    assert not backend.detect(RecordedMachine(tmp_path / "empty"))


@pytest.mark.parametrize(
    ("file", "old", "new", "sentence"),
    [
        ("acme/tools.yaml", "command:", "comand:", "did you mean command?"),
        ("acme/tools.yaml", "pci_ids:", "pci_idz:", "did you mean pci_ids?"),
        ("acme/readers/acme_smi.yaml", 'unit: "MiB"', 'unit: "MIB"', "got 'MIB'"),
        ("acme/readers/acme_smi.yaml", 'health: "ok"', 'health: "fine"', "expected 'ok'"),
        ("acme/inference/faults.yaml", 'code: "AX001"', 'code: "1"', 'a code like "AX001"'),
        ("acme/inference/faults.yaml", "layer:", "layr:", "did you mean layer?"),
        ("acme/inference/faults.yaml", "text:", "txt:", "did you mean text?"),
        ("acme/faults.yaml", 'class: "reset"', 'class: "rest"', "did you mean reset?"),
    ],
)
def test_a_mistake_is_named_by_file_and_field(folder: Path, file: str, old: str, new: str, sentence: str) -> None:
    path = folder / file
    path.write_text(path.read_text().replace(old, new))
    done = accel(folder, "specs", "validate", str(folder))
    assert done.returncode == 1
    assert file in done.stdout
    assert sentence in done.stdout


def test_a_broken_reader_rule_is_a_gap_beside_what_else_is_known(folder: Path) -> None:
    path = folder / "acme/readers/acme_smi.yaml"
    path.write_text(path.read_text().replace('unit: "MiB"', 'unit: "MIB"'))
    listed = accel(folder, "devices", "--from", "-", text=LISTED)
    assert "got 'MIB'" in " ".join(listed.stdout.split())
    assert "accel specs validate FOLDER" in " ".join(listed.stdout.split())


def test_a_tools_file_that_states_no_tool_costs_the_plugin_its_backend(folder: Path) -> None:
    (folder / "acme/tools.yaml").write_text("tools: [{}]\n")
    with pytest.raises(BadSpec, match=r"acme/tools\.yaml"):
        data_plugin(str(folder)).accel_backend()
    judged = " ".join(accel(folder, "plugins", "check", folder.name, "--rule", "loads").stdout.split())
    assert "accel_backend raises BadSpec" in judged
    assert "Mend the file (docs/data-only-plugin.md), and look again: accel specs validate FOLDER" in judged


def test_a_distribution_gives_its_folder_without_its_code_being_run(
    folder: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    site = tmp_path / "site"
    folder.rename(site / "accel_acme_data") if site.mkdir() is None else None
    (site / "accel_acme_data" / "__init__.py").write_text("raise RuntimeError('this must not run')\n")
    metadata = site / "accel_acme-1.0.dist-info"
    metadata.mkdir()
    (metadata / "entry_points.txt").write_text("[accel.plugin_data]\nacme = accel_acme_data\n")
    monkeypatch.syspath_prepend(str(site))
    registry = Registry({}, [str(site)])
    assert [(p.name, p.status, p.version) for p in registry.plugins] == [("acme", "loaded", "1.0")]
    assert [b.name for b in registry.backends] == ["acme"]
    assert [reader.name for reader in registry.readers] == ["acme-smi list"]
    assert [check.code for check in registry.checks_of("acme")] == ["AX001", "AX002"]
    assert "accel_acme_data" not in sys.modules


def packaged(folder: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """Put the folder on the path as the package accel_of_yaml, behind what an uninstalled one of the name left."""
    package = folder.parent / "installed" / "accel_of_yaml"
    package.parent.mkdir()
    folder.rename(package)
    left = folder.parent / "left" / "accel_of_yaml" / "__pycache__"
    left.mkdir(parents=True)
    monkeypatch.syspath_prepend(str(package.parent))
    monkeypatch.syspath_prepend(str(left.parent.parent))
    return package


def test_a_package_is_found_behind_what_an_uninstalled_one_left(folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    package = packaged(folder, monkeypatch)
    assert data_plugin("accel_of_yaml").accel_specs() == str(package)


def test_a_package_without_yaml_is_named(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    (tmp_path / "accel_of_nothing").mkdir()
    monkeypatch.syspath_prepend(str(tmp_path))
    with pytest.raises(PluginError, match="'accel_of_nothing' contains no YAML"):
        data_plugin("accel_of_nothing")


def test_a_folder_here_of_the_package_s_name_does_not_take_its_place(
    folder: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    package = packaged(folder, monkeypatch)
    here = tmp_path / "downloads" / "accel_of_yaml" / "acme"
    here.mkdir(parents=True)
    (here / "tools.yaml").write_text("tools: [{command: [/tmp/anything]}]\n")
    monkeypatch.chdir(here.parent.parent)
    assert data_plugin("accel_of_yaml").accel_specs() == str(package)


@pytest.mark.parametrize("place", ["accel_that_is_not_here", "no such folder", ""])
def test_a_package_that_is_not_there_is_named(place: str) -> None:
    with pytest.raises(PluginError, match="no folder and no package"):
        data_plugin(place)
