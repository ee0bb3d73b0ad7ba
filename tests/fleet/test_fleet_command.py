"""The commands as people type them: text, JSON, Markdown, HTML, CSV, exit codes, and names that mean to do harm."""

import csv
import io
import json
import os
import re
import sys
from html.parser import HTMLParser
from pathlib import Path
from typing import Any

import pytest
from made_nodes import device, found, node, written

from accel.apps.cli import main
from accel.fleet import NodeAnswer
from accel.fleet.node import node_line

GOLDEN = Path(__file__).parent / "golden"
HOSTILE = [
    "<script>alert(1)</script>",
    '"><img src=x onerror=alert(1)>',
    "=HYPERLINK(1)",
    " +1",
    "@SUM(A1)",
    "-2",
    "a|b`c`[d](e)",
    "\x1b[2J\x07gone",
    "\u202egnp",
    "a\nb",
    "$(reboot)",
    "; reboot",
]


def round_of_nodes() -> dict[str, NodeAnswer]:
    """Twenty nodes: three with one cause, one hot, one of another kernel, and four of whom little is known."""
    answers = {}
    for number in range(1, 17):
        name = f"gpu{number:02}"
        titles: list[Any] = [f"nvidia:{number % 8} has failed row remapping"] if number in (3, 4, 5) else []
        if number == 9:
            titles = [found("/dev/shm is too small", "AC030", "warning", fix="docker run --shm-size=16g …")]
        warm = 91.0 if number == 12 else 60.0 + number % 3
        made = node(
            name,
            *titles,
            devices=[device(0, temperature_celsius=warm)],
            versions={"kernel": "6.5.0-14" if number == 7 else "6.8.0-31"},
            place={"rack": "1" if number < 7 else "2"},
            taken_at="2026-11-29T08:00:00Z",
            seconds=1.5,
        )
        answers[f"{name}.json"] = made
    silent = [("partial", "1 thing could not be looked at"), ("dead", "its scheduler lost it")]
    silent += [("unreachable", "Connection refused"), ("tool_failed", "accel is not installed there")]
    for number, (state, why) in enumerate(silent, 17):
        answers[f"gpu{number}.json"] = node(f"gpu{number}", state=state, why=why)
    return answers


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    made = tmp_path / "round"
    made.mkdir()
    return written(made, round_of_nodes())


@pytest.fixture(autouse=True)
def _width(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("COLUMNS", "100")


def ran(capsys: pytest.CaptureFixture[str], *words: str | Path) -> tuple[int, str]:
    code = main(["fleet", *map(str, words)])
    return code, capsys.readouterr().out


@pytest.mark.parametrize("name", ["text", "json", "markdown", "csv", "html"])
def test_a_round_is_shown_as_it_was_looked_at(name: str, folder: Path, capsys: pytest.CaptureFixture[str]) -> None:
    words = ["--format", name, "--expect", "gpu[01-21]"]
    if name in ("json", "csv"):
        words += ["--all"]
    code, out = ran(capsys, "merge", folder, *words)
    out = out.replace(str(folder), "ROUND")
    path = GOLDEN / f"round.{name}"
    if os.environ.get("ACCEL_UPDATE_GOLDEN"):
        path.parent.mkdir(exist_ok=True)
        path.write_text(out, encoding="utf-8")
    assert out == path.read_text(encoding="utf-8")
    assert code == 1


def test_what_changed_is_shown(folder: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    before = tmp_path / "before"
    before.mkdir()
    old = {**round_of_nodes(), "gpu03.json": node("gpu03"), "gone.json": node("gone")}
    written(before, old)
    _, out = ran(capsys, "merge", folder, "--since", before)
    assert "Changed since the round before, on 2 nodes:" in out
    assert "gone: now not in the round; before answers" in out
    assert "gpu03: now NV006 DEVICE has failed row remapping\n" in out


@pytest.mark.parametrize(
    ("answers", "words", "code"),
    [
        ([node("a"), node("b")], [], 0),
        ([node("a"), node("b", found("x", severity="info"), state="ok")], [], 0),
        ([node("a"), node("b", "x")], [], 1),
        ([node("a"), node("b", state="dead")], [], 3),
        ([node("a"), node("b", state="partial", why="x")], [], 3),
        ([node("a")], ["--expect", "a,b"], 3),
        ([node("a"), node("b", state="dead"), node("c", "x")], [], 1),
        ([node("a", "x"), node("b", "x")], ["--max-bad-share", "50%"], 3),
        ([node("a", "x"), node("b", "x")], ["--max-bad-share", "100%"], 1),
        ([node(f"n{n}", versions={"kernel": str(n // 9)}) for n in range(10)], [], 1),
        ([node("a")], ["--max-bad-share", "lots"], 2),
        ([], [], 2),
    ],
)
def test_the_exit_code(
    answers: list[NodeAnswer], words: list[str], code: int, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    path = tmp_path / "all.jsonl"
    path.write_text("".join(map(node_line, answers)))
    assert ran(capsys, "merge", path, *words)[0] == code


def test_a_file_that_cannot_be_read_makes_a_round_incomplete(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    written(tmp_path, {"a.json": node("a")})
    (tmp_path / "half.json").write_text('{"schema": "accel.node/1", "no')
    code, out = ran(capsys, "merge", tmp_path)
    assert code == 3
    assert "half.json" in out


class Page(HTMLParser):
    def __init__(self) -> None:
        super().__init__()
        self.tags: set[str] = set()
        self.attributes: set[str] = set()

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self.tags.add(tag)
        self.attributes.update(name for name, _ in attrs)


@pytest.fixture
def hostile(tmp_path: Path) -> Path:
    answers = [
        node(name, found(f"{name} is ill", f"X{number}", fix=name), state="ill", why=name, place={"rack": name})
        for number, name in enumerate(HOSTILE)
    ]
    answers += [node(name + "!", state="dead", why=name, versions={"kernel": name}) for name in HOSTILE]
    path = tmp_path / "all.jsonl"
    path.write_text("".join(map(node_line, answers)))
    return path


def test_a_page_of_hostile_names_holds_no_element_of_theirs(hostile: Path, capsys: pytest.CaptureFixture[str]) -> None:
    page = Page()
    page.feed(ran(capsys, "merge", hostile, "--format", "html")[1])
    assert not page.tags & {"script", "img"}
    assert not any(name.startswith("on") for name in page.attributes)


def test_no_cell_of_hostile_names_is_computed(hostile: Path, capsys: pytest.CaptureFixture[str]) -> None:
    rows = list(csv.reader(io.StringIO(ran(capsys, "merge", hostile, "--format", "csv")[1])))
    assert len(rows) == 1 + 2 * len(HOSTILE)
    assert [cell for row in rows for cell in row if cell.strip().startswith(("=", "+", "-", "@"))] == []


@pytest.mark.parametrize("name", ["text", "markdown", "csv", "html"])
def test_no_hostile_name_reaches_the_terminal(name: str, hostile: Path, capsys: pytest.CaptureFixture[str]) -> None:
    out = ran(capsys, "merge", hostile, "--format", name, "--all")[1]
    assert re.findall("[\x00-\x08\x0b-\x1f\x7f-\x9f\u202e]", out) == []
    if name == "text":
        assert not re.search(r"ssh .*reboot", out)
    if name == "markdown":
        assert "<script" not in out
        assert "[d](e)" not in out


def test_json_of_hostile_names_is_json(hostile: Path, capsys: pytest.CaptureFixture[str]) -> None:
    told = json.loads(ran(capsys, "merge", hostile, "--json")[1])
    assert told["asked"] == 2 * len(HOSTILE)
    assert sum(told["totals"].values()) == told["asked"]


def test_a_page_of_a_thousand_nodes_is_small(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    versions = {f"package{number}": f"{number}.1.2" for number in range(12)}
    with (tmp_path / "all.jsonl").open("w") as file:
        for number in range(1000):
            file.write(node_line(node(f"gpu{number:04}", *(["x"] if number % 9 == 0 else []), versions=versions)))
    out = ran(capsys, "merge", tmp_path, "--format", "html")[1]
    assert len(out.encode()) < 1_500_000
    assert out.count('<a class="') == out.count("<section") == 1000


def test_the_answer_is_written_to_a_file(folder: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert ran(capsys, "merge", folder, "-o", tmp_path / "out.html", "--format", "html") == (1, "")
    assert (tmp_path / "out.html").read_text().startswith("<!doctype html>")


def test_places_come_from_a_file(folder: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    (tmp_path / "places.yaml").write_text("gpu[01-05]: {switch: s1}\ngpu[06-20]: {switch: s2}\n")
    out = ran(capsys, "merge", folder, "--place", tmp_path / "places.yaml")[1]
    assert "switch s1 has 3 of its 5 nodes ill, elsewhere 0 of 15: look there first" in " ".join(out.split())


def test_names_are_refused_that_spread_without_end(folder: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["fleet", "merge", str(folder), "--expect", "n[1-999999999]"]) == 2
    assert "more than 200000 nodes" in capsys.readouterr().err


@pytest.mark.skipif(sys.platform == "win32", reason="the stand-in of ssh is a script")
def test_a_round_by_ssh_is_merged_and_saved(
    tmp_path: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    line = node_line(node("whoever", "nvidia:3 is ill")).rstrip()
    (tmp_path / "ssh").write_text(
        f"#!/bin/sh\nwhile [ \"$1\" != -- ]; do shift; done\n[ $2 = b ] && exit 255\necho '{line}'\n"
    )
    (tmp_path / "ssh").chmod(0o700)
    (tmp_path / "hosts").write_text("# the lab\na  # one\nb\nc[1-2]\n")
    monkeypatch.setenv("PATH", f"{tmp_path}:{os.environ['PATH']}")
    saved = tmp_path / "saved.jsonl"
    code, out = ran(capsys, "doctor", "--hosts", tmp_path / "hosts", "--save", saved)
    assert code == 1
    assert out.startswith("4 nodes: 3 ill, 1 unreachable. First: nvidia:3 is ill.\n")
    assert ran(capsys, "merge", saved)[1] == out
    full = ran(capsys, "doctor", "--hosts", "a", "--save", "/dev/full")
    assert "/dev/full: cannot be written: No space left on device" in " ".join(full[1].split())


def test_the_probe_prints_one_line(capsys: pytest.CaptureFixture[str]) -> None:
    code, out = ran(capsys, "probe", "--node", "me", "--timeout", "20")
    told = json.loads(out)
    assert (told["schema"], told["node"]) == ("accel.node/1", "me")
    assert code == {"ok": 0, "ill": 1, "partial": 3}[told["state"]]
    assert out.count("\n") == 1
    assert len(out) < 100_000
    assert told["versions"]["accel"] == told["accel"]
