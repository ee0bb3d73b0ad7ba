"""`accel run`: the command is as without accel, but for the devices that it is shown; and nobody else gets these."""

import json
import os
import pty
import re
import signal
import subprocess
import sys
from collections.abc import Callable, Mapping
from pathlib import Path

import pytest

pytestmark = pytest.mark.skipif(os.name != "posix", reason="the command takes the place of the process")
Accel = Callable[..., "subprocess.CompletedProcess[str]"]
Started = Callable[..., "subprocess.Popen[str]"]
SHOWN = re.compile(r"GPU-[0-9a-f-]{36}")
HOLDING = "import os, sys; print(os.environ['CUDA_VISIBLE_DEVICES'], flush=True); sys.stdin.read()"


def test_the_command_is_shown_the_devices_and_its_exit_code_is_the_answer(accel: Accel) -> None:
    done = accel("run", "-n", "2", "--", "sh", "-c", "echo $CUDA_VISIBLE_DEVICES; echo oh >&2; exit 7")
    assert done.returncode == 7
    assert len(SHOWN.findall(done.stdout)) == 2
    assert done.stderr == "oh\n"


def test_words_behind_the_dashes_are_the_commands(accel: Accel) -> None:
    words = ("-v", "-vv", "--json", "-n", "9", "--", "", "a b", "$HOME", "*")
    code = "import sys; print(sys.argv[1:])"
    done = accel("run", "--", sys.executable, "-c", code, *words)
    assert done.stdout == f"{list(words)}\n"
    assert done.stderr == ""
    logged = accel("run", "-vv", "--", "echo", "-v")
    assert logged.stdout == "-v\n"
    assert " ms  " in logged.stderr


def test_a_command_that_cannot_be_started_is_said_and_holds_nothing(accel: Accel, tmp_path: Path) -> None:
    plain = tmp_path / "plain.txt"
    plain.write_text("no program")
    for command, code, words in (("no-such-command", 127, "No such file"), (str(plain), 126, "Permission denied")):
        done = accel("run", "--", command)
        assert (done.returncode, done.stdout) == (code, "")
        assert done.stderr.startswith(f"accel: {command}: {words}")
    assert list((tmp_path / "leases").glob("*/*")) == []


@pytest.mark.parametrize("words", [(), ("--",), ("-n", "2", "python", "train.py"), ("-n", "2", "python", "--", "x")])
def test_a_command_without_the_dashes_is_refused_with_how_to_type_it(accel: Accel, words: tuple[str, ...]) -> None:
    done = accel("run", *words)
    assert (done.returncode, done.stdout) == (2, "")
    assert "accel run -n 2 -- python train.py" in done.stderr


def test_where_nothing_fits_the_command_is_not_started(accel: Accel, tmp_path: Path) -> None:
    done = accel("run", "-n", "9", "--", "touch", str(tmp_path / "started"))
    assert (done.returncode, done.stdout) == (1, "")
    assert "there are 8" in done.stderr
    assert not (tmp_path / "started").exists()


def test_a_signal_to_accel_is_the_commands(started: Started) -> None:
    code = (
        "import signal, sys, time; signal.signal(15, lambda *_: sys.exit(9)); print('on', flush=True); time.sleep(60)"
    )
    child = started("run", "--", sys.executable, "-c", code)
    assert child.stdout is not None
    assert child.stdout.readline() == "on\n"
    child.terminate()
    child.communicate()
    assert child.returncode == 9


@pytest.mark.parametrize("number", [signal.SIGTERM, signal.SIGKILL, signal.SIGINT, signal.SIGPIPE])
def test_a_shell_sees_the_signal_by_which_the_command_ended(node: Mapping[str, str], number: int) -> None:
    line = f"{sys.executable} -m accel run -- sh -c 'kill -{int(number)} $$'; echo $?"
    done = subprocess.run(["sh", "-c", line], env=node, capture_output=True, text=True, timeout=60, check=False)
    assert done.stdout == f"{128 + number}\n"


def test_an_interrupt_typed_on_the_terminal_reaches_the_command_once(node: Mapping[str, str]) -> None:
    code = (
        "import signal, time; seen = []; signal.signal(2, lambda *_: seen.append(1)); print('on', flush=True)\n"
        "while not seen: time.sleep(0.01)\n"
        "time.sleep(0.3); print('seen', len(seen), open('/dev/tty').isatty(), flush=True)"
    )
    child, master = pty.fork()
    if child == 0:
        os.execve(sys.executable, [sys.executable, "-m", "accel", "run", "--", sys.executable, "-c", code], dict(node))
    said = b""
    while b"on\r\n" not in said:
        said += os.read(master, 1000)
    os.write(master, b"\x03")
    while not said.endswith((b"True\r\n", b"False\r\n")):
        said += os.read(master, 1000)
    _, status = os.waitpid(child, 0)
    os.close(master)
    assert b"seen 1 True" in said
    assert os.waitstatus_to_exitcode(status) == 0


@pytest.mark.skipif(not Path("/proc/self/fd").exists(), reason="/proc is Linux's")
def test_descriptors_are_as_without_accel_but_for_the_lease(node: Mapping[str, str]) -> None:
    show = [sys.executable, "-c", "import os; print(*os.listdir('/proc/self/fd'))"]
    without, within = (
        subprocess.run([*words, *show], env=node, capture_output=True, text=True, check=True).stdout.split()
        for words in ([], [sys.executable, "-m", "accel", "run", "--"])
    )
    assert len(within) == len(without) + 1


def test_what_the_command_holds_nobody_else_is_given_until_it_ends(
    started: Started, accel: Accel, tmp_path: Path
) -> None:
    child = started("run", "-n", "7", "--", sys.executable, "-c", HOLDING)
    assert child.stdout is not None
    held = SHOWN.findall(child.stdout.readline())
    assert len(held) == 7
    left = json.loads(accel("pick", "--json").stdout)
    assert SHOWN.findall(left["environment"]["CUDA_VISIBLE_DEVICES"])[0] not in held
    refused = accel("run", "-n", "2", "--", "true")
    assert refused.returncode == 1
    assert f"taken by accel for {Path(sys.executable).name}, pid {child.pid} of " in refused.stderr
    child.communicate()
    assert accel("run", "-n", "8", "--", "true").returncode == 0
    assert accel("pick").returncode == 0
    assert list((tmp_path / "leases").glob("*/*")) == []


def test_what_the_command_has_left_running_keeps_the_devices(started: Started, accel: Accel) -> None:
    line = "exec 3<&0; cat <&3 >/dev/null 2>&1 & echo left"
    child = started("run", "-n", "8", "--", "sh", "-c", line)
    assert child.stdout is not None
    assert child.stdout.read() == "left\n"
    assert child.wait(60) == 0
    assert accel("pick").returncode == 1
    child.communicate()
    assert accel("pick", "--wait", "30s").returncode == 0


def test_a_folder_of_leases_that_cannot_be_used_is_said_and_the_command_runs(accel: Accel) -> None:
    done = accel("run", "--", "echo", "ran", ACCEL_LEASES="/nowhere/at/all")
    assert (done.returncode, done.stdout) == (0, "ran\n")
    assert "another process may choose the same devices: /nowhere/at/all: No such file" in done.stderr


@pytest.mark.slow
def test_twenty_that_choose_at_the_same_instant_get_different_devices(started: Started) -> None:
    words = ("run", "--", sys.executable, "-S", "-c", HOLDING)
    children = [started(*words, FAKENVML_GPUS="20") for _ in range(20)]
    shown = []
    for child in children:
        assert child.stdout is not None
        shown += SHOWN.findall(child.stdout.readline())
    for child in children:
        child.communicate(timeout=60)
    assert len(shown) == len(set(shown)) == 20
    assert {child.returncode for child in children} == {0}
