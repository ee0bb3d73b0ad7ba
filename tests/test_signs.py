"""Signs of hardware, looked for before a plugin's code is imported."""

import re
import sys
from importlib import import_module
from pathlib import Path

import pytest
import yaml

from accel.collect.text import read_texts
from accel.machine.recorded import RecordedMachine
from accel.model.device import Device
from accel.plugins.catalogue import catalogue
from accel.plugins.discovery import parse
from accel.plugins.registry import Registry
from accel.vendors.contract.vendor import Vendor
from accel.vendors.toolkit.presence import shown
from accel.vendors.toolkit.vendor_backend import VendorBackend

ROOT = Path(__file__).parent.parent
VENDORS = [import_module(path.parent.name).VENDOR for path in sorted(ROOT.glob("plugins/*/accel_*/__init__.py"))]
FOLDERS = sorted(
    path.parent for top in ("plugins", "tests") for path in (ROOT / top).glob("**/machines/**/machine.yaml")
)


def machine(folder: Path, **recorded: object) -> RecordedMachine:
    (folder / "machine.yaml").write_text(yaml.safe_dump(recorded))
    return RecordedMachine(folder)


@pytest.mark.parametrize(
    ("sign", "recorded"),
    [
        ("/dev/acme0", {"nodes": ["/dev/acme0"]}),
        ("/dev/acme<N>", {"nodes": ["/dev/acme12"]}),
        ("/dev/acme.<N>", {"nodes": ["/dev/acme.0"]}),
        ("pci:1e36", {"files": {"/proc/bus/pci/devices": "1900\t1e360001\t18\n"}}),
        ("pci:1d0f:7", {"files": {"/proc/bus/pci/devices": "1900\t1d0f7164\t18\n"}}),
        ("lib:libacme.so.1", {"libraries": ["libacme.so.1"]}),
        ("tool:acme-smi", {"nodes": ["/opt/acme/bin/acme-smi"], "environment": {"PATH": "/usr/bin:/opt/acme/bin"}}),
        ("system:macos", {"system": "macos"}),
    ],
)
def test_a_sign_is_shown_where_its_thing_is_and_not_elsewhere(
    sign: str, recorded: dict[str, object], tmp_path: Path
) -> None:
    assert shown([sign], machine(tmp_path, **recorded))
    assert not shown([sign], machine(tmp_path, environment={"PATH": "/usr/bin"}))


def test_a_name_that_goes_on_with_letters_or_another_device_is_no_sign(tmp_path: Path) -> None:
    here = machine(tmp_path, nodes=["/dev/acmectl"], files={"/proc/bus/pci/devices": "1900\t1d0fec20\t18\n"})
    assert not shown(["/dev/acme<N>", "pci:1d0f:7", "pci:1d"], here)


def test_always_and_signs_of_a_kind_to_come_count_as_shown(tmp_path: Path) -> None:
    assert shown(["always"], machine(tmp_path))
    assert shown(["usb:1234"], machine(tmp_path))


def test_signs_are_stated_one_a_line_with_the_plugins_name() -> None:
    plugins = "[accel.plugins]\nacme = accel_acme\nzed = accel_zed\n"
    signs = "[accel.plugin_signs]\npci:1e36 = acme\n/dev/acme<N>=acme\n"
    assert [plugin.signs for plugin in parse(plugins + signs, "a-1.dist-info")] == [("pci:1e36", "/dev/acme<N>"), ()]


def test_what_this_accel_states_fits_what_installers_read() -> None:
    """Older pips take what stands behind the "=" apart as  module:name [extras], and fail on any other."""
    from importlib.metadata import distribution

    stated = [entry for entry in distribution("accel-sdk").entry_points if entry.group.startswith("accel.")]
    assert stated
    for entry in stated:
        assert re.fullmatch(r"[A-Za-z_][\w.]*(:[A-Za-z_][\w.]*)?", entry.value), entry


def plugin(site: Path, name: str, signs: str | None, body: str) -> None:
    (site / f"accel_{name}.py").write_text(body)
    folder = site / f"accel_{name}-1.0.dist-info"
    folder.mkdir()
    text = f"[accel.plugins]\n{name} = accel_{name}\n"
    (folder / "entry_points.txt").write_text(text + (f"[accel.plugin_signs]\n{signs} = {name}\n" if signs else ""))


def test_a_plugin_without_its_signs_is_not_imported_for_devices_and_is_for_the_rest(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    site = tmp_path / "site"
    site.mkdir()
    monkeypatch.syspath_prepend(str(site))
    plugin(site, "signed", "/dev/signed0", "")
    plugin(site, "unsigned", None, "")
    registry = Registry({}, [str(site)])
    registry.backends_on(machine(tmp_path))
    assert [p.name for p in registry.looked_at] == ["unsigned"]
    assert "accel_signed" not in sys.modules
    registry.backends_on(machine(tmp_path, nodes=["/dev/signed0"]))
    assert [p.name for p in registry.looked_at] == ["signed", "unsigned"]
    assert [p.name for p in Registry({}, [str(site)]).plugins] == ["signed", "unsigned"]


@pytest.mark.parametrize("folder", FOLDERS, ids=lambda folder: str(folder.relative_to(ROOT)))
def test_every_backend_that_detects_its_hardware_is_among_those_whose_signs_show(folder: Path) -> None:
    registry = Registry({})
    recorded = RecordedMachine(folder)
    detected = {backend.name for backend in registry.backends if backend.detect(recorded)}
    assert detected <= {backend.name for backend in registry.backends_on(recorded)}
    assert detected


@pytest.mark.parametrize("vendor", VENDORS, ids=lambda vendor: vendor.name)
def test_any_number_of_a_node_is_a_sign_to_the_backend_and_before_it_is_loaded(
    vendor: Vendor[Device], tmp_path: Path
) -> None:
    for node in vendor.nodes:
        here = machine(tmp_path, nodes=[node.replace("<N>", "3")], system="linux")
        assert shown(vendor.signs, here)
        assert VendorBackend(vendor).detect(here), node


def test_every_plugin_of_accel_states_its_signs() -> None:
    registry = Registry({})
    assert registry.backends_on(RecordedMachine(ROOT / "tests/machines/laptop-without-accelerator"))
    assert {p.name for p in registry.looked_at} <= {"cpu", "intel"}


def test_of_a_plugin_whose_presence_says_no_nothing_else_is_loaded(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Boards of Intel's are in nearly every machine; its GPUs are not."""
    bridge = machine(tmp_path, files={"/proc/bus/pci/devices": "0000\t80861237\t0\n"})
    for name in [name for name in sys.modules if name.partition(".")[0] == "accel_intel"]:
        monkeypatch.delitem(sys.modules, name)
    registry = Registry({})
    assert "intel" not in [backend.name for backend in registry.backends_on(bridge)]
    assert "accel_intel.presence" in sys.modules
    assert "accel_intel.vendor" not in sys.modules


@pytest.mark.skipif(catalogue() is None, reason="a source file is newer than the catalogue: run specs/compile.py")
def test_a_text_of_one_maker_asks_no_backend() -> None:
    text = "RuntimeError: The NVIDIA driver on your system is too old (found version 11040)."
    registry = Registry({})
    read_texts([("pasted", text)], registry, several=True)
    others = {p.name for p in registry.looked_at} - {"cpu", "nvidia"}
    assert others == set()
