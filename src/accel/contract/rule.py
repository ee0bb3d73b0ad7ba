"""What a rule of inference is: a pure function from what was seen to facts.

    @rule(gives={"gpu-memory-fragmented": "free and cached memory would do, in one piece"})
    def memory_fragmented(seen: Seen) -> Iterator[Fact]:
        ...

Most rules need no code: see specs/*/inference. A rule in code joins several observations, compares numbers, or asks
the snapshot's records.
"""

from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass
from functools import cached_property
from typing import TYPE_CHECKING, TypeVar

from accel.model.observation import Fact, Observation

if TYPE_CHECKING:
    from accel.model.snapshot import Snapshot
    from accel.specs import Specs

_Seen = TypeVar("_Seen", bound=Observation)


class Seen:
    """What a rule may look at: the observations, the facts that tables have inferred from them, the records.

    Facts that other rules infer are not among them: rules do not lean on each other.
    """

    def __init__(self, snapshot: "Snapshot", observations: Iterable[Observation], facts: Iterable[Fact]) -> None:
        self.snapshot = snapshot
        self.observations = tuple(observations)
        self._facts = tuple(facts)

    def of(self, kind: type[_Seen]) -> tuple[_Seen, ...]:
        """Return the observations of one class, in the order of the text."""
        return tuple(one for one in self.observations if isinstance(one, kind))

    def facts(self, *names: str) -> tuple[Fact, ...]:
        """Return the facts of these names that tables have inferred."""
        return tuple(fact for name in names for fact in self._by_name.get(name, ()))

    @cached_property
    def _by_name(self) -> dict[str, list[Fact]]:
        found: dict[str, list[Fact]] = {}
        for fact in self._facts:
            found.setdefault(fact.name, []).append(fact)
        return found


@dataclass(frozen=True, slots=True, kw_only=True)
class Rule:
    """A registered rule. gives: the facts that it may infer, with what each means."""

    name: str
    gives: Mapping[str, str]
    run: "Callable[[Seen, Specs], Iterable[Fact]]"


def rule(*, gives: Mapping[str, str]) -> "Callable[[Callable[[Seen, Specs], Iterable[Fact]]], Rule]":
    """Make a Rule of a function. Its docstring says when it holds and when not."""

    def register(run: "Callable[[Seen, Specs], Iterable[Fact]]") -> Rule:
        return Rule(name=run.__name__.replace("_", "-"), gives=dict(gives), run=run)

    return register


def fact_from(name: str, observation: Observation, /, **values: str | None) -> Fact:
    """Return a fact that rests on one observation: its place, its words, its grade."""
    return Fact(
        name=name,
        text=observation.text,
        values=tuple((key, value) for key, value in values.items() if value is not None),
        grade=observation.grade,
        source=observation.source,
        line=observation.line,
        last_line=observation.last_line,
        scope=observation.scope,
        device=observation.device,
    )
