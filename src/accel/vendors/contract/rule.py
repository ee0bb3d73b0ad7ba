"""What a rule of inference is: a pure function from what was seen to facts.

    @rule(gives={"memory-in-pieces": "free and cached memory would do, in one piece"}, triggers=("torch-oom",))
    def memory_in_pieces(seen: Seen, specs: Specs) -> Iterator[Fact]:
        ...

Most rules need no code: see specs/*/inference. A rule in code joins several observations, compares numbers, or asks
the snapshot's records. What it starts from is stated, so that its module is imported only where that is there:

    a fact's name      a table has inferred it, or a reader noted it
    "command"          an observation of this kind is there, by its `kind`
    "command.docker"   likewise, and its tool is this; so error.<domain>, missing.<piece>, product.<vendor>,
                       complaint.<form>
    "package.torch"    a list of packages has it, or an installer put it there, found or removed it
    "@live"            the snapshot is of this machine
    "wiring"           it tells how the machine is wired

These are terms of accel.facts.query that can be looked up at once, without asking anything.
"""

from collections.abc import Callable, Iterable, Mapping
from functools import cached_property
from typing import TYPE_CHECKING, Final, TypeVar

from accel.model.dataclass import dataclass
from accel.model.observation import Fact, Installed, Observation

if TYPE_CHECKING:
    from accel.model.snapshot import Snapshot
    from accel.specs import Specs

_Seen = TypeVar("_Seen", bound=Observation)
# The kinds of observations that a rule may start from, each with the field that tells one from another.
KINDS: Final[Mapping[str, str | None]] = {
    "command": "tool",
    "complaint": "form",
    "conflict": None,
    "error": "domain",
    "experiment": None,
    "limit": None,
    "missing": "piece",
    "offered": None,
    "package": "package",
    "product": "vendor",
    "raised": None,
}


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
        """Return the facts of these names that tables have inferred; of no names, all."""
        return tuple(fact for name in names for fact in self._by_name.get(name, ())) if names else self._facts

    @cached_property
    def triggers(self) -> frozenset[str]:
        """What a rule may start from, as its `triggers` names it."""
        found = {*self._by_name}
        for one in self.observations:
            kind = "package" if isinstance(one, Installed) else one.kind  # type: ignore[attr-defined]
            detail = KINDS.get(kind)
            found.add(kind)
            if detail is not None:
                found.add(f"{kind}.{getattr(one, detail)}")
        found |= {f"package.{package.name}" for e in self.snapshot.environments for package in e.packages or ()}
        if self.snapshot.origin == "live":
            found.add("@live")
        if self.snapshot.wiring is not None:
            found.add("wiring")
        return frozenset(found)

    @cached_property
    def _by_name(self) -> dict[str, list[Fact]]:
        found: dict[str, list[Fact]] = {}
        for fact in self._facts:
            found.setdefault(fact.name, []).append(fact)
        return found


@dataclass(frozen=True, slots=True, kw_only=True)
class Rule:
    """A registered rule.

    gives   the facts that it may infer, with what each means
    triggers  it gives nothing where none of these is there; (): it may always give something
    """

    name: str
    gives: Mapping[str, str]
    run: "Callable[[Seen, Specs], Iterable[Fact]]"
    triggers: tuple[str, ...] = ()


def rule(
    *, gives: Mapping[str, str], triggers: tuple[str, ...] = ()
) -> "Callable[[Callable[[Seen, Specs], Iterable[Fact]]], Rule]":
    """Make a Rule of a function. Its docstring says when it holds and when not."""

    def register(run: "Callable[[Seen, Specs], Iterable[Fact]]") -> Rule:
        return Rule(name=run.__name__.replace("_", "-"), gives=dict(gives), run=run, triggers=triggers)

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
