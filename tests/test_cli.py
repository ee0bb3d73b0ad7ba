"""The command as a user types it: exit codes, one sentence for what went wrong, plain text in pipes."""

import json
import os
import re
import subprocess
import sys
from collections.abc import Mapping
from contextlib import redirect_stderr, redirect_stdout
from io import BytesIO, StringIO, TextIOWrapper
from pathlib import Path
from unittest.mock import patch

import pytest

from accel.apps.cli import COMMANDS, main

posix = pytest.mark.skipif(os.name != "posix", reason="the lines are a POSIX shell's")

_ANSI = re.compile(r"\x1b\[")
_DEVICE_KEYS = {
    *("id", "index", "backend", "vendor", "kind", "name", "uuid", "serial", "pci_address", "architecture"),
    *("compute_capability", "driver_version", "memory_total_bytes", "memory_used_bytes", "memory_free_bytes"),
    *("utilization_percent", "temperature_celsius", "power_watts", "power_limit_watts", "health", "processes"),
    *("parent", "visible", "runtime_names"),
}
TABLE = """\
+-----------------------------------------------------------------------------------------+
| NVIDIA-SMI 550.90.07              Driver Version: 550.90.07      CUDA Version: 12.4     |
|-----------------------------------------+------------------------+----------------------+
| GPU  Name                 Persistence-M | Bus-Id          Disp.A | Volatile Uncorr. ECC |
| Fan  Temp   Perf          Pwr:Usage/Cap |           Memory-Usage | GPU-Util  Compute M. |
|                                         |                        |               MIG M. |
|=========================================+========================+======================|
|   0  NVIDIA L40S                    On  |   00000000:C1:00.0 Off |                    0 |
| N/A   41C    P8             33W /  350W |       4MiB /  46068MiB |      0%      Default |
|                                         |                        |                  N/A |
+-----------------------------------------+------------------------+----------------------+
"""
PACKAGES = """\
$ pip list
Package            Version
------------------ ------------
numpy              1.26.4
torch              2.4.0+cpu
torchvision        0.19.0+cpu
"""
MISMATCH = "Failed to initialize NVML: Driver/library version mismatch\nNVML library version: 550.90\n"


def accel(*words: str, text: str = "", more: Mapping[str, str] | None = None) -> subprocess.CompletedProcess[str]:
    """Run a command in this process, as if typed with these variables beside the usual ones."""
    out, errors = StringIO(), StringIO()
    with (
        patch.dict(os.environ, more or {}),
        patch("sys.stdin", TextIOWrapper(BytesIO(text.encode()))),
        redirect_stdout(out),
        redirect_stderr(errors),
    ):
        try:
            code = main(list(words))
        except SystemExit as end:  # argparse's way out
            code = int(end.code or 0)
    return subprocess.CompletedProcess(words, code, out.getvalue(), errors.getvalue())


def typed(line: str, text: str = "") -> subprocess.CompletedProcess[str]:
    """Run a shell's line, in which ACCEL stands for the command."""
    return subprocess.run(
        ["sh", "-c", line.replace("ACCEL", f"{sys.executable} -m accel")],
        input=text,
        capture_output=True,
        text=True,
        timeout=60,
        env={"PATH": "/usr/bin:/bin", "TERM": "xterm-256color"},
        check=False,
    )


@pytest.fixture(autouse=True)
def usual_variables(monkeypatch: pytest.MonkeyPatch) -> None:
    for name in ("COLUMNS", "FORCE_COLOR", "ACCEL_PLUGINS", "ACCEL_DISABLE", "ACCEL_SPECS"):
        monkeypatch.delenv(name, raising=False)


def refused(*words: str, text: str = "") -> str:
    """Return the one sentence with which a command ends that could not be done."""
    done = accel(*words, text=text)
    assert done.returncode == 2
    assert done.stdout == ""
    lines = done.stderr.splitlines()
    assert len(lines) == 1, done.stderr
    assert lines[0].startswith("accel: ")
    return lines[0]


def test_a_command_that_does_not_exist_names_the_one_that_was_meant() -> None:
    assert "accel doctor" in refused("docter")
    assert "accel --help" in refused("zzzzzz")


def test_no_command_shows_the_commands() -> None:
    done = accel()
    assert done.returncode == 0
    assert all(f"  {name}" in done.stdout for name in COMMANDS)


@pytest.mark.parametrize("command", COMMANDS)
def test_every_command_has_a_help_page(command: str) -> None:
    done = accel(command, "--help")
    assert done.returncode == 0
    assert done.stdout.startswith(f"usage: accel {command}")
    assert done.stderr == ""


def test_an_option_that_does_not_exist_is_refused() -> None:
    done = accel("devices", "--jsno")
    assert done.returncode == 2
    assert "--jsno" in done.stderr


@posix
@pytest.mark.parametrize("words", ["doctor --from -", "devices --from -"])
def test_what_is_piped_has_no_colours(words: str) -> None:
    done = typed(f"ACCEL {words} | cat", TABLE + PACKAGES)
    assert "L40S" in done.stdout
    assert not _ANSI.search(done.stdout)


@pytest.mark.parametrize("words", ["devices --from -", "specs show 4090", "plugins list"])
def test_no_line_of_what_is_piped_ends_in_blanks(words: str) -> None:
    printed = accel(*words.split(), text="GPU 0: NVIDIA A100-SXM4-80GB (UUID: GPU-0)\n").stdout
    assert printed
    assert [line for line in printed.splitlines() if line != line.rstrip()] == []


@posix
def test_the_shell_sees_the_exit_code_and_one_sentence_on_its_error_stream() -> None:
    done = typed("ACCEL doctor --from /nowhere/x.txt")
    assert (done.returncode, done.stdout) == (2, "")
    assert done.stderr.startswith("accel: /nowhere/x.txt: ")
    assert done.stderr.count("\n") == 1


@pytest.mark.parametrize("columns", ["40", "60"])
def test_a_narrow_terminal_breaks_sentences_and_never_a_command(columns: str) -> None:
    found = json.loads(accel("doctor", "--from", "-", "--json", text=TABLE + PACKAGES).stdout)["findings"]
    told = [r["command"] for f in found for r in (*f["remedies"], *filter(None, [f["verification"]]))]
    commands = [line for command in told for line in (command or "").splitlines()]
    assert any(len(command) > int(columns) for command in commands)
    lines = accel("doctor", "--from", "-", text=TABLE + PACKAGES, more={"COLUMNS": columns}).stdout.splitlines()
    assert [command for command in commands if command not in [line.strip() for line in lines]] == []
    assert all(len(line) <= int(columns) for line in lines if line.strip() not in commands)


def test_a_file_that_is_not_there_is_named(tmp_path: Path) -> None:
    missing = str(tmp_path / "nowhere.txt")
    for command in ("doctor", "devices", "snapshot"):
        assert missing in refused(command, "--from", missing)
    assert str(tmp_path) in refused("doctor", "--from", str(tmp_path))


def test_a_binary_file_is_no_report(tmp_path: Path) -> None:
    binary = tmp_path / "libcuda.so"
    binary.write_bytes(b"\x7fELF\x02\x01\x01" + bytes(range(32)) * 300)
    assert "binary data" in refused("doctor", "--from", str(binary))


@pytest.mark.parametrize(
    ("text", "words"),
    [
        ('{"schema": "accel.snapshot/99", "origin": "live"}', "pip install -U accel-sdk"),
        ('{"schema": "accel.snapshot/1", "origin": "li', "not a complete JSON document"),
        ('{"schema": "accel.snapshot/1", "origin": 5}', "$.origin"),
        ('{"schema": "accel.snapshot/1", "reports": [{"backend": "acme", "source": 1}]}', "$.reports[0].source"),
    ],
)
def test_a_snapshot_that_cannot_be_used_is_refused_at_the_exact_place(tmp_path: Path, text: str, words: str) -> None:
    saved = tmp_path / "saved.json"
    saved.write_text(text)
    for command in ("doctor", "devices"):
        sentence = refused(command, "--from", str(saved))
        assert "saved.json" in sentence
        assert words in sentence


def test_several_files_and_stdin_are_read_as_one_machine(tmp_path: Path) -> None:
    packages = tmp_path / "pip.txt"
    packages.write_text(PACKAGES)
    done = accel("doctor", "--from", str(packages), "-", "--json", text=TABLE)
    answer = json.loads(done.stdout)
    assert done.returncode == 1
    assert [f["name"] for f in answer["findings"]] == ["torch-cpu-build-on-gpu-machine"]
    assert [d["id"] for d in answer["devices"]] == ["nvidia:0"]
    assert json.loads(accel("doctor", "--from", str(packages), "--json").stdout)["findings"] == []


def test_a_text_with_nothing_in_it_is_said_to_have_nothing() -> None:
    done = accel("doctor", "--from", "-", text="the weather is fine\n")
    assert done.returncode == 3
    assert "nothing in it was recognised" in " ".join(done.stdout.split())
    assert "Undecided: too little is known" in done.stdout


def test_the_exit_code_follows_fail_on() -> None:
    sick = MISMATCH
    assert accel("doctor", "--from", "-", text=sick).returncode == 1
    assert accel("doctor", "--from", "-", "--fail-on", "info", text=sick).returncode == 1
    warm = TABLE.replace("On  |   00000000", "Off |   00000000")
    found = json.loads(accel("doctor", "--from", "-", "--json", text=warm).stdout)["findings"]
    assert {f["severity"] for f in found} == {"info"}
    assert accel("doctor", "--from", "-", text=warm).returncode == 0
    assert accel("doctor", "--from", "-", "--fail-on", "warning", text=warm).returncode == 0
    assert accel("doctor", "--from", "-", "--fail-on", "info", text=warm).returncode == 1
    assert accel("doctor", "--from", "-", "--fail-on", "fatal", text=warm).returncode == 2


@posix
@pytest.mark.parametrize("command", ["devices --json", "plugins list", "doctor --from FILE", "snapshot --from FILE"])
def test_a_reader_that_leaves_the_pipe_is_no_error(tmp_path: Path, command: str) -> None:
    saved = tmp_path / "table.txt"
    saved.write_text(TABLE * 50)
    done = typed(f"ACCEL {command.replace('FILE', str(saved))} | true")
    assert (done.stdout, done.stderr) == ("", "")


@pytest.mark.parametrize(
    ("what", "words"),
    [
        ("NV003", "NV003 driver-not-loaded"),
        ("nv003", "NV003 driver-not-loaded"),
        ("driver-not-loaded", "NV003 driver-not-loaded"),
        ("79", "fallen off the bus"),
        ("cuda 802", "CUDA 802 cudaErrorSystemNotReady"),
        ("802", "accel explain fabric-manager-not-running"),
        ("sxid 12028", "accel explain nvswitch-fault"),
        ("dcgm 311", "DCGM_FI_DEV_ECC_DBE_VOL_TOTAL"),
        ("DCGM_FR_PENDING_ROW_REMAP", "DCGM result 85"),
        ("recovery action 3", "accel explain gpu-recovery-needed"),
        ("xid 173", "chip-to-chip link"),
        ("cudaErrorSystemNotReady", "CUDA 802"),
        ("EI0006", "accel explain npu-hccl-problem"),
        ("507033", "ACL_ERROR_RT_DEV_SETUP_ERROR"),
        ("errno 12", "ENOMEM"),
        ("SIGKILL", "Signal 9"),
        ("exit code 137", "somebody killed the process"),
        ("Xid 79", "fallen off the bus"),
        ("Failed to initialize NVML: Driver/library version mismatch", "NV002 driver-library-mismatch"),
    ],
)
def test_a_code_a_name_a_fault_and_a_sentence_are_explained(what: str, words: str) -> None:
    done = accel("explain", what)
    assert done.returncode == 0
    assert words in done.stdout


def test_what_nothing_is_known_of_is_said_to_be_unknown() -> None:
    done = accel("explain", "flux", "capacitor")
    assert done.returncode == 2
    assert "nothing is known about 'flux capacitor'" in done.stderr
    assert json.loads(accel("explain", "--json", "flux capacitor").stdout)["explanations"] == []


@pytest.mark.parametrize(
    ("what", "meant"),
    [("cuda 8022", "cuda 802"), ("cudaErrorNoDevic", "cudaErrorNoDevice"), ("EI00066", "EI0006")],
)
def test_a_code_that_is_not_known_names_the_nearest(what: str, meant: str) -> None:
    done = accel("explain", what)
    assert done.returncode == 2
    assert re.search(rf"Near it are: .*\b{meant}\b", done.stderr), done.stderr


@pytest.mark.parametrize("words", [("specs", "show"), ("specs", "compare"), ("restrictions",)])
def test_a_chip_that_is_not_known_could_not_be_answered(words: tuple[str, ...]) -> None:
    done = accel(*words, "flux-capacitor-9000")
    assert done.returncode == 2
    assert "no chip is named" in done.stderr


def test_devices_are_given_as_csv_without_the_processor() -> None:
    done = accel("devices", "--from", "-", "--query", "index,name,memory.total", text=TABLE)
    assert done.returncode == 0
    assert done.stdout == "index,name,memory.total [MiB]\n0,NVIDIA L40S,46068\n"
    assert "exclude each other" in accel("devices", "--from", "-", "--csv", "--json", text=TABLE).stderr


def test_the_help_of_a_command_is_given_both_ways() -> None:
    assert accel("help", "doctor").stdout == accel("doctor", "--help").stdout
    assert accel("help").stdout == accel("--help").stdout
    assert accel("help", "docter").returncode == 2


@posix
@pytest.mark.parametrize(
    "line",
    ["accel doctor FILE", "accel doctor < FILE", "cat FILE | accel doctor", "(sleep 0.1; cat FILE) | accel doctor"],
)
def test_a_text_is_taken_as_a_file_redirected_and_piped(tmp_path: Path, line: str) -> None:
    (tmp_path / "report.txt").write_text(MISMATCH)
    command = f"{sys.executable} -m accel"
    done = run_line(line.replace("accel", command).replace("FILE", str(tmp_path / "report.txt")))
    assert done.returncode == 1
    assert "driver-library-mismatch" in done.stdout
    assert ("stdin" in done.stderr) == ("doctor FILE" not in line)


@posix
@pytest.mark.parametrize("line", ["accel doctor --json < /dev/null", ": | accel doctor --json"])
def test_an_empty_stdin_means_this_machine(line: str) -> None:
    done = run_line(line.replace("accel", f"{sys.executable} -m accel"))
    assert json.loads(done.stdout)["verdict"]
    assert done.stderr == ""


def run_line(line: str) -> subprocess.CompletedProcess[str]:
    return subprocess.run(["sh", "-c", line], capture_output=True, text=True, check=False, env=dict(os.environ))


def test_a_snapshot_that_cannot_be_written_is_refused(tmp_path: Path) -> None:
    table = tmp_path / "table.txt"
    table.write_text(TABLE)
    target = str(tmp_path / "no" / "folder" / "x.json")
    assert target in refused("snapshot", "--from", str(table), "-o", target)


def test_a_snapshot_that_was_written_is_read_again(tmp_path: Path) -> None:
    saved = str(tmp_path / "saved.json")
    assert accel("snapshot", "--from", "-", "-o", saved, text=TABLE + PACKAGES).returncode == 0
    told = json.loads(accel("doctor", "--from", "-", "--json", text=TABLE + PACKAGES).stdout)
    again = json.loads(accel("doctor", "--from", saved, "--json").stdout)
    assert again["findings"] == told["findings"] != []


def test_the_devices_document_has_every_key_of_the_contract() -> None:
    answer = json.loads(accel("devices", "--json").stdout)
    assert list(answer) == ["schema", "devices", "gaps"]
    assert answer["schema"] == "accel.devices/1"
    assert "cpu:0" in [device["id"] for device in answer["devices"]]
    listed = json.loads(accel("devices", "--from", "-", "--json", text=TABLE).stdout)["devices"]
    for device in (*answer["devices"], *listed):
        assert sorted(_DEVICE_KEYS - set(device)) == []


def test_the_diagnosis_document_has_every_key_of_the_contract() -> None:
    answer = json.loads(accel("doctor", "--from", "-", "--json", text=MISMATCH).stdout)
    assert {"schema", "verdict", "findings", "undecided", "devices", "gaps"} <= set(answer)
    assert (answer["schema"], answer["verdict"]) == ("accel.diagnosis/1", "faults")


@pytest.mark.parametrize("command", ["devices", "doctor", "pick", "ps", "report", "snapshot", "topology"])
@pytest.mark.parametrize("seconds", ["nan", "-1", "0", "soon"])
def test_a_deadline_that_is_no_time_is_refused(command: str, seconds: str) -> None:
    done = accel(command, f"--timeout={seconds}")
    assert done.returncode == 2
    assert f"{seconds!r} is no time above 0" in done.stderr


@pytest.mark.parametrize(
    ("words", "says"),
    [
        (("explain", " "), "Nothing was given to explain"),
        (("doctor", "https://example.com/log"), "accel opens no addresses"),
        (("serve", "--port", "99999999"), "port must be 0-65535. Give another"),
    ],
)
def test_a_use_that_cannot_be_meant_is_one_sentence(words: tuple[str, ...], says: str) -> None:
    done = accel(*words)
    assert done.returncode == 2
    assert says in done.stderr
    assert done.stderr.count("\n") == 1


def test_a_file_without_its_option_is_read(tmp_path: Path) -> None:
    path = tmp_path / "smi.txt"
    path.write_text(TABLE)
    done = accel("devices", str(path), "--json")
    assert [device["name"] for device in json.loads(done.stdout)["devices"]] == ["NVIDIA L40S"]


@posix
def test_a_second_interrupt_leaves_no_traceback() -> None:
    script = (
        "import os, signal, accel.apps.cli as c\n"
        "def late(): os.kill(os.getpid(), signal.SIGINT)\n"
        "c.main, c.reap = (lambda: 0), late\n"
        "c.entry()\n"
    )
    done = subprocess.run([sys.executable, "-c", script], capture_output=True, text=True, check=False)
    assert (done.returncode, done.stderr) == (0, "")
