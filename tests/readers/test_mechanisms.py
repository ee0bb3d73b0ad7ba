"""What the mechanisms see in texts: mechanisms/<kind>.yaml, each case in several spellings.

what-it-shows:
  text: "…"
  sees: [{kind: "missing", piece: "library", name: "libcuda.so.1"}]     # all of these, by some of their fields
  only: true                                                            # and nothing else of these kinds
  not: [{kind: "conflict"}]                                             # and none of these
  as: "printed"                                                         # in this spelling alone
"""

import textwrap
from collections.abc import Callable
from functools import cache
from pathlib import Path
from typing import Any

import pytest

from accel.facts.readers.mechanisms import recognised
from accel.facts.readers.page import Page
from accel.model.observation import Observation
from accel.specs import Specs, load
from accel.specs.knowledge import tables_of
from accel.specs.store import Folder, parse, yaml_names
from accel.text.clean import clean

FOLDER = Path(__file__).with_name("mechanisms")


def wrapped(text: str) -> str:
    fill = textwrap.TextWrapper(70, break_on_hyphens=False, break_long_words=False)
    return "\n".join(part for line in text.split("\n") for part in fill.wrap(line) or [""])


SPELLINGS: dict[str, Callable[[str], str]] = {
    "as printed": lambda text: text,
    "lower case": str.lower,
    "upper case": str.upper,
    "wrapped": wrapped,
    "without punctuation at line ends": lambda text: "\n".join(line.rstrip(".:;,!。") for line in text.split("\n")),
}


@cache
def specs() -> Specs:
    return load()


def seen(text: str) -> list[Observation]:
    return [one for one in recognised(Page(clean(text), specs())) if isinstance(one, Observation)]


def kinds_in(text: str) -> set[str | None]:
    """Return the kinds of observations in a text, and of sentences that are no observation of their own."""
    cues = {tag[0] for tag, _ in Page(clean(text), specs()).phrases if tag[0] == "cue"}
    return {getattr(one, "kind", None) for one in seen(text)} | cues


def fits(wanted: dict[str, Any], one: Observation) -> bool:
    return all(_plain(getattr(one, field, None)) == _plain(value) for field, value in wanted.items())


def _plain(value: Any) -> Any:
    if isinstance(value, (list, tuple)):
        return tuple(_plain(part) for part in value)
    return value.lower() if isinstance(value, str) else value


def spellings(case: dict[str, Any]) -> list[str]:
    """Return the case's text in the spellings that it is about, each once."""
    about = [
        rewritten
        for spelling, rewritten in SPELLINGS.items()
        if case.get("as", spelling) in (spelling, "printed" if spelling == "as printed" else "")
    ]
    return list(dict.fromkeys(rewritten(case["text"]) for rewritten in about))


def mistakes(case: dict[str, Any], text: str) -> list[Any]:
    """Return what is not seen in a text, and what is seen and should not be."""
    found = seen(text)
    wrong: list[Any] = [("not seen", one) for one in case.get("sees", ()) if not any(fits(one, each) for each in found)]
    wrong += [("seen", each) for one in case.get("not", ()) for each in found if fits(one, each)]
    if case.get("only"):
        kinds = {wanted["kind"] for wanted in case["sees"]}
        of_kinds = [one for one in found if getattr(one, "kind", None) in kinds]
        wrong += [("others seen", of_kinds)] if len(of_kinds) != len(case["sees"]) else []
    return wrong


@pytest.mark.parametrize("file", sorted(FOLDER.glob("*.yaml")), ids=lambda file: file.stem)
def test_a_mechanism_sees_what_stands_there(file: Path) -> None:
    told = {(name, text): mistakes(case, text) for name, case in parse(str(file)).items() for text in spellings(case)}
    assert told
    assert {case: wrong for case, wrong in told.items() if wrong} == {}


def test_what_a_mechanism_sees_wrongly_is_told() -> None:
    text = "error while loading shared libraries: libcuda.so.1: cannot open shared object file"
    missing, other = {"kind": "missing", "name": "libcuda.so.1"}, {"kind": "missing", "name": "libcudnn.so.9"}
    assert mistakes({"sees": [missing], "only": True}, text) == []
    assert [wrong[0] for wrong in mistakes({"sees": [other, missing], "not": [missing], "only": True}, text)] == [
        *("not seen", "seen", "others seen")
    ]


# As they are written: of what is compiled, the build leaves out what it holds elsewhere.
SPECS = str(Path(__file__).parents[2] / "specs")
WRITTEN = Folder(SPECS, False, yaml_names(SPECS))
TABLES = {
    name: table
    for name, table in tables_of(WRITTEN, "language")
    if table.get("rows") and table["observation"] not in {"benign", "relay", "contrast"}
}


@pytest.mark.parametrize("name", TABLES)
def test_the_rows_of_a_table_of_the_language_are_found_in_their_examples(name: str) -> None:
    kind = TABLES[name]["observation"]
    examples = [text for row in TABLES[name]["rows"] for text in spellings({"text": row["example"]})]
    assert [text for text in examples if kind not in kinds_in(text)] == []
