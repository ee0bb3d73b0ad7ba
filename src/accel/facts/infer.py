"""Runs the inference rules on a snapshot. A rule that fails costs only itself, and leaves a gap."""

from collections.abc import Iterable, Iterator, Mapping, Sequence
from typing import TYPE_CHECKING, Any, Final

from accel.model.dataclass import field_names, replace
from accel.model.device import Gap
from accel.model.errors import in_words
from accel.model.observation import Fact, Missing, Noted, Observation
from accel.specs.inference import Conditions
from accel.vendors.contract.rule import Rule, Seen, fact_from

if TYPE_CHECKING:
    from accel.model.snapshot import Snapshot
    from accel.specs import Specs

_SYMPTOMS: Final = "system/symptoms"
_PLACE: Final = frozenset(field_names(Observation)) | {"kind"}


def infer(snapshot: "Snapshot", specs: "Specs", rules: Iterable[Rule]) -> tuple[tuple[Fact, ...], tuple[Gap, ...]]:
    """Return the facts in the order of the text, each once, and what went wrong."""
    observations = observations_of(snapshot)
    stated = tuple(_of_nodes_that_exist(_by_tables(observations, specs), observations, specs))
    seen = Seen(snapshot, observations, stated)
    found, gaps = list(stated), []
    for rule in rules:
        if rule.triggers and seen.triggers.isdisjoint(rule.triggers):
            continue
        try:
            found += rule.run(seen, specs)
        except (Exception, SystemExit) as error:  # a plugin's rule may raise anything
            reason = f"the rule broke: {in_words(error)}; please report it to its plugin"
            gaps.append(Gap(fact=f"rule {rule.name}", reason=reason, source=rule.name))
    found += _symptoms(found, specs)
    return tuple(dict.fromkeys(sorted(found, key=lambda fact: fact.line or 0))), tuple(gaps)


def symptoms_of(specs: "Specs", field: str = "findings") -> Mapping[str, Sequence[Mapping[str, Any]]]:
    """Return the symptoms (specs/system/symptoms) that a check, or a fact (field "facts"), is one of, by its name."""

    def made() -> Mapping[str, Sequence[Mapping[str, Any]]]:
        found: dict[str, list[Mapping[str, Any]]] = {}
        for symptom in (specs.table(_SYMPTOMS) or {}).get("symptoms", ()):
            for name in symptom[field]:
                found.setdefault(name, []).append(symptom)
        return found

    return specs.cached((_SYMPTOMS, field), made)


def _symptoms(found: Iterable[Fact], specs: "Specs") -> list[Fact]:
    """Repeat facts that state a symptom (specs/system/symptoms) under the symptom's own name."""
    symptoms = symptoms_of(specs, "facts")
    return [replace(fact, name=symptom["name"]) for fact in found for symptom in symptoms.get(fact.name, ())]


def observations_of(snapshot: "Snapshot") -> Sequence[Observation]:
    """Return the observations of a snapshot and its reports, in the order of the text."""
    found = [one for report in snapshot.reports for one in report.observations]
    return sorted((*snapshot.observations, *found), key=lambda one: one.line or 0)


def _of_nodes_that_exist(stated: Iterable[Fact], observations: Iterable[Observation], specs: "Specs") -> Iterator[Fact]:
    """Drop facts about access to a device node that does not exist according to the text: no permission opens it."""
    missing = {one.name for one in observations if isinstance(one, Missing) and one.piece == "node"}
    of_node = specs.inference["of_node"] if missing else ()
    for fact in stated:
        if fact.name not in of_node or not any(_names(fact.text, node) for node in missing):
            yield fact


def _names(text: str, path: str) -> bool:
    """Return whether a text contains exactly this path: "/dev/nvidia" is not in "/dev/nvidia0"."""
    _, found, rest = text.partition(path)
    return bool(found) and not (rest[:1].isalnum() or rest[:1] in ("-", "_", "/"))


def _by_tables(observations: Iterable[Observation], specs: "Specs") -> Iterator[Fact]:
    for one in observations:
        if isinstance(one, Noted):
            yield fact_from(one.fact, one, **dict(one.values))
            continue
        kind: str = one.kind  # type: ignore[attr-defined]
        for name, grade in _conditions_on(kind, specs).met(one):
            fact = fact_from(name, one, **_values(one))
            yield fact if grade is None else _graded(fact, grade)


def _conditions_on(kind: str, specs: "Specs") -> Conditions:
    """Return the conditions in tables on a kind of observation, prepared once."""
    return specs.cached(("conditions", kind), lambda: Conditions(specs.inference["conditions"].get(kind, ())))


def _values(observation: Observation) -> dict[str, str | None]:
    """Return an observation's fields, apart from its place, as texts."""
    found: dict[str, str | None] = {}
    for name in _own_fields(type(observation)):
        value = getattr(observation, name)
        if isinstance(value, tuple):
            found[name] = " ".join(str(part) for part in value) or None
        else:
            found[name] = None if value is None else str(value)
    return found


def _own_fields(kind: type[Observation]) -> tuple[str, ...]:
    return tuple(name for name in field_names(kind) if name not in _PLACE)


def _graded(fact: Fact, grade: str) -> Fact:
    return replace(fact, grade=grade)  # type: ignore[arg-type]
