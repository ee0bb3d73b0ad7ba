"""`accel top` as it is typed: on a terminal, without one, without Textual, with words that mean nothing."""

import os
import select
import subprocess
import sys
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest
from made_ticks import node

from accel.apps.cli import main
from accel.watch.sampling.record import Recorder

posix = pytest.mark.skipif(os.name != "posix", reason="opens a terminal as POSIX has them")
PATIENCE_SECONDS = 60.0  # of a test that would fail


class Terminal:
    """A terminal of 100 columns and 30 lines with `accel top` on it."""

    def __init__(self, *words: str, **variables: str) -> None:
        import fcntl
        import pty
        import struct
        import termios

        self._master, slave = pty.openpty()
        fcntl.ioctl(slave, termios.TIOCSWINSZ, struct.pack("HHHH", 30, 100, 0, 0))
        usual = {"PATH": os.environ["PATH"], "HOME": "/nonexistent", "LANG": "C.UTF-8", "TERM": "xterm-256color"}
        self.child = subprocess.Popen(
            [sys.executable, "-m", "accel", "top", *words],
            stdin=slave,
            stdout=slave,
            stderr=slave,
            env={**usual, **variables},
            start_new_session=True,
        )
        os.close(slave)
        self.said = ""

    def read_until(self, text: str) -> None:
        """Read until a text was shown, or the command has ended."""
        while text not in self.said:
            if not select.select([self._master], [], [], PATIENCE_SECONDS)[0]:
                raise AssertionError(self.said)
            try:
                data = os.read(self._master, 1 << 16)
            except OSError:  # the command has ended
                return
            self.said += data.decode("utf-8", "replace")

    def type(self, keys: str) -> None:
        os.write(self._master, keys.encode())

    def ended(self) -> int:
        """Return the exit code; what is said until then is read."""
        self.read_until("\0 which is never said")
        return self.child.wait(PATIENCE_SECONDS)

    def close(self) -> None:
        self.child.kill()
        self.child.wait(PATIENCE_SECONDS)
        os.close(self._master)


@pytest.fixture
def terminal() -> Iterator[Callable[..., Terminal]]:
    opened: list[Terminal] = []

    def one(*words: str, **variables: str) -> Terminal:
        opened.append(Terminal(*words, **variables))
        return opened[-1]

    yield one
    for each in opened:
        each.close()


@pytest.fixture
def record(tmp_path: Path) -> str:
    path = str(tmp_path / "node7.rec")
    recorder = Recorder(path, 1.0)
    for number in range(3):
        recorder.write(node(2, number))
    recorder.close()
    return path


@posix
@pytest.mark.parametrize("key", ["q", "\x03"], ids=["q", "Ctrl-C"])
def test_a_key_ends_it_and_gives_the_terminal_back(terminal: Callable[..., Terminal], record: str, key: str) -> None:
    pytest.importorskip("textual")
    top = terminal("--replay", record)
    top.read_until("2 devices")
    assert "\x1b[?1049h" in top.said  # the terminal's other screen
    top.type(key)
    assert top.ended() == 0
    assert "\x1b[?1049l" in top.said
    assert "\x1b[?25h" in top.said  # its cursor is seen again
    assert "Traceback" not in top.said


@posix
def test_this_machine_is_shown_on_a_terminal(terminal: Callable[..., Terminal]) -> None:
    pytest.importorskip("textual")
    top = terminal("all")
    top.read_until("cpu:0")
    top.type("q")
    assert top.ended() == 0


@posix
@pytest.mark.parametrize(
    ("words", "variables", "told"),
    [
        (("nvidia:77",), {}, "No device 'nvidia:77'"),
        (("--replay", "no-such-file"), {}, "No such file"),
        ((), {"TERM": "dumb"}, "accel watch"),
        ((), {"PYTHONIOENCODING": "latin-1"}, "LC_ALL=C.UTF-8"),
    ],
)
def test_what_cannot_begin_is_a_sentence_on_the_terminal_as_it_was(
    terminal: Callable[..., Terminal], words: tuple[str, ...], variables: dict[str, str], told: str
) -> None:
    pytest.importorskip("textual")
    top = terminal(*words, **variables)
    assert top.ended() == 2
    assert told in " ".join(top.said.split())
    assert "\x1b[?1049h" not in top.said


@pytest.mark.parametrize(
    ("words", "told"),
    [
        (("--interval", "5ms"), "100ms to 24h"),
        (("--replay", "x", "--links"), "goes without --links"),
        ((), "accel top needs a terminal. For a pipe or a file:  accel watch"),
    ],
)
def test_what_cannot_be_shown_is_a_sentence_and_exit_code_2(capsys: Any, words: tuple[str, ...], told: str) -> None:
    pytest.importorskip("textual")
    assert main(["top", *words]) == 2
    said = capsys.readouterr()
    assert told in said.err
    assert said.out == ""


def test_without_the_extra_it_says_how_to_install_it(monkeypatch: pytest.MonkeyPatch, capsys: Any) -> None:
    monkeypatch.setitem(sys.modules, "textual", None)
    assert main(["top"]) == 2
    assert "accel top needs textual" in (told := capsys.readouterr().err)
    assert "pip install 'textual>=1'" in told
