"""A package's build that asks for torch where pip has put none."""

from collections.abc import Iterator
from typing import TYPE_CHECKING, Final

from accel.contract.rule import Seen, fact_from, rule
from accel.model.observation import Fact, Missing, Noted

if TYPE_CHECKING:
    from accel.specs import Specs

_NEAR: Final = 60  # lines between pip's words on the build and the traceback in it


@rule(
    gives={"build-isolation-hides-torch": "a package's build asks for torch, which pip keeps out of its environment"},
    starts=("missing",),
)
def build_isolation(seen: Seen, specs: "Specs") -> Iterator[Fact]:
    """Holds for the module torch that is missing near pip's words on a package's requirements, metadata or wheel."""
    built = [one.line for one in seen.of(Noted) if one.fact == "wheel-build-prepared" and one.line is not None]
    for one in seen.of(Missing):
        if one.piece == "module" and one.name == "torch" and one.line is not None:
            line = one.line
            if any(abs(line - other) <= _NEAR for other in built):
                yield fact_from("build-isolation-hides-torch", one)
