"""It has no side effects: no file written, no socket, no process, no library outside the Machine, no framework."""

from collections.abc import Iterable, Iterator

from accel.kit.evidence import Effect, Evidence
from accel.kit.requirement import Fault, Rule, conformance_table, wants


def _none_of(kind: str, rule: str, says: str, do: str) -> Rule:
    def run(evidence: Evidence) -> Iterator[Fault]:
        wants(evidence.loading, "it does not load")
        for place, effects in _watched(evidence):
            for effect in effects:
                if effect.kind == kind:
                    yield Fault(sentence=f"{place} {effect.what}", remedy=do, where=effect.where)

    return Rule(name=rule, level="discover", title=says, run=run)


def _watched(evidence: Evidence) -> Iterator[tuple[str, Iterable[Effect]]]:
    assert evidence.loading is not None
    yield "its import", evidence.loading.effects
    for answer in evidence.answers():
        yield f"{answer.method}()", answer.effects
    for text in evidence.texts:
        yield "a reader", text.effects


RULES = tuple(_none_of(**row) for row in conformance_table()["effects"])
