"""Declarative rules: which observations establish which fact.

specs/<domain>/inference/<topic>.yaml:

    facts:
      - name: "nvidia-module-absent"
        means: "no NVIDIA kernel module answers"
        from:
          - error: "nvml:9"
          - sentence: "couldn't communicate with the NVIDIA driver"
            example: "NVIDIA-SMI has failed because it couldn't communicate with the NVIDIA driver."
          - missing: {piece: "file", name: "/proc/driver/nvidia/version"}
          - conflict: {component: "cudnn", relation: "older"}

    With `in_log` its sentences are also searched for in a live machine's kernel log, in lines that contain one of
    these lower-case words. Without it they are searched for in texts only.
    With `finding` a fact is a check of its own (accel.checks.rows); `codes` then names the table that explains
    the sentence's {code:number}.

A condition's fields are those of the observation (accel.model.observation); a value may be a list, and may begin or end
in "*". A sentence may be a list of alternatives that share one example. `unless` voids a sentence if one of these
words is in its line. A fact with `context: true` is information only; no check uses it. One with `deniable: true` is
about surroundings, and void where the sentence denies them (accel.text.denials). `fallback: true` marks messages of
programs that continue without the device if there is none, `of_source: true` what a program's own lines say, which hold
although they are no output.
"""

from collections.abc import Iterable, Iterator, Mapping, Sequence
from typing import TYPE_CHECKING, Any, Final

if TYPE_CHECKING:
    from accel.model.grade import Grade

CONDITIONS: Final = ("error", "missing", "conflict", "raised", "command", "limit", "product", "experiment")


def inference_phrases(tables: Iterable[tuple[str, Any]]) -> Iterable[tuple[str, Any, tuple[str, ...]]]:
    """Yield the sentences as phrase-book rows tagged ["noted", fact, backend, constant values]."""
    for _, table in tables:
        for fact in table["facts"]:
            for way in fact.get("from", ()):
                if said := sentences_of(way):
                    backend = fact.get("backend", table.get("backend"))
                    tag = ["noted", fact["name"], backend, list((way.get("values") or {}).items())]
                    void = (*way.get("unless", ()), *table.get("unless", ()))
                    for sentence in said:
                        yield sentence, tag, void


def sentence_mistakes(way: Mapping[str, Any]) -> Iterator[tuple[str, str]]:
    """Yield (field, what was expected) for sentences that cannot be compiled, or that do not match their example."""
    from accel.text.phrase import BadPhrase
    from accel.text.phrase_book import PhraseBook, make_book
    from accel.text.words import Words

    if "example" not in way:
        yield "example", "expected a text that holds the sentence, and there is none"
        return
    try:
        void = tuple(way.get("unless", ()))
        book = PhraseBook(make_book([(sentence, "", void) for sentence in sentences_of(way)]))
    except BadPhrase as error:
        yield "sentence", str(error)
        return
    if next(book.find(Words(way["example"])), None) is None:
        yield "example", "expected a text in which the sentence is found"


def sentences_of(way: Mapping[str, Any]) -> list[str]:
    """Return the sentences of an entry: one, several spellings, or none."""
    said = way.get("sentence", [])
    return [said] if isinstance(said, str) else list(said)


def compiled_inference(tables: Iterable[tuple[str, Any]]) -> dict[str, Any]:
    """Return {"facts": {name: {means, …}}, "conditions": {kind: [[fact, {field: [patterns]}, grade], …]},
    "in_log": {fact: [words in lower case]}, "of_node": [facts of access to a device node],
    "context": [facts that are no fault], "fallback": [facts of programs that go on without a device],
    "subject": [facts that a mention establishes], "of_source": [facts that source code states],
    "deniable": [facts that a writer can deny]}.
    """
    facts: dict[str, Any] = {}
    in_log: dict[str, list[str]] = {}
    of_node: list[str] = []
    flagged: dict[str, list[str]] = {key: [] for key in ("context", "fallback", "subject", "of_source", "deniable")}
    conditions: dict[str, list[Any]] = {}
    for topic, table in tables:
        for fact in table["facts"]:
            about = {"backend": of} if (of := fact.get("backend", table.get("backend"))) else {}
            facts.setdefault(fact["name"], {"means": fact["means"], "topic": topic, **about})
            if fact.get("in_log"):
                in_log[fact["name"]] = fact["in_log"]
            if fact.get("of_node"):
                of_node.append(fact["name"])
            for flag, names in flagged.items():
                if fact.get(flag):
                    names.append(fact["name"])
            for way in fact.get("from", ()):
                for kind in CONDITIONS:
                    if kind in way:
                        for wanted in _wanted(kind, way[kind]):
                            conditions.setdefault(kind, []).append([fact["name"], wanted, way.get("grade")])
    return {"facts": facts, "conditions": conditions, "in_log": in_log, "of_node": of_node, **flagged}


def _wanted(kind: str, stated: Any) -> Iterable[dict[str, list[str]]]:
    if kind == "error" and not isinstance(stated, Mapping):
        for identity in [stated] if isinstance(stated, str) else stated:
            domain, _, code = identity.partition(":")
            yield {"domain": [domain], "code": [code.lower()]}
        return
    yield {
        field: [str(value).lower() for value in (values if isinstance(values, list) else [values])]
        for field, values in stated.items()
    }


class Conditions:
    """The conditions on one kind of observation, indexed by an exact value, so that only a few are tested."""

    def __init__(self, stated: Iterable[Sequence[Any]]) -> None:
        """Index the conditions; each is [fact, {field: [patterns]}, grade]."""
        self._stated = [tuple(one) for one in stated]
        self._by_value: dict[str, dict[str, list[int]]] = {}
        self._others: list[int] = []
        values: dict[str, set[str]] = {}
        for _, wanted, _ in self._stated:
            for field in wanted:
                values.setdefault(field, set()).update(wanted[field])
        for number, (_, wanted, _) in enumerate(self._stated):
            exact = [field for field in wanted if _is_exact(field, wanted)]
            if not exact:
                self._others.append(number)
                continue
            field = max(exact, key=lambda field: len(values[field]))
            index = self._by_value.setdefault(field, {})
            for value in wanted[field]:
                index.setdefault(value, []).append(number)

    def met(self, observation: Any) -> Iterator[tuple[str, "Grade | None"]]:
        """Yield (fact, grade) for each condition that an observation meets, in table order."""
        possible = set(self._others)
        for field, index in self._by_value.items():
            for text in _texts(getattr(observation, field, None)):
                possible.update(index.get(text, ()))
        for number in sorted(possible):
            fact, wanted, grade = self._stated[number]
            if fits(wanted, observation):
                yield fact, grade


def _is_exact(field: str, wanted: Mapping[str, Sequence[str]]) -> bool:
    """Return whether a condition lists a field's values without wildcards."""
    return field != "piece" and not any(value.startswith("*") or value.endswith("*") for value in wanted[field])


def _texts(value: Any) -> list[str]:
    """Return a field's value or values as strings, in the spelling of conditions."""
    if value is None:
        return []
    return [str(one).lower() for one in value] if isinstance(value, tuple) else [str(value).lower()]


def fits(wanted: Mapping[str, Iterable[str]], observation: Any) -> bool:
    """Return whether an observation matches a condition's fields."""
    for field, patterns in wanted.items():
        value = getattr(observation, field, None)
        if field == "piece" and value == "node":
            value = ("node", "file")  # a node is a file, too
        texts = _texts(value)
        if not any(_is(pattern, text) for pattern in patterns for text in texts):
            return False
    return True


def _is(pattern: str, text: str) -> bool:
    if pattern.startswith("*") and pattern.endswith("*") and len(pattern) > 1:
        return pattern[1:-1] in text
    if pattern.endswith("*"):
        return text.startswith(pattern[:-1])
    if pattern.startswith("*"):
        return text.endswith(pattern[1:])
    return text == pattern
