"""Nothing of a command stays behind, however it ends: no tool that a probe started, no zombie, no file."""

import os
import signal
import subprocess
import sys
import time
import uuid
from collections.abc import Callable
from pathlib import Path

import pytest

from accel.machine import process
from accel.machine.process import on_windows, run

pytestmark = pytest.mark.skipif(not sys.platform.startswith("linux"), reason="looks into /proc")
_PATIENCE = 400  # looks, of 50 ms each
TOOL = """\
#!/bin/sh
sleep 600 &
echo $$ > "$STARTED"
{}
"""
HANGS = TOOL.format("sleep 600")
LEAVES = TOOL.format("echo 'no device'; exit 3")


def until(holds: Callable[[], bool]) -> bool:
    """Look until it holds; False if it never did."""
    for _ in range(_PATIENCE):
        if holds():
            return True
        time.sleep(0.05)
    return False


class Marked:
    """Commands with a mark in their environment, which every process that they start inherits."""

    def __init__(self, folder: Path, tool: str) -> None:
        self.mark = uuid.uuid4().hex
        self.started = folder / "started"
        self.temporary = folder / "temporary"
        self.temporary.mkdir()
        (folder / "npu-smi").write_text(tool)
        (folder / "npu-smi").chmod(0o755)
        self.environment = {
            "PATH": f"{folder}:{os.environ['PATH']}",
            "HOME": str(folder),
            "TMPDIR": str(self.temporary),
            "STARTED": str(self.started),
            "ACCEL_TEST_MARK": self.mark,
        }

    def start(self, *words: str) -> "subprocess.Popen[bytes]":
        return subprocess.Popen(
            [sys.executable, "-m", "accel", *words],
            env=self.environment,
            stdin=subprocess.DEVNULL,
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE,
            start_new_session=True,
            preexec_fn=heed_signals,
        )

    def alive(self) -> list[str]:
        """Return the commands of the processes that bear the mark."""
        found = []
        for folder in Path("/proc").iterdir():
            try:
                if folder.name.isdecimal() and self.mark.encode() in (folder / "environ").read_bytes():
                    found.append((folder / "cmdline").read_bytes().replace(b"\0", b" ").decode())
            except OSError:  # it has ended meanwhile, or is another user's
                continue
        return found


def heed_signals() -> None:
    """Heed what this test's own parent may have had ignored: nohup and a job in the background do."""
    for one in (signal.SIGHUP, signal.SIGINT):
        signal.signal(one, signal.SIG_DFL)


@pytest.mark.slow
@pytest.mark.parametrize("words", [["devices"], ["devices", "--json"], ["doctor"], ["plugins", "list"]], ids=" ".join)
@pytest.mark.parametrize("how", [signal.SIGKILL, signal.SIGTERM, signal.SIGHUP, signal.SIGINT])
def test_a_tool_dies_with_the_command_that_started_it(tmp_path: Path, how: signal.Signals, words: list[str]) -> None:
    marked = Marked(tmp_path, HANGS)
    child = marked.start(*words)
    assert until(marked.started.exists)
    assert len(marked.alive()) >= 3  # the command, the probe, the tool
    child.send_signal(how)
    said = child.communicate(timeout=60)[1]
    assert b"Traceback" not in said
    assert child.returncode in ((130,) if how == signal.SIGINT else (-how,))
    assert until(lambda: marked.alive() == []), marked.alive()
    assert list(marked.temporary.iterdir()) == []


@pytest.mark.slow
@pytest.mark.parametrize("words", [["devices", "--timeout", "2"], ["doctor", "--timeout", "2"]], ids=lambda it: it[0])
@pytest.mark.parametrize("tool", [HANGS, LEAVES], ids=["hangs", "leaves"])
def test_a_tool_that_hangs_or_leaves_a_process_is_gone_when_the_command_is(
    tmp_path: Path, tool: str, words: list[str]
) -> None:
    marked = Marked(tmp_path, tool)
    child = marked.start(*words)
    said = child.communicate(timeout=60)[1]
    assert b"Traceback" not in said
    assert child.returncode in (0, 1, 3)
    assert marked.started.exists()
    assert until(lambda: marked.alive() == []), marked.alive()
    assert list(marked.temporary.iterdir()) == []


@pytest.mark.slow
def test_the_command_takes_its_children_out_of_the_process_table(tmp_path: Path) -> None:
    """Nobody else may: in a container the first process is often one that never waits."""
    marked = Marked(tmp_path, LEAVES)
    script = (
        "import ctypes, os, subprocess, sys\n"
        "ctypes.CDLL(None).prctl(36, 1)\n"  # PR_SET_CHILD_SUBREAPER: what loses its parent becomes ours
        "subprocess.run([sys.executable, '-m', 'accel', 'devices'], stdout=subprocess.DEVNULL)\n"
        "left = 0\n"
        "try:\n"
        "    while os.waitpid(-1, 0)[0]:\n"
        "        left += 1\n"
        "except ChildProcessError:\n"
        "    pass\n"
        "print(left)\n"
    )
    done = subprocess.run(
        [sys.executable, "-c", script], env=marked.environment, capture_output=True, timeout=60, check=True
    )
    assert int(done.stdout) <= 2  # the tool's own sleep, and its shell; no probe


def test_what_a_command_started_in_the_background_is_killed_when_it_has_ended(tmp_path: Path) -> None:
    marked = Marked(tmp_path, LEAVES)
    result = run([str(tmp_path / "npu-smi")], 10.0, marked.environment)
    assert (result.exit_code, result.stdout) == (3, "no device\n")
    assert until(lambda: marked.alive() == []), marked.alive()


def test_a_tool_dies_with_a_process_that_is_killed_as_soon_as_it_has_started_it(tmp_path: Path) -> None:
    marked = Marked(tmp_path, HANGS)
    script = (
        "import os, subprocess, sys\n"
        "from accel.machine.process import run\n"
        "class Killed(subprocess.Popen):\n"
        "    def __init__(self, *words, **options):\n"
        "        super().__init__(*words, **options)\n"
        "        os.kill(os.getpid(), 9)\n"
        "subprocess.Popen = Killed\n"
        "run([sys.argv[1]], 60.0, dict(os.environ))\n"
    )
    words = [sys.executable, "-c", script, str(tmp_path / "npu-smi")]
    assert subprocess.run(words, env=marked.environment, timeout=60, check=False).returncode == -signal.SIGKILL
    assert until(lambda: marked.alive() == []), marked.alive()


def test_an_interrupted_wait_kills_the_tool(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    marked = Marked(tmp_path, HANGS)

    def interrupted(*given: object) -> tuple[bytes, bytes, bool]:
        assert until(marked.started.exists)
        raise KeyboardInterrupt

    monkeypatch.setattr(process, "_by_pipes", interrupted)
    with pytest.raises(KeyboardInterrupt):
        run([str(tmp_path / "npu-smi")], 60.0, marked.environment)
    assert until(lambda: marked.alive() == []), marked.alive()


def test_no_descriptor_is_left_open(tmp_path: Path) -> None:
    marked = Marked(tmp_path, LEAVES)
    run(["true"], 10.0, marked.environment)
    before = sorted(os.listdir("/proc/self/fd"))
    for _ in range(3):
        run([str(tmp_path / "npu-smi")], 10.0, marked.environment)
        run(["a-tool-that-is-not-here"], 10.0, marked.environment)
    assert sorted(os.listdir("/proc/self/fd")) == before


def test_on_windows_a_bare_name_is_looked_for_in_the_folders_of_path_alone(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    there = {r"C:\Windows\System32\nvidia-smi.exe", r".\nvidia-smi.exe", "nvidia-smi.exe", r"\tools\nvidia-smi.exe"}
    monkeypatch.setattr(os.path, "isfile", lambda path: path in there)
    path = r'.;;\tools;tools;C:tools;"C:\Program Files\X";C:\Windows\System32'
    assert on_windows("nvidia-smi", {"PATH": path}) == r"C:\Windows\System32\nvidia-smi.exe"
    for only in (".", "", r"\tools", "tools", "C:tools"):
        with pytest.raises(FileNotFoundError):
            on_windows("nvidia-smi", {"PATH": only})


def test_on_windows_the_command_is_run_by_that_path(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    Path("acme-smi.exe").write_text("#!/bin/sh\necho taken from the working folder\n")
    Path("acme-smi.exe").chmod(0o755)
    monkeypatch.setattr(process.os, "name", "nt")
    assert process._found(["C:/acme/acme-smi.exe", "-q"], {"PATH": "."}) == ["C:/acme/acme-smi.exe", "-q"]
    with pytest.raises(FileNotFoundError):
        process._found(["acme-smi", "-q"], {"PATH": f".;{tmp_path}"})
