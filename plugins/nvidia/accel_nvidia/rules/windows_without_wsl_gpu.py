"""A build of Windows 10 that gives WSL 2 no GPU."""

from collections.abc import Iterator

from accel.model.dataclass import replace
from accel.specs.support import support_of
from accel.specs.versions import numbers
from accel.vendors.contract.rule import Fact, Seen, Specs, rule

_FIRST_BUILD = 10240  # of Windows 10; smaller numbers are versions of something else


@rule(
    gives={"windows-without-wsl-gpu": "this build of Windows has no GPU support in WSL; first: the first that has it"},
    triggers=("windows-build",),
)
def windows_without_wsl_gpu(seen: Seen, specs: Specs) -> Iterator[Fact]:
    """Holds for a build number that specs/system/support.yaml knows to be older than GPU support in WSL."""
    known = support_of(specs, "wsl-gpu", "windows-10")
    for fact in seen.facts("windows-build"):
        told = numbers(fact.value("version") or "")
        build = told[2] if len(told) > 2 and told[0] == 10 else told[0] if 0 < len(told) < 3 else 0
        if known is not None and build >= _FIRST_BUILD and known.serves(str(build)) is False:
            values = (("build", str(build)), ("first", known.first or ""), ("source", known.source or ""))
            yield replace(fact, name="windows-without-wsl-gpu", values=values)
