"""Each remedy states whether it mends, looks or asks; its words and its command agree, wherever it is written."""

import ast
from collections.abc import Iterator
from pathlib import Path
from typing import Any

from every_case import every_case, registry
from remedy_kinds import kind_mistake

from accel.model.diagnosis import Remedy
from accel.specs.store import parse

ROOT = Path(__file__).parent.parent
# Findings whose remedies only look, since nothing that is known of them tells what mends: none is to be added.
ONLY_LOOK: frozenset[str] = frozenset()


def in_sources() -> Iterator[tuple[str, Remedy]]:
    """Yield each remedy that the sources build of constants, with its place."""
    for path in sorted([*(ROOT / "src").rglob("*.py"), *(ROOT / "plugins").glob("*/accel_*/**/*.py")]):
        for node in ast.walk(ast.parse(path.read_text(encoding="utf-8"))):
            if isinstance(node, ast.Call) and getattr(node.func, "id", "") == "Remedy":
                given = {word.arg: _constant(word.value) for word in node.keywords}
                fields = {name: given[name] for name in ("command", "action", "kind") if given.get(name)}
                if given.get("text"):
                    yield f"{path.name}:{node.lineno}", Remedy(text=given["text"] or "", **fields)  # type: ignore[arg-type]


def _constant(node: ast.expr) -> str | None:
    if isinstance(node, ast.JoinedStr):
        return "".join(str(part.value) if isinstance(part, ast.Constant) else "NAME" for part in node.values)
    return node.value if isinstance(node, ast.Constant) and isinstance(node.value, str) else None


def in_tables() -> Iterator[tuple[str, Remedy]]:
    for path in sorted((ROOT / "specs").rglob("*.yaml")):
        text = path.read_text(encoding="utf-8")
        if "fixes:" in text and path.name != "schema.yaml":
            yield from ((path.name, one) for one in _fixes(parse(str(path))))


def _fixes(value: Any) -> Iterator[Remedy]:
    if isinstance(value, dict):
        for fix in value.get("fixes") or ():
            yield Remedy(**{key: fix[key] for key in ("text", "command", "action", "kind") if key in fix})
        for inner in value.values():
            yield from _fixes(inner)
    elif isinstance(value, list):
        for inner in value:
            yield from _fixes(inner)


def test_a_remedy_is_of_the_kind_that_it_states() -> None:
    written = [*in_sources(), *in_tables()]
    wrong = {(place, one.text): why for place, one in written if (why := kind_mistake(one, registry().specs))}
    assert wrong == {}
    assert len(written) > 1000


def test_what_is_no_look_is_seen_by_its_words_and_by_its_command() -> None:
    specs = registry().specs
    assert kind_mistake(Remedy(text="See which is full.", command="df -h"), specs)
    assert kind_mistake(Remedy(text="See which is full, and remove it.", kind="look"), specs)
    assert kind_mistake(Remedy(text="See it.", command="sudo modprobe nvidia", kind="look"), specs)
    assert kind_mistake(Remedy(text="Send the board in.", action="service"), specs)
    assert kind_mistake(Remedy(text="See which is full.", command="df -h", kind="look"), specs) is None


def test_every_fault_has_a_step_that_mends_or_somebody_to_ask() -> None:
    only_look = {
        finding.name
        for case in every_case()
        for finding in case.diagnosis.findings
        if finding.severity != "info" and all(one.kind == "look" for one in finding.remedies)
    }
    assert only_look - ONLY_LOOK == set()
    assert ONLY_LOOK - only_look == set()
