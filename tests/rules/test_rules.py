"""How rules, facts and checks hang together: what starts a rule, who states a fact, who asks for it."""

import ast
from collections.abc import Iterator
from functools import cache
from pathlib import Path
from typing import Final

from every_case import every_case, registry
from shared_parts import Each

from accel.collect.text import read_texts
from accel.facts.infer import infer, observations_of
from accel.facts.query import reads_of
from accel.model.observation import Fact
from accel.model.snapshot import Snapshot
from accel.specs.known_faults import known_faults_of
from accel.vendors.contract.rule import KINDS, Seen

ROOT = Path(__file__).parents[2]
TEXTS = sorted((ROOT / "plugins").glob("*/tests/machines/texts/*.txt"))


def snapshots() -> Iterator[Snapshot]:
    yield from (case.snapshot for case in every_case())
    for path in TEXTS:
        yield read_texts([(path.name, path.read_text(encoding="utf-8"))], registry())


def test_a_rule_gives_nothing_where_nothing_starts_it() -> None:
    """All rules in one test: what is seen in all cases is then worked out by one worker, and kept by none."""
    specs = registry().specs
    idle: dict[str, int] = {rule.name: 0 for rule in registry().rules if rule.triggers}
    given: dict[str, list[Fact]] = {}
    for snapshot in snapshots():
        seen = Seen(snapshot, observations_of(snapshot), infer(snapshot, specs, ())[0])
        for rule in registry().rules:
            if rule.triggers and seen.triggers.isdisjoint(rule.triggers):
                idle[rule.name] += 1
                if facts := list(rule.run(seen, specs)):
                    given.setdefault(rule.name, []).extend(facts)
    assert given == {}
    assert [name for name, count in idle.items() if not count] == []
    assert len(idle) > 60


def test_a_rule_starts_from_what_can_be_there() -> None:
    named = strings() | known()
    for rule in registry().rules:
        for word in rule.triggers:
            kind, _, detail = word.partition(".")
            is_kind = kind in KINDS and (not detail or KINDS[kind] is not None)
            assert is_kind or word in {"@live", "wiring"} or word in named, f"{rule.name}: nothing is named {word}"


def test_what_a_check_asks_for_is_stated_by_a_table_a_rule_or_a_reader() -> None:
    asked = {(check.name, name) for check in registry().checks for name in check.reads}
    symptoms = {one["name"] for one in registry().specs.table("system/symptoms")["symptoms"]}
    assert asked
    named = known() | strings() | symptoms
    assert {(check, name) for check, name in asked if name not in named} == set()


def test_what_a_rule_or_a_table_states_is_asked_for() -> None:
    asked = {name for check in registry().checks for name in check.reads}
    for row in registry().specs.ambiguous["rows"].values():
        told = [cause.get(side, ()) for cause in row["causes"] for side in ("for", "against")]
        asked |= {*reads_of(row["seen"]), *reads_of(told)}
    environments = registry().specs.table("language/environments")
    for row in environments["environments"]:
        signs = (one if isinstance(one, list) else [one] for one in row.get("known_by", ()))
        asked |= {name for group in signs for name in group}
    asked |= {
        name for row in registry().specs.table("system/package_history")["packages"] for name in row.get("when", ())
    }
    acts = registry().specs.table("language/acts")["acts"]
    asked |= of_known_faults() | {row["afar"]["fact"] for row in acts if "afar" in row}
    assert sorted(known() - asked - strings()) == []


def of_known_faults() -> set[str]:
    """Return the facts by which a known fault shows, and those that tell a release."""
    table = known_faults_of(registry().specs)
    queries = [sign for fault in table.rows for key in ("shows", "when") for sign in fault.row.get(key, ())]
    queries += [path for product in table.products.values() for path in product["read_from"]]
    return {*reads_of(queries)}


@cache
def known() -> set[str]:
    """Return the facts that tables and rules state."""
    return {*registry().specs.inference["facts"]} | {name for rule in registry().rules for name in rule.gives}


def strings() -> frozenset[str]:
    """Return what `_strings` finds, which one worker does for all."""
    return _STRINGS[0]


def _strings() -> frozenset[str]:
    """Return each string in accel's sources that could be the name of a fact: readers note facts by such, and rules ask
    for them. What a rule `gives` is no use of it.
    """
    found: set[str] = set()
    for folder in (ROOT / "src/accel", *(ROOT / "plugins").glob("*/accel_*")):
        for path in folder.rglob("*.py"):
            nodes = list(ast.walk(ast.parse(path.read_text(encoding="utf-8"))))
            given = {id(key) for node in nodes if isinstance(node, ast.Dict) for key in node.keys}
            texts = (node for node in nodes if isinstance(node, ast.Constant) and isinstance(node.value, str))
            found |= {node.value for node in texts if id(node) not in given}
    return frozenset(found)


_STRINGS: Final[Each[frozenset[str]]] = Each("strings", 1, lambda _: _strings())
