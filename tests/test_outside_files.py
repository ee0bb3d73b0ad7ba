"""What somebody names is read up to a bound, whatever it is."""

import os
import subprocess
import sys
from pathlib import Path

import pytest

from accel.machine.live import LiveMachine
from accel.machine.outside import NoData, read_ends, read_regular
from accel.specs.store import parse, user_folder

POSIX = pytest.mark.skipif(os.name != "posix", reason="needs FIFOs and devices")


def test_of_a_long_file_both_ends_are_read(tmp_path: Path) -> None:
    path = tmp_path / "log"
    path.write_bytes(b"first" + b"." * 1000 + b"last")
    assert read_ends(str(path), 20, 0.0) == (b"first.....\n.....last", False)
    assert read_ends(str(path), 2000, 0.0) == (path.read_bytes(), True)


@pytest.mark.parametrize("encoding", ["utf-8", "utf-16"])
def test_half_a_line_at_the_cut_of_a_long_file_is_not_read(tmp_path: Path, encoding: str) -> None:
    path = tmp_path / "log"
    lines = [f"Xid {number}" for number in range(1000, 2000)]
    path.write_bytes("\n".join(lines).encode(encoding))
    for most in range(200, 240):
        data, whole = read_ends(str(path), most, 0.0)
        read = data.decode(encoding).split("\n")
        assert not whole
        assert set(read) <= set(lines)
        assert (read[0], read[-1]) == (lines[0], lines[-1])


@POSIX
def test_a_device_without_end_is_read_in_part() -> None:
    assert read_ends("/dev/zero", 5000, 1.0) == (bytes(5000), False)


@POSIX
def test_a_pipe_that_nobody_writes_to_is_not_waited_for(tmp_path: Path) -> None:
    os.mkfifo(tmp_path / "pipe")
    with pytest.raises(NoData):
        read_ends(str(tmp_path / "pipe"), 100, 0.1)


@POSIX
def test_what_is_written_into_a_pipe_is_read_to_its_end(tmp_path: Path) -> None:
    os.mkfifo(tmp_path / "pipe")
    writer = subprocess.Popen([sys.executable, "-c", f"open({str(tmp_path / 'pipe')!r}, 'w').write('x' * 70000)"])
    assert read_ends(str(tmp_path / "pipe"), 100_000, 30.0) == (b"x" * 70_000, True)
    assert writer.wait() == 0


@POSIX
def test_a_table_that_is_a_pipe_or_a_device_is_refused(tmp_path: Path) -> None:
    os.mkfifo(tmp_path / "pipe.yaml")
    (tmp_path / "zero.yaml").symlink_to("/dev/zero")
    folder = user_folder(str(tmp_path))
    assert [folder.table(name) for name in ("pipe", "zero")] == [None, None]
    assert ["not a regular file" in problem for problem in folder.problems] == [True, True]


def test_too_large_a_file_is_refused(tmp_path: Path) -> None:
    (tmp_path / "large").write_bytes(b"x" * 101)
    with pytest.raises(OSError, match="101 bytes, more than the 100"):
        read_regular(str(tmp_path / "large"), 100)


@pytest.mark.parametrize(
    ("text", "said"),
    [
        ("a: &a [1, 1]\nb: &b [*a, *a]\nc: [*b, *b]\n", "line 2: an alias"),
        ("a: " + "[" * 100, "line 1: more than 60 levels"),
        ("- " * 100 + "1", "line 1: more than 60 levels"),
        ("a: " + "[" * 100_000, "^line 1: "),  # PyYAML may refuse so many levels itself, in its own words
        ("- " * 100_000 + "1", "^line 1: "),
        ("\n".join(" " * level + "a:" for level in range(100)), "line 61: more than 60 levels"),
    ],
)
def test_tables_that_would_not_fit_into_memory_are_refused(tmp_path: Path, text: str, said: str) -> None:
    (tmp_path / "bomb.yaml").write_text(text, encoding="utf-8")
    with pytest.raises(ValueError, match=said):
        parse(str(tmp_path / "bomb.yaml"))


def test_stars_and_brackets_in_texts_are_no_aliases_and_levels(tmp_path: Path) -> None:
    (tmp_path / "table.yaml").write_text(f"a: 'of *all'\nb: '{'[' * 100}'\n", encoding="utf-8")
    assert parse(str(tmp_path / "table.yaml")) == {"a": "of *all", "b": "[" * 100}


@POSIX
def test_a_live_machine_reads_regular_files_alone_and_waits_for_none(tmp_path: Path) -> None:
    os.mkfifo(tmp_path / "pipe")
    (tmp_path / "zero").symlink_to("/dev/zero")
    (tmp_path / "file").write_text("text")
    machine = LiveMachine({})
    for name in ("pipe", "zero", "."):
        with pytest.raises(OSError, match=r"directory|not a regular file"):
            machine.read(str(tmp_path / name))
        with pytest.raises(OSError, match=r"directory|not a regular file"):
            machine.read_bytes(str(tmp_path / name), 0, 10)
    assert (machine.read(str(tmp_path / "file"), 3), machine.read_bytes(str(tmp_path / "file"), 2, 9)) == ("tex", b"xt")


@POSIX
def test_an_environment_full_of_pipes_is_looked_at_in_time(tmp_path: Path) -> None:
    packages = tmp_path / "lib" / "python3.11" / "site-packages"
    for name in ("torch-2.4.0.dist-info", "jax-0.4.30.dist-info", "numpy-2.0.0.egg-info"):
        (packages / name).mkdir(parents=True)
        for file in ("METADATA", "PKG-INFO", "RECORD", "WHEEL", "INSTALLER", "direct_url.json", "entry_points.txt"):
            os.mkfifo(packages / name / file)
    for file in ("pyvenv.cfg", "lib/python3.11/site-packages/odd.pth", "lib/python3.11/site-packages/odd.egg-link"):
        os.mkfifo(tmp_path / file)
    (packages / "torch").mkdir()
    os.mkfifo(packages / "torch" / "version.py")
    command = [sys.executable, "-m", "accel", "doctor", "--json"]
    environment = {**os.environ, "PYTHONPATH": str(packages), "VIRTUAL_ENV": str(tmp_path)}
    done = subprocess.run(command, env=environment, capture_output=True, timeout=60, check=False)
    assert done.returncode in (0, 1, 3), done.stderr
    assert b'"findings"' in done.stdout
