"""PaddlePaddle's two lines on the cuDNN it was built with and the one it runs with."""

from collections.abc import Iterator

from accel.model.dataclass import replace
from accel.specs.versions import numbers
from accel.vendors.contract.rule import Fact, Seen, Specs, rule


@rule(
    gives={"cudnn-unlike-build": "the cuDNN that was found is not of the version that the program was compiled with"},
    triggers=("cudnn-loaded-said",),
)
def cudnn_of_paddle(seen: Seen, specs: Specs) -> Iterator[Fact]:
    """Holds if the loaded cuDNN has another major or an older minor; a newer minor works."""
    built = next((value for fact in seen.facts("cudnn-of-build-said") if (value := fact.value("wants"))), None)
    for fact in seen.facts("cudnn-loaded-said"):
        has = fact.value("has")
        if built is None or has is None:
            continue
        wanted, found = numbers(built)[:2], numbers(has)[:2]
        if len(wanted) == len(found) == 2 and (wanted[0] != found[0] or found < wanted):
            values = (("component", "cudnn"), ("has", has), ("wants", built), ("by", "paddle"))
            yield replace(fact, name="cudnn-unlike-build", values=values)
