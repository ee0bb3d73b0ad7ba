"""The command's output on streams as they may be: of another encoding, closed, full; and the log on stderr."""

import json
import os
import subprocess
import sys
from pathlib import Path

import pytest

REPORT = "Python 3.11\nRuntimeError: grün × → ✗ 显卡 …\nGPU 0: Quadro P400\n"
COMMANDS = [["doctor", "--from", "-"], ["devices", "--from", "-"], ["report", "--from", "-"]]


def accel(*words: str, shell: str = "", **environment: str) -> "subprocess.CompletedProcess[bytes]":
    command = [sys.executable, "-m", "accel", *words]
    if shell:
        command = ["sh", "-c", f'exec "$@" {shell}', "sh", *command]
    variables = {**os.environ, **environment}
    return subprocess.run(command, input=REPORT.encode(), capture_output=True, env=variables, timeout=60, check=False)


@pytest.mark.parametrize("encoding", ["cp1252", "ascii", "cp437", "gbk", "latin-1"])
@pytest.mark.parametrize("words", COMMANDS[:2], ids=lambda words: words[0])  # a report is a document: always UTF-8
def test_an_encoding_without_the_signs_degrades_and_never_raises(words: list[str], encoding: str) -> None:
    done = accel(*words, PYTHONIOENCODING=encoding, PYTHONUTF8="0")
    assert b"Traceback" not in done.stderr
    assert done.returncode in (0, 1, 3)
    assert done.stdout.decode(encoding)


@pytest.mark.parametrize("encoding", ["cp1252", "ascii"])
def test_json_stays_whole_in_any_encoding(encoding: str) -> None:
    done = accel("doctor", "--from", "-", "--json", PYTHONIOENCODING=encoding, PYTHONUTF8="0")
    texts = [one["text"] for one in json.loads(done.stdout.decode(encoding))["unexplained"]]
    assert any("显卡" in text for text in texts) or not texts


@pytest.mark.skipif(not Path("/dev/full").exists(), reason="this system has no /dev/full")
@pytest.mark.parametrize("words", COMMANDS, ids=lambda words: words[0])
def test_a_full_disk_is_said_in_one_line(words: list[str]) -> None:
    done = accel(*words, shell="> /dev/full")
    assert done.returncode == 2
    assert done.stderr.decode().startswith("accel: the answer cannot be written")
    assert b"Traceback" not in done.stderr


@pytest.mark.skipif(os.name != "posix", reason="closes a descriptor in a POSIX shell")
@pytest.mark.parametrize("closed", [">&-", ">&- 2>&-"])
@pytest.mark.parametrize("words", [*COMMANDS, ["--version"], ["doctor", "--help"]], ids=" ".join)
def test_an_answer_that_nobody_can_read_is_no_success(words: list[str], closed: str) -> None:
    done = accel(*words, shell=closed)
    assert done.returncode == 2
    assert (b"standard output is closed" in done.stderr) == ("2>&-" not in closed)
    assert b"Traceback" not in done.stderr


@pytest.mark.skipif(os.name != "posix", reason="closes a descriptor in a POSIX shell")
@pytest.mark.parametrize("words", COMMANDS, ids=lambda words: words[0])
def test_a_closed_stderr_is_no_traceback(words: list[str]) -> None:
    done = accel(*words, shell="2>&-")
    assert done.returncode in (0, 1, 3)
    assert done.stdout
    assert b"Traceback" not in done.stdout


@pytest.mark.skipif(os.name != "posix", reason="closes a descriptor in a POSIX shell")
def test_no_file_becomes_standard_output_because_that_is_closed(tmp_path: Path) -> None:
    code = (
        "import os; from accel.apps.cli.output import guard; guard(); "
        f"file = os.open({str(tmp_path / 'file')!r}, os.O_WRONLY | os.O_CREAT); os.write(1, b'x'); print(file > 2)"
    )
    subprocess.run(["sh", "-c", 'exec "$@" <&- >&-', "sh", sys.executable, "-c", code], check=True)
    assert (tmp_path / "file").read_bytes() == b""


def test_v_tells_on_stderr_what_was_run_and_read() -> None:
    quiet, loud = accel("devices"), accel("devices", "-vv")
    assert b" ms  " not in quiet.stderr
    assert b" ms  list /sys/bus/pci/devices" in loud.stderr or b" ms  read " in loud.stderr
    assert quiet.stdout.splitlines()[:1] == loud.stdout.splitlines()[:1]


def test_a_wrong_level_is_said() -> None:
    done = accel("devices", ACCEL_LOG="loud")
    assert done.returncode == 2
    assert "expected info or debug" in done.stderr.decode()


@pytest.mark.parametrize("options", [[], ["-u"]], ids=["buffered", "unbuffered"])
def test_what_is_said_on_stderr_is_there_at_once(options: list[str]) -> None:
    code = "import os; from accel.apps.cli.output import guard, say; guard(); say('waiting'); os._exit(0)"
    plain = {name: value for name, value in os.environ.items() if name != "PYTHONUNBUFFERED"}
    done = subprocess.run([sys.executable, *options, "-c", code], env=plain, capture_output=True, text=True, check=True)
    assert done.stderr == "accel: waiting\n"
