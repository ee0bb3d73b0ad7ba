"""`accel report` as it is typed: formats, files, exit codes, and one sentence for what went wrong."""

import json
import os
import subprocess
import sys
from contextlib import redirect_stderr, redirect_stdout
from io import BytesIO, StringIO, TextIOWrapper
from pathlib import Path
from unittest.mock import patch

import pytest

from accel.apps.cli import main

EXAMPLE = str(Path(__file__).parents[2] / "docs" / "examples" / "driver-too-old.txt")


@pytest.fixture(autouse=True)
def usual_variables(monkeypatch: pytest.MonkeyPatch) -> None:
    for name in ("ACCEL_PLUGINS", "ACCEL_DISABLE", "ACCEL_SPECS"):
        monkeypatch.delenv(name, raising=False)


def accel(*words: str, text: str = "") -> subprocess.CompletedProcess[str]:
    out, errors = StringIO(), StringIO()
    with patch("sys.stdin", TextIOWrapper(BytesIO(text.encode()))), redirect_stdout(out), redirect_stderr(errors):
        try:
            code = main(list(words))
        except SystemExit as end:  # argparse's way out
            code = int(end.code or 0)
    return subprocess.CompletedProcess(words, code, out.getvalue(), errors.getvalue())


def test_markdown_on_stdout_is_what_one_gets_without_options() -> None:
    done = accel("report", "--from", EXAMPLE)
    assert done.returncode == 0
    assert done.stdout.startswith("# Accelerator report: 1 × NVIDIA GeForce RTX 3090\n")
    assert "**✗ 1 error: Driver 470.223.02 is too old" in done.stdout
    assert "sudo ubuntu-drivers install && sudo reboot" in done.stdout


@pytest.mark.parametrize("ending", ["md", "html"])
def test_a_model_is_judged_by_the_devices_that_a_report_shows(ending: str, tmp_path: Path) -> None:
    sizes = {"hidden_size": 4096, "num_hidden_layers": 32, "num_attention_heads": 32, "vocab_size": 32000}
    (tmp_path / "config.json").write_text(json.dumps({"model_type": "llama", "intermediate_size": 11008, **sizes}))
    model = str(tmp_path / "config.json")
    done = accel("report", "--from", EXAMPLE, "--model", model, "--context", "4096", "--format", ending)
    assert done.returncode == 0
    chapter = done.stdout.partition("Will it fit")[2] if ending == "md" else done.stdout
    assert "6.74 B parameters" in chapter
    assert "NVIDIA GeForce RTX 3090" in chapter
    assert "fits" in chapter
    assert "KV cache" in chapter
    assert accel("report", "--from", EXAMPLE, "--model", str(tmp_path / "absent")).returncode == 2


@pytest.mark.parametrize("name", ["a.html", "a.HTM"])
def test_the_ending_of_the_file_chooses_the_page(tmp_path: Path, name: str) -> None:
    done = accel("report", "--from", EXAMPLE, "-o", str(tmp_path / name))
    assert (done.returncode, done.stdout) == (0, "")
    assert (tmp_path / name).read_text(encoding="utf-8").startswith("<!DOCTYPE html>")


def test_format_outweighs_the_ending_of_the_file(tmp_path: Path) -> None:
    assert accel("report", "--from", EXAMPLE, "--format", "md", "-o", str(tmp_path / "a.html")).returncode == 0
    assert (tmp_path / "a.html").read_text(encoding="utf-8").startswith("# ")


def test_a_report_of_a_broken_machine_is_written_all_the_same() -> None:
    assert accel("doctor", "--from", EXAMPLE).returncode == 1
    assert accel("report", "--from", EXAMPLE, "--format", "html").returncode == 0


def test_a_saved_snapshot_gives_the_same_findings_as_the_text(tmp_path: Path) -> None:
    saved = tmp_path / "snapshot.json"
    assert accel("snapshot", "--from", EXAMPLE, "-o", str(saved)).returncode == 0
    direct, again = (accel("report", "--from", path).stdout for path in (EXAMPLE, str(saved)))
    assert direct.split("## Devices")[0].split("## Findings")[1] == again.split("## Devices")[0].split("## Findings")[1]


@pytest.mark.parametrize(
    ("words", "said"),
    [
        (["-o", "report.pdf"], ".md or .html"),
        (["-o", "report"], "--format"),
        (["--date", "2026-13-01"], "2023-11-17"),
        (["--date", "yesterday"], "2023-11-17"),
        (["--to", "Chinna"], "Did you mean China"),
        (["--no-restrictions", "--to", "China"], "one or the other"),
        (["--deep"], "one or the other"),
        (["-o", "/nowhere/at/all/report.md"], "can be written"),
    ],
)
def test_what_cannot_be_done_is_said_in_one_sentence(words: list[str], said: str) -> None:
    done = accel("report", "--from", EXAMPLE, *words)
    assert (done.returncode, done.stdout) == (2, "")
    assert len(done.stderr.splitlines()) == 1
    assert said in done.stderr


def test_a_file_that_is_not_there_is_named() -> None:
    done = accel("report", "--from", "/nowhere/report.txt")
    assert done.returncode == 2
    assert "/nowhere/report.txt" in done.stderr


def test_what_names_somebody_is_replaced_unless_it_is_asked_for(tmp_path: Path) -> None:
    saved = tmp_path / "snapshot.json"
    accel("snapshot", "--identifiers", "--from", EXAMPLE, "-o", str(saved))
    document = json.loads(saved.read_text(encoding="utf-8"))
    document["host"]["name"] = "gpubox-tomasz"
    saved.write_text(json.dumps(document), encoding="utf-8")
    assert "gpubox-tomasz" not in accel("report", "--from", str(saved)).stdout
    assert "gpubox-tomasz" in accel("report", "--identifiers", "--from", str(saved)).stdout


def test_the_help_tells_the_exit_codes() -> None:
    done = accel("report", "--help")
    assert done.returncode == 0
    assert "0 the report was written" in done.stdout


@pytest.mark.skipif(os.name != "posix", reason="the locale is a POSIX one")
def test_a_pipe_gets_utf_8_whatever_the_terminal_is_set_to() -> None:
    done = subprocess.run(
        [sys.executable, "-m", "accel", "report", "--from", EXAMPLE],
        capture_output=True,
        timeout=60,
        env={"PATH": "/usr/bin:/bin", "PYTHONIOENCODING": "ascii", "LC_ALL": "C"},
        check=False,
    )
    assert done.returncode == 0, done.stderr
    assert "1 × NVIDIA GeForce RTX 3090" in done.stdout.decode("utf-8")
