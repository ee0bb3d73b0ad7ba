"""A NumPy that the installed torch was not built for, by their versions alone."""

from collections.abc import Iterator
from typing import TYPE_CHECKING

from accel.contract.rule import Seen, rule
from accel.model.observation import Fact
from accel.specs.versions import numbers

if TYPE_CHECKING:
    from accel.model.environment import Environment
    from accel.specs import Specs

LISTED = "torch-built-for-older-numpy"


@rule(
    gives={LISTED: "the installed torch was built for NumPy 1, and NumPy 2 is installed beside it"},
    starts=("package:numpy",),
)
def numpy_of_torch(seen: Seen, specs: "Specs") -> Iterator[Fact]:
    """Holds for one environment with one version of each, torch being of a release before the first that was built for
    NumPy 2: no wheel of torch declares it, so installers put them together. The release is in specs/frameworks.
    """
    first = _first_release(specs)
    for environment in seen.snapshot.environments:
        numpy, torch = _only(environment, "numpy"), _only(environment, "torch")
        if numpy and torch and first and numbers(numpy)[:1] >= (2,) and () < numbers(torch) < first:
            yield Fact(
                name=LISTED,
                text=f"numpy {numpy}, torch {torch}",
                values=(("has", numpy), ("torch", torch)),
                source=environment.source,
            )


def _only(environment: "Environment", name: str) -> str | None:
    """Return the version of a package that is listed once; None if it is not, or in several versions."""
    versions = {p.version for p in environment.packages or () if p.name == name and p.version}
    versions |= {f.version for f in environment.frameworks if f.name == name and f.version}
    return versions.pop() if len(versions) == 1 else None


def _first_release(specs: "Specs") -> tuple[int, ...]:
    table = specs.table("frameworks/torch_architectures") or {}
    bounds = [row["applies"] for row in table.get("constraints", ()) if row["name"] == "numpy2"]
    return numbers(bounds[0].lstrip("<")) if bounds else ()
