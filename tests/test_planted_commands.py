"""Shell syntax that stands in a text, a snapshot or a fact reaches no shell by way of a command that accel prints.

Planted: one piece of syntax, in one string of one source: a word of a text, a field of a snapshot, a value of a fact.
Every command of the diagnosis is then taken apart by shlex: what was planted is within one word, or is not there.
"""

import os
import re
import shlex
from collections.abc import Callable, Iterator
from contextlib import suppress
from dataclasses import dataclass, replace
from functools import cache, cached_property, partial
from itertools import cycle
from pathlib import Path
from typing import Any

import pytest
import yaml
from every_case import Case, every_case, registry
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from accel.apps.render.fix_script.bash import bash
from accel.apps.render.fix_script.steps import steps_of
from accel.collect import live as gather
from accel.collect.live import device_types, judged
from accel.collect.text import read_texts
from accel.diagnose.engine import diagnose
from accel.facts.infer import infer
from accel.facts.query import answer
from accel.facts.questions import Facts
from accel.machine.recorded import RecordedMachine
from accel.model.codec import decode_snapshot, encode_snapshot
from accel.model.errors import AccelError
from accel.model.observation import Fact
from accel.model.snapshot import Snapshot
from accel.remedies.environment import Environment
from accel.remedies.render import rendered
from accel.text.command_template import KINDS
from accel.vendors.contract.command import (
    SLOTS,
    assignment_word,
    bounded_word,
    match_word,
    option_word,
    system_package_word,
)

HERE = Path(__file__).parent
MARK = "zqxnine"
PIECES = tuple(
    piece.replace("X", MARK)
    for piece in (
        *(";curl${IFS}X|sh", "$(X)", "`X`", "\nX", "&&X", " && X ", "|X", ">X", "';X;'", '";X;"', "' X", "\\X"),
        *("$X", "${X}", "#X", "!X", "*X", " --X", " -oX", "%X%", "^&X", "'; X #", "\u2019;X", "\rX", "\u2028X"),
        *("\u037eX", "\uff1bX", "\u202eX", "\u200bX", "\x1b[8mX", "\x00X", "\uff06\uff06X"),
    )
)
_SAFE = re.compile(r"[A-Za-z0-9_./:=+@%,\\\[\]-]*")
_OPERATORS = frozenset(("&&", "||", "|", ";", "&", "(", ")", "<", ">", ">>", "|&", ";;"))


@dataclass(frozen=True)
class Source:
    """One place to plant in. of: how it is planted and judged. make: returns its text, None if there is none."""

    name: str
    make: Callable[[], str | None]
    of: str

    @cached_property
    def text(self) -> str | None:
        return self.make()

    @cached_property
    def known(self) -> tuple[Snapshot, tuple[Fact, ...]]:
        """A saved snapshot, and the facts that are inferred from it."""
        assert self.text is not None
        snapshot = decoded(self.text)
        return snapshot, infer(snapshot, registry().specs, registry().rules)[0]


@cache
def sources() -> tuple[Source, ...]:
    """Return all sources; each is read when something is planted in it."""
    return tuple(_sources())


def _sources() -> Iterator[Source]:
    plugins = HERE.parent / "plugins"
    for case in every_case():
        if isinstance(case.given.get("live"), dict):
            continue
        saved, name = partial(_saved_case, case), f"{case.check}:{case.name}"
        yield Source(name, saved, "snapshot")
        yield Source(name, saved, "fact")
        if case.text is not None:
            yield Source(name, partial(str, case.text), "text")
    for path in sorted((*HERE.rglob("*.txt"), *plugins.rglob("tests/**/*.txt"))):
        text, name = path.read_text(encoding="utf-8", errors="replace"), str(path.relative_to(HERE.parent))
        if len(text) < 20_000:
            yield Source(name, partial(str, text), "text")
            yield Source(name, partial(_saved_text, text), "fact")
    for path in sorted((*HERE.glob("machines/*"), *plugins.glob("*/tests/machines/*"))):
        if path.is_dir() and path.name != "texts":
            name = str(path.relative_to(HERE.parent))
            yield Source(name, partial(_saved_machine, path), "snapshot")
            yield Source(name, partial(_saved_machine, path), "fact")


def _saved_case(case: Case) -> str:
    return encode_snapshot(case.snapshot)


def _saved_text(text: str) -> str:
    return encode_snapshot(read_texts([("r", text)], registry()))


@cache
def _saved_machine(folder: Path) -> str | None:
    """Return the snapshot of a recorded machine; None where the folder holds something else."""
    with suppress(AccelError, ValueError, KeyError, yaml.YAMLError):
        machine = RecordedMachine(folder)
        return encode_snapshot(gather.snapshot(machine, registry(), depth="health", isolate=False))
    return None


def decoded(text: str) -> Snapshot:
    return decode_snapshot(text, device_types(registry()))


def commands_of(source: Source, planted: Callable[[list[str]], list[str]]) -> Iterator[str]:
    """Yield the commands that come of a source, its strings replaced. planted: the strings that stand for these."""
    known = registry()
    if source.text is None:
        return
    if source.of == "text":
        words = re.split(r"(\s+)", source.text)
        words[::2] = planted(words[::2])
        with suppress(AccelError):  # a text that begins as a JSON document and is none is refused
            yield from _judged(read_texts([("report", "".join(words))], known))
    elif source.of == "snapshot":
        with suppress(AccelError):  # a field of a fixed set of words takes no other: the snapshot is refused
            yield from _judged(decoded(_replanted(source.text, planted)))
    else:
        snapshot, facts = source.known
        values = iter(planted([value for fact in facts for _, value in fact.values]))
        changed = tuple(replace(f, values=tuple((key, next(values)) for key, _ in f.values)) for f in facts)
        if changed != facts:  # else nothing is planted
            yield from _of_checks(Facts(snapshot, changed))


def _replanted(text: str, planted: Callable[[list[str]], list[str]]) -> str:
    import json

    data = json.loads(text)
    leaves = planted(list(_leaves(data)))
    return json.dumps(_with(data, iter(leaves)))


def _leaves(data: Any) -> Iterator[str]:
    if isinstance(data, str):
        yield data
    elif isinstance(data, dict):
        for value in data.values():
            yield from _leaves(value)
    elif isinstance(data, list):
        for value in data:
            yield from _leaves(value)


def _with(data: Any, leaves: Iterator[str]) -> Any:
    if isinstance(data, str):
        return next(leaves)
    if isinstance(data, dict):
        return {key: _with(value, leaves) for key, value in data.items()}
    return [_with(value, leaves) for value in data] if isinstance(data, list) else data


def _judged(snapshot: Snapshot) -> Iterator[str]:
    known = registry()
    for finding in diagnose(snapshot, known.specs, known.checks, known.rules).findings:
        yield from (remedy.command for remedy in finding.remedies if remedy.command is not None)


def _of_checks(facts: Facts) -> Iterator[str]:
    specs = registry().specs
    absent: dict[str, bool] = {}  # needs of which nothing is here
    for check in registry().checks:
        if (check.reads or check.needs) and not facts.states(check.reads):
            for need in check.needs:
                if need not in absent:
                    absent[need] = answer(need, facts).holds is False
            if all(absent[need] for need in check.needs):
                continue  # nor does the engine run it
        with suppress(Exception):  # what a check raises ends it: the engine says so
            for problem in check.run(facts, specs):
                typed = (rendered(remedy, Environment(facts=facts, specs=specs)) for remedy in problem.remedies)
                yield from (remedy.command for remedy in typed if remedy.command is not None)


def reaches_a_shell(command: str) -> str | None:
    """Return what of the planted piece a shell would act on; None if it is within a word that is only an argument."""
    if MARK not in command:
        return None
    if not command.isprintable():
        return "a sign that is not shown"
    lexer = shlex.shlex(command, posix=True, punctuation_chars=True)
    lexer.whitespace_split = True
    try:
        words = list(lexer)
    except ValueError as error:
        return str(error)
    for before, word in zip(["&&", *words], words, strict=False):
        if MARK in word and (before in _OPERATORS or word.startswith("-")):
            return f"a program or an option of its own: {word}"
    bare = re.sub(r"'[^']*'", "", command).replace("; ", " ; ")  # commands of a list, and of a group
    return next(
        (f"outside of quote marks: {word}" for word in bare.split() if MARK in word and not _SAFE.fullmatch(word)), None
    )


def appended(number: int, piece: str, instead: bool = False) -> Callable[[list[str]], list[str]]:
    def planted(strings: list[str]) -> list[str]:
        if strings:
            place = number % len(strings)
            strings[place] = piece if instead else strings[place] + piece
        return strings

    return planted


@settings(
    max_examples=int(os.environ.get("ACCEL_PLANTED", "300")),
    deadline=None,
    suppress_health_check=list(HealthCheck),
)
@given(
    source=st.integers(0, 10**6),
    place=st.integers(0, 10**6),
    piece=st.sampled_from(PIECES),
    instead=st.booleans(),
)
def test_what_is_planted_in_one_place_reaches_no_shell(source: int, place: int, piece: str, instead: bool) -> None:
    one = sources()[source % len(sources())]
    for command in commands_of(one, appended(place, piece, instead)):
        assert reaches_a_shell(command) is None, (one.name, one.of, command)


@settings(
    max_examples=int(os.environ.get("ACCEL_PLANTED", "150")),
    deadline=None,
    suppress_health_check=list(HealthCheck),
)
@given(source=st.integers(0, 10**6), place=st.integers(0, 10**6), piece=st.sampled_from(PIECES))
def test_what_is_planted_is_a_comment_or_a_word_of_the_script(source: int, place: int, piece: str) -> None:
    known = registry()
    texts = [one for one in sources() if one.of == "text"]
    one = texts[source % len(texts)]
    words = re.split(r"(\s+)", one.text or "")
    words[::2] = appended(place, piece)(words[::2])
    try:
        snapshot = read_texts([(f"report{piece}", "".join(words))], known)
    except AccelError:
        return
    diagnosis = judged(snapshot, known)
    script = bash(diagnosis, steps_of(diagnosis, known.specs), snapshot.origin, "1.0", f"fix{piece}.sh")
    for line in script.replace("\\\n", " ").split("\n"):
        if line.lstrip().startswith("#"):
            assert line.isprintable(), (one.name, line)
        else:
            quoted = line.replace("'\"'\"'", "_")  # a quote mark within a quoted word
            assert reaches_a_shell(quoted) is None, (one.name, line)


def test_what_is_planted_in_every_value_of_every_fact_reaches_no_shell() -> None:
    """The pieces take turns over every second source: each fact has values in many of them."""
    pieces = cycle((PIECES[0], PIECES[1], PIECES[9], PIECES[24], PIECES[7]))  # a prime number of them
    planted = [one for one in sources() if one.of == "fact"][::2]
    assert sum(one.text is not None for one in planted) > 2_000
    found = {
        (one.name, command): why
        for one in planted
        for command in commands_of(one, lambda strings: [string + next(pieces) for string in strings])
        if (why := reaches_a_shell(command)) is not None
    }
    assert found == {}


@pytest.mark.parametrize("piece", PIECES, ids=ascii)
def test_no_slot_takes_shell_syntax(piece: str) -> None:
    values = ("2.4.0", "torch", "0000:3b:00.0", "7", "render", "/usr/lib", "a/b:1", "A_B", "a.b", "https://a.example/x")
    planted = [one for value in values for one in (value + piece, piece + value, piece)]
    taken = {(kind, one) for kind, slot in SLOTS.items() for one in planted if slot(one)}
    # What a path may hold beside letters is shown as it is, and quoted: a blank, a "\\" of Windows.
    plain = re.compile(rf"[ \\\\o-]*{MARK}")
    assert {one for one in taken if one[0] != "path" or not plain.fullmatch(piece)} == set()
    for one in planted:
        assert assignment_word("A", one) is None
        assert option_word("--a", one) is None
        assert bounded_word("torch", f"=={one}") is None
        assert match_word(one) is None
        assert system_package_word(one) is None


def test_the_kinds_that_tables_may_name_are_the_slots() -> None:
    assert set(SLOTS) == set(KINDS)


@pytest.mark.parametrize(
    ("command", "acts"),
    [
        (f"pip install 'a;{MARK}'", False),
        (f"pip install a;{MARK}", True),
        (f"pip install a && {MARK}", True),
        (f"sudo usermod -aG $({MARK}) u", True),
        (f'echo "$({MARK})"', True),
        (f"pip install --{MARK}", True),
        (f"ls /home/{MARK}/x", False),
    ],
)
def test_the_judge_sees_what_reaches_a_shell(command: str, acts: bool) -> None:
    assert (reaches_a_shell(command) is not None) == acts
