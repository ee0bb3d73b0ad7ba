"""What an inference rule is: a pure function from observations to facts.

    @rule(gives={"memory-in-pieces": "free and cached memory would do, in one piece"}, triggers=("torch-oom",))
    def memory_in_pieces(seen: Seen, specs: Specs) -> Iterator[Fact]:
        ...

Most rules need no code: see specs/*/inference. A rule in code combines several observations, compares numbers, or reads
the snapshot's records. It declares its triggers, so that its module is imported only if one of them is present:

a fact's name      inferred by a table, or noted by a reader
"command"          an observation of this `kind` is present
"command.docker"   likewise, of this tool; also error.<domain>, missing.<piece>, product.<vendor>, complaint.<form>
"package.torch"    it is in a list of packages, or an installer installed, found or removed it
"@live"            the snapshot is of this machine
"wiring"           the snapshot says how the machine is wired

These are the terms of accel.facts.query that can be looked up directly.
"""

from collections.abc import Callable, Iterable, Mapping
from functools import cached_property
from typing import TYPE_CHECKING, Final, TypeVar

from accel.model.dataclass import dataclass
from accel.model.observation import Fact, Installed, Observation

if TYPE_CHECKING:
    from accel.model.snapshot import Snapshot
    from accel.specs import Specs
else:  # a name for annotations: a rule is declared without loading the database
    Specs = object

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
    """What a rule may look at: the observations, the facts that tables inferred from them, and the records.

    Facts inferred by other rules are not included: rules do not depend on each other.
    """

    def __init__(self, snapshot: "Snapshot", observations: Iterable[Observation], facts: Iterable[Fact]) -> None:
        self.snapshot = snapshot
        self.observations = tuple(observations)
        self._facts = tuple(facts)

    def of(self, kind: type[_Seen]) -> tuple[_Seen, ...]:
        """Return the observations of one class, in the order of the text."""
        return tuple(one for one in self.observations if isinstance(one, kind))

    def facts(self, *names: str) -> tuple[Fact, ...]:
        """Return the facts with these names that tables inferred; without names, all of them."""
        return tuple(fact for name in names for fact in self._by_name.get(name, ())) if names else self._facts

    @cached_property
    def triggers(self) -> frozenset[str]:
        """What is present of the things that a rule can name in its `triggers`."""
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

    gives     the facts that it may infer, each with its meaning
    triggers  it infers nothing unless one of these is present; (): it may always infer something
    """

    name: str
    gives: Mapping[str, str]
    run: Callable[[Seen, Specs], Iterable[Fact]]
    triggers: tuple[str, ...] = ()


def rule(
    *, gives: Mapping[str, str], triggers: tuple[str, ...] = ()
) -> Callable[[Callable[[Seen, Specs], Iterable[Fact]]], Rule]:
    """Turn a function into a Rule. Its docstring says when it applies and when it does not."""

    def register(run: Callable[[Seen, Specs], Iterable[Fact]]) -> Rule:
        return Rule(name=run.__name__.replace("_", "-"), gives=dict(gives), run=run, triggers=triggers)

    return register


def fact_from(name: str, observation: Observation, /, **values: str | None) -> Fact:
    """Return a fact based on one observation, with that observation's line, text and grade."""
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


__all__ = ["KINDS", "Fact", "Rule", "Seen", "Specs", "fact_from", "rule"]
