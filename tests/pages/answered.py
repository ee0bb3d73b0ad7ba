"""The commands of a page, answered in this process by recorded machines, in a folder with the files that it names."""

import argparse
import importlib
import os
import re
import shlex
import signal
import sys
import time
from collections.abc import Iterator, Mapping
from contextlib import redirect_stderr, redirect_stdout
from dataclasses import dataclass
from io import BytesIO, StringIO, TextIOWrapper
from pathlib import Path
from threading import Thread
from unittest.mock import patch

from typed_lines import ROOT, Simple, Typed

from accel.apps import api
from accel.apps.cli import COMMANDS, main
from accel.collect import host
from accel.machine.live import LiveMachine
from accel.machine.recorded import RecordedMachine
from accel.watch.holders import gather, stuck

GIVEN = Path(__file__).parent / "given"
USUAL = "mi300x-mesh"  # sound, with four devices that nobody holds
_PLACEHOLDERS = {
    "FILE": "report.txt",
    "FOLDER": "folder",
    "PID": str(os.getpid()),
    "TEXT": "RuntimeError: CUDA error: out of memory",
    "COMMAND": sys.executable,
}
_WRITTEN = ("--csv", "--jsonl", "--record", "--plot", "-o", "--output")
_KEEP_THE_CLASS = (
    api,
    host,
    gather,
    stuck,
)  # imported first: these keep LiveMachine, which is put back after an answer
_LEFT_OUT = ("ACCEL_", "CUDA_", "ROCR_", "HIP_", "FORCE_COLOR", "NO_COLOR")


@dataclass(frozen=True)
class Answer:
    """What a command printed, and how it ended."""

    code: int
    out: str
    errors: str


class _Terminal(StringIO):
    def isatty(self) -> bool:
        return True


def answer(one: Simple, marks: Mapping[str, str], folder: Path, variables: Mapping[str, str]) -> Answer:
    """Type one command of accel in a folder, on the machine that its marks name."""
    words = [
        "written" if before in _WRITTEN and word == "FILE" else _PLACEHOLDERS.get(word, word)
        for before, word in zip(one.words, one.words[1:], strict=False)
    ]
    if "record" in marks:
        words = _of_a_record(words, marks["record"])
    words += shlex.split(marks.get("also", ""))
    machine = RecordedMachine(ROOT / "tests" / "machines" / marks.get("on", USUAL))
    records = any(word.endswith(".rec") for word in words) and "--record" not in words
    standing = LiveMachine if records else _standing(machine)
    kept = {name: value for name, value in os.environ.items() if not name.startswith(_LEFT_OUT)}
    kept |= {
        "COLUMNS": "106" if "record" in marks else "100",
        "ACCEL_LEASES": str(folder / "leases"),
        **variables,
        **one.variables,
    }
    out, errors = _Terminal() if "record" in marks else StringIO(), StringIO()
    before = os.getcwd()
    os.chdir(folder)
    if "stop" in marks:
        Thread(target=_stop, args=(marks["stop"], out, errors), daemon=True).start()
    try:
        with (
            patch.dict(os.environ, kept, clear=True),
            patch("accel.machine.live.LiveMachine", standing),
            patch.object(api, "_machine", standing),
            patch("sys.stdin", TextIOWrapper(BytesIO(_piped(one, marks).encode()))),
            redirect_stdout(out),
            redirect_stderr(errors),
        ):
            code = main(words)
    finally:
        os.chdir(before)
    return Answer(code, out.getvalue(), errors.getvalue())


def _stop(sign: str, *printed: StringIO) -> None:
    """Type Ctrl-C once the sign was printed."""
    while not any(sign in stream.getvalue() for stream in printed):
        time.sleep(0.02)
    time.sleep(0.3)  # it is printed before the signal is waited for
    os.kill(os.getpid(), signal.SIGINT)


def _standing(machine: RecordedMachine) -> type:
    """Return what stands where a command makes its LiveMachine, and gives the recorded one."""
    return type("Standing", (LiveMachine,), {"__new__": lambda cls, *given: LiveMachine(*given) if given else machine})


def _piped(one: Simple, marks: Mapping[str, str]) -> str:
    """Return what stands left of the pipe prints: a text of given/, named after its last tool or by the mark."""
    if one.before is None:
        return ""
    words = [word for word in one.before.words if word != "sudo"]
    named = GIVEN / f"{marks.get('answers', words[0])}.txt"
    return named.read_text(encoding="utf-8")


def _of_a_record(words: list[str], name: str) -> list[str]:
    """Return the command with the record in place of what it would watch."""
    if words[0] == "advise":
        return ["advise", "--from", f"{name}.rec", *(word for word in words[1:] if not word.isdecimal())]
    return [*words, "--replay", f"{name}.rec", "--speed", "1000"]


def shows(shown: str, printed: str, *, form: bool) -> str:
    """Return the first line shown that is no line printed, in its order; "" where all are. form: figures may differ."""
    shape = _form if form else str.rstrip
    # A terminal's picture is drawn again and again: the last one counts.
    printed = re.sub(r"\x1b\[[0-9;]*m", "", printed.rpartition("A\r")[2] or printed)
    printed = re.sub(r"\x1b\[[0-9;]*[A-Za-z]", "", printed)
    left = iter([shape(line) for line in printed.splitlines()])
    for line in shown.splitlines():
        if line.strip() in ("", "…"):
            continue
        wanted = re.escape(shape(line)).replace("…", ".*")
        if not any(re.fullmatch(wanted, other) for other in left):
            return line
    return ""


def _form(line: str) -> str:
    """Return a line without what differs from day to day: figures, and how wide columns are."""
    line = re.sub(r"\d+(?:[.,:]\d+)*", "0", line.strip())
    return re.sub(r"─{2,}", "─", re.sub(r" {2,}", "  ", line))


def names_nothing(words: tuple[str, ...]) -> list[str]:
    """Return the words of a command of accel that name no command and no option."""
    if len(words) < 2:
        return []
    if words[1] not in COMMANDS:
        return [] if words[1] in ("--help", "--version", "-V", "-h", "help") else [words[1]]
    parsers = [importlib.import_module(f"accel.apps.cli.{words[1]}").parser()]
    unknown = []
    for word in words[2:]:
        if word == "--":
            break
        below = _below(parsers[-1])
        if word.startswith("-") and word != "-" and not re.fullmatch(r"-\d+", word):
            if not any(_has(parser, word) for parser in parsers) and word not in ("-v", "-vv"):
                unknown.append(word)
        elif below and len(parsers) == 1:
            if word not in below:
                return [*unknown, word]
            parsers.append(below[word])
    return unknown


def all_options() -> set[str]:
    """Return every option of every command."""
    found = {"-v", "-vv", "--version"}
    for name in COMMANDS:
        parsers = [importlib.import_module(f"accel.apps.cli.{name}").parser()]
        parsers += _below(parsers[0]).values()
        found |= {option for parser in parsers for action in parser._actions for option in action.option_strings}
    return found


def _below(parser: argparse.ArgumentParser) -> dict[str, argparse.ArgumentParser]:
    for action in parser._actions:
        if isinstance(action, argparse._SubParsersAction):
            return dict(action.choices)
    return {}


def _has(parser: argparse.ArgumentParser, word: str) -> bool:
    return any(word.partition("=")[0] in action.option_strings for action in parser._actions)


def examples() -> Iterator[Typed]:
    """Yield the commands that the help of a command gives as examples."""
    for name in COMMANDS:
        epilog = importlib.import_module(f"accel.apps.cli.{name}").parser().epilog or ""
        for text in re.findall(rf"^\s*(accel {name} .+?)\s*$", epilog.replace("   accel", "\naccel"), re.MULTILINE):
            yield Typed(page=f"accel {name} --help", line=1, text=text)
