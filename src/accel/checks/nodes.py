"""Problems for checks that compare machines."""

from collections.abc import Iterable, Iterator
from typing import TYPE_CHECKING

from accel.vendors.contract.check import Evidence, Problem, Remedy

if TYPE_CHECKING:
    from accel.facts.nodes import Unlike
    from accel.model.diagnosis import Severity

_MANY = 3  # minimum machines for one of them to be the odd one
_NAMED = 4


def said_unlike(found: "Iterable[Unlike]", remedy: Remedy, worst: "Severity" = "warning") -> "Iterator[Problem]":
    """Yield a problem for each difference; only information for two machines, or if no value is in the majority."""
    for one in found:
        odd = list(one.odd.items())
        names = ", ".join(name for name, _ in odd[:_NAMED]) + (
            f" and {len(odd) - _NAMED} more" if len(odd) > _NAMED else ""
        )
        told = ", ".join(dict.fromkeys(value for _, value in odd[:_NAMED]))
        clearly = one.usual is not None and one.machines >= _MANY
        title = (
            f"{one.what} is {told} on {names}, but {one.usual} on the others"
            if one.usual
            else f"{one.what} differs: {told} on {names}"
        )
        yield Problem(
            title=title,
            severity=worst if clearly else "info",
            evidence=tuple(Evidence(fact=f"{one.what} on {name}", value=value) for name, value in odd[:8]),
            remedies=(remedy,),
        )
