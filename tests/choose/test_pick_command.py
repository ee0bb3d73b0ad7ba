"""`accel pick` and `accel.pick` on a simulated node."""

import json
import os
import re
import subprocess
import sys
from collections.abc import Callable, Mapping
from pathlib import Path

import pytest

from accel.text.assignments import SHELLS, assignments
from accel.text.durations import seconds_of

Accel = Callable[..., "subprocess.CompletedProcess[str]"]
UUID = r"GPU-[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}"


def test_the_lines_for_each_shell_are_all_that_is_printed(accel: Accel) -> None:
    for shell, line in (
        (None, rf"export CUDA_VISIBLE_DEVICES={UUID},{UUID}"),
        ("bash", rf"export CUDA_VISIBLE_DEVICES={UUID},{UUID}"),
        ("fish", rf"set -gx CUDA_VISIBLE_DEVICES {UUID},{UUID}"),
        ("powershell", rf"\$env:CUDA_VISIBLE_DEVICES = '{UUID},{UUID}'"),
        ("cmd", rf'set "CUDA_VISIBLE_DEVICES={UUID},{UUID}"'),
    ):
        done = accel("pick", "-n", "2", *(("--shell", shell) if shell else ()))
        assert (done.returncode, done.stderr) == (0, "")
        assert re.fullmatch(f"{line}\n", done.stdout)


def test_a_shell_takes_the_line(accel: Accel, node: Mapping[str, str]) -> None:
    line = 'eval "$(PYTHON -m accel pick)"; echo "$CUDA_VISIBLE_DEVICES"'.replace("PYTHON", sys.executable)
    done = subprocess.run(["sh", "-c", line], env=node, capture_output=True, text=True, timeout=60, check=True)
    assert re.fullmatch(f"{UUID}\n", done.stdout)


def test_the_json_has_the_devices_and_what_shows_them(accel: Accel) -> None:
    answer = json.loads(accel("pick", "-n", "2", "--json", FAKENVML_MEM_USED_0="70000").stdout)
    assert answer["schema"] == "accel.pick/1"
    assert answer["devices"] == ["nvidia:1", "nvidia:2"]
    assert re.fullmatch(f"{UUID},{UUID}", answer["environment"].pop("CUDA_VISIBLE_DEVICES"))
    assert answer["environment"] == {}
    assert "of 79.6 GiB free" in answer["passed_over"]["nvidia:0"]
    assert answer["passed_over"]["nvidia:7"] == "it fits"


def test_where_nothing_fits_each_device_is_said_and_the_exit_code_is_one(accel: Accel) -> None:
    done = accel("pick", "-n", "2", FAKENVML_GPUS="3", FAKENVML_UTIL_0="97", FAKENVML_ECC_VOL_UNC_1="4")
    assert (done.returncode, done.stdout) == (1, "")
    assert "requested 2 devices, each with 50 % of its memory free, at most 50 % busy" in done.stderr
    for line in (
        "nvidia:0  97 % busy",
        "nvidia:1  its health is critical:  accel doctor  says why",
        "nvidia:2  it fits",
    ):
        assert f"  {line}\n" in done.stderr
    answer = json.loads(accel("pick", "-n", "9", "--json").stdout)
    assert (answer["devices"], answer["environment"], len(answer["passed_over"])) == ([], {}, 8)


def test_a_device_whose_call_fails_is_not_taken(accel: Accel) -> None:
    lost = accel("pick", "-n", "8", FAKENVML_FAULT="nvmlDeviceGetMemoryInfo*=15,gpu=3")
    assert lost.returncode == 1
    assert "nvidia:3" in lost.stderr
    assert accel("pick", "-n", "7", FAKENVML_FAULT="nvmlDeviceGetMemoryInfo*=15,gpu=3").returncode == 0


def test_a_machine_without_accelerators_is_said_with_the_way_on(accel: Accel, tmp_path: Path) -> None:
    done = accel("pick", LD_LIBRARY_PATH=str(tmp_path), ACCEL_DISABLE="nvidia")
    assert done.returncode == 1
    assert "no accelerator was found. Try  accel doctor" in done.stderr


def test_a_mask_that_is_set_is_kept_to(accel: Accel) -> None:
    done = accel("pick", "-n", "2", "--json", CUDA_VISIBLE_DEVICES="5,3")
    assert json.loads(done.stdout)["devices"] == ["nvidia:3", "nvidia:5"]
    assert json.loads(done.stdout)["passed_over"]["nvidia:0"] == "CUDA_VISIBLE_DEVICES=5,3 hides it"


def test_something_that_fits_is_waited_for(accel: Accel, started: Callable[..., "subprocess.Popen[str]"]) -> None:
    held = started("run", "-n", "8", "--", sys.executable, "-c", "import time; print('on', flush=True); time.sleep(99)")
    assert held.stdout is not None
    assert held.stdout.readline() == "on\n"
    waits = started("pick", "-n", "2", "--wait", "50s")
    assert waits.stderr is not None
    said = [waits.stderr.readline() for _ in range(10)]
    assert said[-1] == "accel: waiting 50s\n"
    assert "taken by accel for python" in said[1]
    held.kill()
    held.communicate()
    out, errors = waits.communicate()
    assert out.startswith("export CUDA_VISIBLE_DEVICES="), (waits.returncode, out, errors)
    late = accel("pick", "-n", "9", "--wait", "10ms")
    assert late.returncode == 1
    assert "waiting 10ms" in late.stderr
    assert late.stderr.count("there are 8") == 2


@pytest.mark.parametrize(
    ("words", "said"),
    [
        (("--min-free", "5parsecs"), "expected an amount such as 20GiB"),
        (("--wait", "soon"), "expected a time such as 60s"),
        (("-n", "0"), "at least one device"),
        (("--dtype", "bf17"), "no such dtype"),
        (("--vendor", "nvidea"), "no such vendor"),
        (("-n", "two"), "invalid int value"),
        (("--whole", "--partition"), "not allowed with"),
        (("--shell", "tcsh"), "invalid choice"),
    ],
)
def test_what_cannot_be_meant_is_exit_code_two(accel: Accel, words: tuple[str, ...], said: str) -> None:
    done = accel("pick", *words)
    assert (done.returncode, done.stdout) == (2, "")
    assert said in done.stderr


@pytest.mark.parametrize(
    ("amount", "fits"), [("20GiB", True), ("78g", True), ("80GiB", False), ("95%", True), ("100%", False), ("0", True)]
)
def test_free_memory_is_asked_for_by_amount_or_share(accel: Accel, amount: str, fits: bool) -> None:
    assert accel("pick", "--min-free", amount, "--max-use", "100").returncode == (0 if fits else 1)


def test_the_devices_of_a_report_are_chosen_among(accel: Accel, tmp_path: Path) -> None:
    smi = Path(__file__).parents[1] / "machines" / "nvidia-smi-only" / "nvidia-smi.xml"
    done = accel("pick", "--from", str(smi))
    assert done.stdout == "export CUDA_VISIBLE_DEVICES=GPU-5c1d9a31-7f02-4e6b-9a11-0d2e4c6b8f11\n"
    assert not (tmp_path / "leases").exists()


PICK = """
import accel
choice = accel.pick(3, hold=True)
print(*(d.id for d in choice.devices), len(choice.passed_over), choice.why[0])
print(*(d.id for d in accel.pick(2, min_free_bytes=2**30).devices))
try:
    accel.pick(2, vendor="nvidia", partition=True)
except accel.RequirementUnmet as unmet:
    print(unmet.reasons["nvidia:4"])
"""


@pytest.mark.skipif(os.name != "posix", reason="leases are of POSIX systems")
def test_a_program_chooses_for_itself_and_may_hold_what_it_has_chosen(node: Mapping[str, str]) -> None:
    done = subprocess.run(
        [sys.executable, "-c", PICK],
        env=node,
        capture_output=True,
        text=True,
        timeout=60,
        check=True,
    )
    assert done.stdout.splitlines() == [
        "nvidia:0 nvidia:1 nvidia:2 5 nvidia:0: NVIDIA H100 80GB HBM3, 79.1 GiB free",
        "nvidia:3 nvidia:4",
        "it is a whole device",
    ]


def test_lines_are_made_of_masks_only() -> None:
    for value in ("$(reboot)", "0;reboot", "0 1", "%PATH%", "a'b", "0\n1"):
        for shell in SHELLS:
            with pytest.raises(ValueError, match="no mask"):
                list(assignments({"CUDA_VISIBLE_DEVICES": value}, shell))
    with pytest.raises(ValueError, match="no mask"):
        list(assignments({"A B": "0"}, "bash"))


@pytest.mark.parametrize(
    ("text", "seconds"),
    [("60", 60.0), ("60s", 60.0), ("1.5m", 90.0), ("2h", 7200.0), ("500ms", 0.5), ("1d", 86400.0), ("soon", None),
     ("", None), ("-1s", None), ("1 hour", None), ("nan", None)],
)  # fmt: skip
def test_times_are_read_as_people_type_them(text: str, seconds: float | None) -> None:
    assert seconds_of(text) == seconds
