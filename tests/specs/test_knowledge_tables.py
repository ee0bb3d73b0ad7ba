"""Tables of errors, components, inference and language: each is read back by what its own rows and examples say."""

import re
import signal
import sys
from collections import Counter
from functools import cache
from pathlib import Path
from typing import Any

import pytest

from accel.checks import core_checks
from accel.facts.infer import infer
from accel.facts.readers.mechanisms import recognised
from accel.facts.readers.page import Page
from accel.model.observation import ErrorSeen
from accel.model.snapshot import Snapshot
from accel.plugins.registry import Registry
from accel.specs import Specs, load
from accel.specs.knowledge import tables_of
from accel.specs.store import Folder, yaml_names
from accel.text.clean import clean


@cache
def specs() -> Specs:
    return load()


@cache
def registry() -> Registry:
    return Registry({})


@cache
def written() -> Folder:
    """Return the tables as they are written: of what is compiled, the build leaves out what it holds elsewhere."""
    folder = str(Path(__file__).parents[2] / "specs")
    return Folder(folder, False, yaml_names(folder))


def rows(part: str) -> list[tuple[str, dict[str, Any]]]:
    return tables_of(written(), part)


EXAMPLES = {
    topic: [
        (fact["name"], way["example"]) for fact in table["facts"] for way in fact.get("from", ()) if "sentence" in way
    ]
    for topic, table in rows("inference")
}
SPELLINGS = {
    "as it is": lambda text: text,
    "lower case": str.lower,
    "upper case": str.upper,
    "wrapped": lambda text: "\n".join(text.split()),
    "without punctuation at the end": lambda text: text.rstrip(".:;,!"),
}


def facts_of(text: str) -> set[str]:
    observations = tuple(one for one in recognised(Page(clean(text), specs())) if hasattr(one, "kind"))
    return {fact.name for fact in infer(Snapshot(observations=observations), specs(), ())[0]}


def errors_of(text: str) -> set[tuple[str, str]]:
    seen = [one for one in recognised(Page(clean(text), specs())) if isinstance(one, ErrorSeen)]
    return {(one.domain, one.code) for one in seen}


@pytest.mark.parametrize("topic", [topic for topic, examples in EXAMPLES.items() if examples])
def test_the_sentences_of_a_table_are_found_in_their_examples_in_any_spelling(topic: str) -> None:
    missed = [
        (fact, text)
        for fact, example in EXAMPLES[topic]
        for text in dict.fromkeys(rewritten(example) for rewritten in SPELLINGS.values())
        if fact not in facts_of(text)
    ]
    assert missed == []


@pytest.mark.parametrize("table", [pytest.param(table, id=name) for name, table in rows("errors")])
def test_an_error_is_the_same_by_its_name_and_by_its_sentence(table: dict[str, Any]) -> None:
    missed = [
        (row["code"], text)
        for row in table["errors"]
        for said in (*row.get("names", ()), *row.get("says", ()))
        for text in dict.fromkeys((said, said.lower(), said.upper()))
        if (table["domain"], str(row["code"]).lower()) not in errors_of(text)
    ]
    assert missed == []


def test_no_enumerator_stands_for_two_errors() -> None:
    names = Counter(
        name.lower() for _, table in rows("errors") for row in table["errors"] for name in row.get("names", ())
    )
    assert [name for name, count in names.items() if count > 1] == []


@pytest.mark.skipif(not sys.platform.startswith("linux"), reason="another system has other numbers")
def test_every_signal_of_linux_is_known_by_its_number() -> None:
    (table,) = (table for _, table in rows("errors") if table["domain"] == "signal")
    told = {row["code"]: " ".join((*row.get("names", ()), row["meaning"])) for row in table["errors"]}
    other = {"SIGABRT": "SIGIOT", "SIGIO": "SIGPOLL", "SIGCHLD": "SIGCLD"}
    for one in signal.Signals:
        if one.value < 32:
            assert one.name in told[str(one.value)] or other.get(one.name, one.name) in told[str(one.value)], one


def test_an_xid_that_no_gpu_of_today_gives_or_that_was_corrected_is_no_error() -> None:
    codes = specs().table("nvidia/xid")["codes"]
    mild = [row for row in codes if re.search("unused on today's GPUs|[Cc]orrected", row["meaning"] + row["action"])]
    assert len(mild) > 40
    assert [row["code"] for row in mild if row["severity"] == "error"] == []


def test_every_component_that_a_rule_names_exists() -> None:
    known = set(specs().components.names)
    named = {
        name
        for _, table in rows("inference")
        for fact in table["facts"]
        for way in fact.get("from", ())
        for kind in ("missing", "conflict")
        if kind in way
        for field in ("component", "by", "by_component")
        if field in way[kind]
        for name in ([way[kind][field]] if isinstance(way[kind][field], str) else way[kind][field])
    }
    assert {name for name in named if "*" not in name} - known == set()


def test_every_fact_has_a_check_that_reads_it_and_every_fact_that_is_read_exists() -> None:
    given = set(specs().inference["facts"]) | {name for rule in registry().rules for name in rule.gives}
    symptoms = {one["name"]: one["facts"] for one in specs().table("system/symptoms")["symptoms"]}
    assert {fact for facts in symptoms.values() for fact in facts} - given == set()
    given |= {*symptoms, "spoken-of", "environment-python"}  # the last two are noted by mechanisms
    read = {name for check in registry().checks for name in check.reads} | symptoms.keys()
    read |= given & {name for row in specs().ambiguous["rows"].values() for name in row["seen"]}
    assert read - given == set()
    root = Path(__file__).parents[2]
    files = [*root.glob("src/accel/facts/rules/*.py"), *root.glob("plugins/*/accel_*/rules/*.py")]
    sources = "".join(path.read_text(encoding="utf-8") for path in files)
    joined = {name for name in given if f'"{name}"' in sources}  # what rules join to other facts
    context = {fact["name"] for _, table in rows("inference") for fact in table["facts"] if fact.get("context")}
    assert given - read - joined - {"spoken-of", "environment-python"} == context - read - joined


def test_the_core_has_checks() -> None:
    assert core_checks()
