"""Several machines in one snapshot: what each reports, and which of them differ from the majority. Pure."""

from collections import Counter
from collections.abc import Callable, Iterator, Mapping

from accel.facts.questions import Facts
from accel.model.dataclass import dataclass
from accel.model.snapshot import Part, Snapshot
from accel.vendors.contract.check import applies

Asked = Callable[[Facts], Mapping[str, str]]


@dataclass(frozen=True, slots=True, kw_only=True)
class Unlike:
    """Something in which machines differ. usual: None if no value has a majority; odd: value by machine."""

    what: str
    usual: str | None
    odd: Mapping[str, str]
    machines: int


def nodes_of(facts: Facts) -> dict[str, Facts]:
    """Return the facts of each machine by its name; ends the check if there are too few.

    Of two machines in a text, neither is the odd one, and a finding itself says how they differ; two saved snapshots
    that somebody passes together are meant to be compared.
    """
    named: dict[str, list[Part]] = {}
    for part in facts.snapshot.parts:
        name = dict(part.kinds).get("machine")
        if part.apart and name is not None:
            named.setdefault(part.says.removeprefix("on "), []).append(part)
    saved = all(not part.lines for parts in named.values() for part in parts)
    applies(len(named) >= (2 if saved else 3), "nothing is there to compare this machine with")
    return {name: _joined(parts) for name, parts in named.items()}


def unlike(nodes: Mapping[str, Facts], asked: Asked) -> Iterator[Unlike]:
    """Yield the questions that two or more machines answer, but not all alike."""
    told: dict[str, dict[str, str]] = {}
    for name, facts in nodes.items():
        for what, value in asked(facts).items():
            told.setdefault(what, {})[name] = value
    for what, values in told.items():
        counted = Counter(values.values())
        if len(counted) > 1:
            (first, most), (_, second) = counted.most_common(2)
            usual = first if most > second else None
            odd = {name: value for name, value in values.items() if value != usual}
            yield Unlike(what=what, usual=usual, odd=odd, machines=len(values))


def _joined(parts: list[Part]) -> Facts:
    return Facts(
        Snapshot(
            host=parts[0].host,
            environments=tuple(e for part in parts for e in part.environments),
            observations=tuple(o for part in parts for o in part.observations),
            reports=tuple(r for part in parts for r in part.reports),
        )
    )
