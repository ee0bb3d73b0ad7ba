"""The releases of a package that fit a machine, sorted by distance from one that does not. Pure."""

from typing import TYPE_CHECKING

from accel.resolver.candidates import candidates
from accel.resolver.catalogue import catalogue_of
from accel.resolver.choose import as_sure_as_the_best
from accel.resolver.constraints import verdict
from accel.resolver.situation import Situation

if TYPE_CHECKING:
    from accel.resolver.target import Target
    from accel.specs import Specs


def nearest_minors(
    specs: "Specs", package: str, version: str, variant: str | None, target: "Target"
) -> tuple[str, ...]:
    """Return the minor releases ("2.7") with a fitting build, nearest first, newer before older.

    Builds that fit worse than the best one (fewer devices, or less certainty) do not count.
    """
    from packaging.version import InvalidVersion, Version

    catalogue = catalogue_of(specs)
    if package not in catalogue.packages:
        return ()
    try:
        installed = Version(version).release[:2]
    except InvalidVersion:
        return ()
    situation = Situation(catalogue, target, variant == "cpu")
    made = [c for c in candidates(catalogue, package) if c.platform == target.platform]
    every = sorted({Version(c.version).release[:2] for c in made} | {installed})
    verdicts = [verdict(c, situation) for c in made if variant in (None, c.variant, c.family)]
    fitting = as_sure_as_the_best(verdicts, catalogue, target)
    minors = {Version(v.candidate.version).release[:2] for v in fitting}
    place = every.index(installed)
    near = sorted(minors - {installed}, key=lambda m: (abs(every.index(m) - place), every.index(m) < place))
    return tuple(".".join(map(str, minor)) for minor in near)
