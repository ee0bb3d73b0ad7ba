"""accel as one file: the same bytes each time, pure Python, small enough for many nodes, and whole without a site."""

import subprocess
import sys
import zipfile
from pathlib import Path

import pytest

from accel import __version__
from accel.fleet import zipapp
from accel.model.errors import BadInput


def test_it_is_the_same_each_time_and_pure_and_looks_at_a_machine(tmp_path: Path) -> None:
    one, other = tmp_path / "accel.pyz", tmp_path / "other.pyz"
    for path in (one, other):
        zipapp.write(str(path))
    assert one.read_bytes() == other.read_bytes()
    names = zipfile.ZipFile(one).namelist()
    assert len(names) == len(set(names))
    assert not [name for name in names if name.endswith((".so", ".pyd", ".pyc")) or "/tests/" in name]
    assert {"__main__.py", "accel/_specs/tables.bin", "accel_nvidia/__init__.py", "yaml/__init__.py"} <= {*names}
    alone = [sys.executable, "-I", "-S", str(one)]  # -S: without whatever is installed here
    done = subprocess.run([*alone, "--version"], capture_output=True, text=True, check=True)
    assert __version__ in done.stdout
    assert sorted(path.name for path in tmp_path.iterdir()) == ["accel.pyz", "other.pyz"]


def test_one_that_is_too_large_is_not_sent(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(zipapp, "MOST_BYTES", 1000)
    monkeypatch.setattr(zipapp, "_below", lambda _, name: iter([(f"{name}/x.py", bytes(range(256)) * 9)]))
    with pytest.raises(BadInput, match="more than the 1000 that are sent"):
        zipapp.write(str(tmp_path / "accel.pyz"))


def test_what_is_not_installed_is_named(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(zipapp, "_below", lambda *_: iter(()))
    monkeypatch.setattr(zipapp, "_NEEDED", ("no_such_module_of_accel",))
    with pytest.raises(BadInput, match="the module no_such_module_of_accel, which is not installed"):
        zipapp.write(str(tmp_path / "accel.pyz"))


def test_an_older_python_is_told_which_one_is_needed() -> None:
    script = "import sys; sys.version_info = (3, 9, 18)\nexec(sys.stdin.read())"
    told = subprocess.run(
        [sys.executable, "-c", script], input=zipapp._MAIN, capture_output=True, text=True, check=False
    )
    assert (told.returncode, told.stderr) == (2, "accel needs Python 3.10 or newer, and this is 3.9.18\n")
