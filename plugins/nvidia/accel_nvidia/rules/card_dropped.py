"""A CUDA in the text that no longer generates code for a card in it."""

from collections.abc import Iterator
from typing import Final

from accel.facts.readers.typed_cuda import STATED_CUDA
from accel.model.dataclass import replace
from accel.specs.versions import numbers
from accel.vendors.contract.rule import Fact, Seen, Specs, rule

_KITS: Final = ("cuda", "cuda-libraries", STATED_CUDA)


@rule(
    gives={"card-dropped": "the CUDA that is here no longer makes code for this card; last: the last one that did"},
    triggers=("device-named",),
)
def card_dropped(seen: Seen, specs: Specs) -> Iterator[Fact]:
    """Holds for a card's compute capability if every CUDA in the text is newer than the last that supports it."""
    environments = seen.snapshot.environments
    here = [kit.version for e in environments for kit in e.toolkits if kit.name in _KITS and kit.version]
    here += [one.cuda_version for e in environments for one in e.frameworks if one.cuda_version]
    for fact in seen.facts("device-named") if here else ():
        capability = fact.value("code") or ""
        known = specs.architecture("nvidia", compute_capability=capability) if "." in capability else None
        last = known.last_toolkit if known is not None else None
        if last and all(numbers(one)[:2] > numbers(last)[:2] for one in here):
            values = (("name", fact.value("name") or ""), ("capability", capability), ("last", last), ("cuda", here[0]))
            yield replace(fact, name="card-dropped", values=values)
