"""No sign that a terminal obeys reaches one, from whatever source, in whatever form; full disks and pipes end well."""

import json
import os
import pty
import re
import subprocess
import sys
from collections.abc import Collection
from pathlib import Path
from typing import Any

import pytest
import warm_accel

from accel.apps.render.report.ladder_svg import ladder_svg
from accel.collect.text import read_texts
from accel.model.codec import decode_snapshot, encode_snapshot
from accel.model.errors import BadInput
from accel.model.printable import escaped, printable
from accel.model.to_builtins import json_text
from accel.plugins.registry import Registry

pytestmark = pytest.mark.skipif(os.name != "posix", reason="closes descriptors and opens terminals as POSIX has them")
HERE = Path(__file__).parent
PLANTED = "\x1b[2J\x1b]0;owned\x07\x9b31m\x85\r\u202eesrever\u2066\u200b\u2028\x7f\x00"
OBEYED = re.compile(
    "[\x00-\x08\x0b-\x1f\x7f-\x9f\u061c\u200b\u200e\u200f\u2028-\u202e\u2060-\u206f\ufeff\ud800-\udfff]"
)
STYLE = re.compile(r"\x1b\[[\d;]*m")  # colours, which accel itself sets on a terminal
TEXTS = [
    *sorted([*HERE.glob("machines/**/*.txt"), *HERE.parent.glob("plugins/*/tests/machines/texts/*.txt")])[::4],
    HERE.parent / "plugins/intel/tests/machines/texts/xpu-smi-csv.txt",  # whatever else is chosen, a name holds "GPU"
]


def accel(*words: str, shell: str = "", text: bytes = b"", **variables: str) -> "subprocess.CompletedProcess[bytes]":
    """Run accel to its end. shell: what its streams are made by the shell that starts it."""
    environment = {"PATH": os.environ["PATH"], "HOME": "/nonexistent", "LANG": "C.UTF-8", **variables}
    if not shell:
        done = warm_accel.run(*words, environment=environment, given=text.decode())
        return subprocess.CompletedProcess(words, done.returncode, done.stdout.encode(), done.stderr.encode())
    command = ["sh", "-c", f'"$@" {shell}', "sh", sys.executable, "-m", "accel", *words]
    return subprocess.run(command, input=text, capture_output=True, env=environment, timeout=120, check=False)


def on_terminal(*words: str, **variables: str) -> str:
    """Return what the command writes to a terminal, without the colours."""
    master, slave = pty.openpty()
    environment = {"PATH": os.environ["PATH"], "HOME": "/nonexistent", "LANG": "C.UTF-8", "TERM": "xterm-256color"}
    child = subprocess.Popen(
        [sys.executable, "-m", "accel", *words],
        stdin=slave,
        stdout=slave,
        stderr=slave,
        env={**environment, **variables},
    )
    os.close(slave)
    said = b""
    try:
        while data := os.read(master, 1 << 16):
            said += data
    except OSError:  # the terminal is hung up when the last of the command's ends is closed
        pass
    os.close(master)
    child.wait(60)
    return STYLE.sub("", said.decode("utf-8", "replace").replace("\r\n", "\n"))


def planted(value: Any, spared: Collection[str], name: str = "") -> Any:
    """Return a snapshot's JSON with the signs in every text but those of the fields that are spared."""
    if isinstance(value, dict):
        return {key: planted(item, spared, key) for key, item in value.items()}
    if isinstance(value, list):
        return [planted(item, spared, name) for item in value]
    return f"{value}{PLANTED}" if isinstance(value, str) and value and name not in spared else value


def planted_wherever_it_may_be(document: Any) -> str:
    """Return the document with the signs in every field that may hold any text: what is one of few words may not."""
    spared = {"schema", "kind"}
    for _ in range(12):
        text = json.dumps(planted(document, spared))
        try:
            decode_snapshot(text, {})
            return text
        except BadInput as refused:
            spared.add(re.findall(r"\.(\w+)", str(refused).rpartition("at `$")[2])[-1])
    raise AssertionError(f"too few fields hold any text: {spared}")


@pytest.fixture(scope="module")
def hostile(tmp_path_factory: pytest.TempPathFactory) -> list[str]:
    """Return files: texts with the signs in each line, and a snapshot with them in each text of it."""
    folder = tmp_path_factory.mktemp("hostile")
    pasted = folder / "pasted\x1b[2J\u202e.txt"
    lines = [line for path in TEXTS for line in path.read_text(errors="replace").splitlines()]
    pasted.write_text("\n".join(f"{line}{PLANTED}" for line in lines), encoding="utf-8")
    registry = Registry({})
    chosen = sorted({*TEXTS[::3], *TEXTS[1::3]})  # in one snapshot: two would be of two machines
    whole = read_texts([(path.name, path.read_text(errors="replace")) for path in chosen], registry)
    saved = folder / "saved.json"
    saved.write_text(planted_wherever_it_may_be(json.loads(encode_snapshot(whole))), encoding="utf-8")
    return [str(pasted), str(saved)]


COMMANDS = {
    "doctor": ["doctor", "--verbose"],
    "doctor-json": ["doctor", "--json"],
    "devices": ["devices"],
    "devices-json": ["devices", "--json"],
    "report": ["report", "--identifiers"],
    "html": ["report", "--identifiers", "--format", "html"],
    "snapshot": ["snapshot", "--identifiers"],
    "restrictions": ["restrictions"],
    "specs": ["specs", "devices"],
}


@pytest.mark.slow
@pytest.mark.parametrize("name", COMMANDS)
def test_what_a_text_or_a_snapshot_holds_is_shown_without_signs(name: str, hostile: list[str]) -> None:
    done = accel(*COMMANDS[name], "--from", *hostile)
    assert done.returncode in (0, 1, 3), done.stderr
    shown = (done.stdout + done.stderr).decode()
    assert "GPU" in shown
    assert OBEYED.findall(shown) == []
    if name.endswith("json") or name == "snapshot":
        assert "\\u202e" in done.stdout.decode() or "\\u009b" in done.stdout.decode()
        assert json.loads(done.stdout)


@pytest.mark.slow
@pytest.mark.parametrize("name", ["doctor", "devices", "restrictions"])
def test_a_terminal_is_shown_colours_and_no_sign_from_elsewhere(name: str, hostile: list[str]) -> None:
    shown = on_terminal(*COMMANDS[name], "--from", *hostile)
    assert "GPU" in shown
    assert "\ufffd" in shown
    assert OBEYED.findall(shown) == []


def test_what_is_typed_and_set_is_said_again_without_signs() -> None:
    for done in (
        accel(f"doc{PLANTED[:-1]}"),
        accel("explain", PLANTED[:-1]),
        accel("doctor", "--from", f"/nonexistent{PLANTED[:-1]}"),
        accel("doctor", f"--{PLANTED[:-1]}"),
        accel("devices", ACCEL_LOG=PLANTED[:-1]),
        accel("specs", "show", PLANTED[:-1]),
    ):
        assert done.returncode in (1, 2)
        assert done.stderr
        assert OBEYED.findall((done.stdout + done.stderr).decode()) == []


def test_a_file_name_that_is_no_unicode_is_said(tmp_path: Path) -> None:
    name = os.fsdecode(os.fsencode(tmp_path) + b"/\xff\xfe.txt")
    Path(name).write_text("GPU 0: Quadro P400\n")
    for words in (["doctor"], ["doctor", "--json"], ["devices", "--json"], ["report"], ["snapshot"]):
        done = accel(*words, "--from", name)
        assert done.returncode in (0, 1, 3), done.stderr
        assert "P400" in done.stdout.decode()
    assert accel("snapshot", "--from", name, "-o", str(tmp_path / "saved")).returncode == 0
    assert accel("doctor", "--from", str(tmp_path / "saved")).returncode in (0, 1, 3)


def test_the_output_of_a_live_tool_is_shown_without_signs(tmp_path: Path) -> None:
    tool = tmp_path / "npu-smi"
    tool.write_text("#!/bin/sh\nprintf 'DrvMngGetConsoleLogLevel fails \\033[2J\\302\\233 \\342\\200\\256'\nexit 9\n")
    tool.chmod(0o755)
    for words in (["devices"], ["doctor", "--verbose"], ["devices", "--json"], ["plugins", "list"]):
        done = accel(*words, PATH=f"{tmp_path}:{os.environ['PATH']}")
        assert "ascend" in done.stdout.decode()
        assert OBEYED.findall((done.stdout + done.stderr).decode()) == []


def test_names_of_plugins_and_what_they_say_and_yaml_are_shown_without_signs(tmp_path: Path) -> None:
    metadata = tmp_path / "acme\x1b[2J-1.2.dist-info"
    metadata.mkdir()
    (metadata / "entry_points.txt").write_text("[accel.plugins]\nac\u202eme\x1b[31m = accel_acme\n", encoding="utf-8")
    (tmp_path / "accel_acme.py").write_text("print('\\x1b[2J')\nraise RuntimeError('no board \\x1b[2J\\u202e')\n")
    specs = tmp_path / "specs" / "acme" / "chips"
    specs.mkdir(parents=True)
    (specs / "x.yaml").write_text('vendor: "acme\\e[2J\\u202e"\nchips:\n  - {name: "X\\e[2J", "k\\u202e": 1}\n')
    (specs / "y\x1b[2J.yaml").write_text("a: [")
    variables = {"PYTHONPATH": str(tmp_path), "ACCEL_SPECS": str(tmp_path / "specs")}
    for words in (["plugins", "list"], ["plugins", "list", "--json"], ["devices"], ["doctor"], ["specs", "validate"]):
        done = accel(*words, **variables)
        assert done.returncode in (0, 1, 3), done.stderr
        assert OBEYED.findall((done.stdout + done.stderr).decode()) == [], words
    done = accel("plugins", "list", **variables)
    assert b"no board" in done.stdout


def test_a_picture_holds_no_sign() -> None:
    picture = ladder_svg(f"Ladder{PLANTED}", [(f"X{PLANTED}", 1.0, f"1{PLANTED}")])
    assert OBEYED.findall(picture) == []
    assert "\ufffd" in picture


def test_printable_text_is_left_alone() -> None:
    text = "Größe 80 GiB · 显卡 ✗ → 5 °C\tπ\u00a0x\n👩\u200d🔬 नमस्ते\n"
    assert printable(text) == text
    assert escaped(json_text(text)) == json_text(text)


def test_json_is_read_again_as_it_was() -> None:
    told = {"name": PLANTED + "\U000e0041", "inside": ["\x9b"]}
    assert json.loads(json_text(told)) == told
    assert OBEYED.findall(json_text(told)) == []
    assert json.loads(json_text({"a": [float("nan"), float("inf"), 1.5], "b": "\ud800"})) == {
        "a": [None, None, 1.5],
        "b": "\ufffd",
    }


@pytest.mark.parametrize("columns", ["0", "1", "-3", "", "wide", "9" * 5000, "1000000000", "²"])
def test_any_width_that_is_asked_for_gives_a_page(columns: str) -> None:
    for words in (["doctor", "--from", "-"], ["devices", "--from", "-"], ["plugins", "list", "--no-probe"]):
        done = accel(*words, text=b"GPU 0: Quadro P400\nRuntimeError: CUDA error\n", COLUMNS=columns)
        assert done.returncode in (0, 1, 3), done.stderr
        assert done.stdout
        assert max(map(len, done.stdout.decode().splitlines())) <= 1000


@pytest.mark.parametrize(
    "words", [["doctor", "--verbose"], ["devices"], ["report"], ["doctor", "--json"], ["snapshot"], ["--help"]]
)
def test_a_reader_that_leaves_is_no_fault(words: list[str]) -> None:
    read, write = os.pipe()
    os.close(read)
    command = [sys.executable, "-m", "accel", *words, *([] if words == ["--help"] else ["--from", str(TEXTS[0])])]
    done = subprocess.run(command, stdout=write, stderr=subprocess.PIPE, timeout=120, check=False)
    os.close(write)
    assert (done.returncode, done.stderr) == (0, b"")


@pytest.mark.skipif(not Path("/dev/full").exists(), reason="this system has no /dev/full")
@pytest.mark.parametrize(
    "words", [["--help"], ["doctor", "--help"], ["--version"], ["explain", "NV001"], ["specs", "list"]]
)
def test_a_full_disk_is_a_2_for_every_command(words: list[str]) -> None:
    done = accel(*words, shell="> /dev/full")
    assert done.returncode == 2
    assert done.stderr.decode().startswith("accel: the answer cannot be written")
    assert b"Traceback" not in done.stderr
    assert b"Exception ignored" not in done.stderr


@pytest.mark.skipif(not Path("/dev/full").exists(), reason="this system has no /dev/full")
def test_a_full_stderr_keeps_the_code() -> None:
    assert accel("doctor", "--from", "/nonexistent", shell="2> /dev/full").returncode == 2
    assert accel("doctor", "--from", "/nonexistent", shell="2>&-").returncode == 2


_BREAKS = """
import sys
import accel.collect.text
def broken(*given, **named):
    raise {}
accel.collect.text.read_texts = broken
sys.argv = ["accel", *sys.argv[1:]]
from accel.apps.cli import entry
entry()
"""


@pytest.mark.parametrize(
    "error",
    ["ZeroDivisionError('half')", "RecursionError('deep')", "MemoryError()", "GeneratorExit()", "OSError(22, 'x')"],
)
def test_what_nobody_expected_is_a_sentence_and_a_2(error: str) -> None:
    command = [sys.executable, "-c", _BREAKS.format(error), "doctor", "--from", "-"]
    done = subprocess.run(command, input=b"x", capture_output=True, timeout=60, check=False)
    assert done.returncode == 2
    assert done.stdout == b""
    (line,) = done.stderr.decode().splitlines()
    assert line.startswith("accel: this is a bug in accel")
    assert error.partition("(")[0] in line
    loud = subprocess.run([*command, "-v"], input=b"x", capture_output=True, timeout=60, check=False)
    assert loud.returncode == 2
    assert b"Traceback" in loud.stderr


def test_what_is_written_past_the_door_is_not_in_the_answer(tmp_path: Path) -> None:
    """A plugin's library prints to descriptor 1 when it is loaded, as C does: the JSON stays whole."""
    (tmp_path / "accel_loud.py").write_text("import os\nos.write(1, b'banner of a driver')\nprint('and of Python')\n")
    done = accel("plugins", "list", "--no-probe", "--json", ACCEL_PLUGINS="accel_loud", PYTHONPATH=str(tmp_path))
    assert "loud" in [plugin["name"] for plugin in json.loads(done.stdout)["plugins"]]
    assert b"banner" not in done.stdout
    assert done.stderr == b"accel: plugin loud printed: banner of a driverand of Python\n"
