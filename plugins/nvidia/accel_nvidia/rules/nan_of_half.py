"""NaN in a model's output that half precision explains: float16 is used, or the GPU has no bfloat16."""

from collections.abc import Iterator
from typing import Final

from accel.model.dataclass import replace
from accel.model.observation import Fact, Product
from accel.vendors.contract.rule import Seen, Specs, rule
from accel_nvidia.architecture_fit import capability_of

_FIRST_WITH_BF16: Final = (8, 0)


@rule(
    gives={"half-precision-overflows": "a program that computes in float16 yields NaN, or images that are black"},
    triggers=("nan-in-probabilities",),
)
def nan_of_half(seen: Seen, specs: Specs) -> Iterator[Fact]:
    """Holds if the text requests float16, or names a GPU before 8.0, where a bfloat16 model runs in float16."""
    asked = seen.facts("half-precision-asked")
    devices = [d for report in seen.snapshot.reports if report.backend == "nvidia" for d in report.devices]
    named = [one.name for one in seen.of(Product) if one.vendor == "nvidia" and one.name]
    told = [d.compute_capability or (specs.compute_capability(d.name) if d.name else None) for d in devices]
    told += [specs.compute_capability(name) for name in named]
    known = [number for one in told if one is not None and (number := capability_of(one)) is not None]
    if not asked and not any(number < _FIRST_WITH_BF16 for number in known):
        return
    for fact in seen.facts("nan-in-probabilities"):
        yield replace(fact, name="half-precision-overflows")
