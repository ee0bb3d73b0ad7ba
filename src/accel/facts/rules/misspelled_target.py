"""A build for a target with a malformed name that is close to a valid one.

AMDGPU_TARGETS=gx906             gfx906
--offload-arch=gfx_1030          gfx1030
nvcc -arch=sm86                  sm_86
"""

from collections.abc import Iterator
from typing import Final

from accel.model.dataclass import replace
from accel.model.observation import Fact
from accel.specs import Specs
from accel.text.pattern import pattern
from accel.vendors.contract.rule import Seen, rule

_SETTING: Final = {
    "amd": pattern(r"(?:TARGETS?|ROCM_ARCH|GPU_ARCHS|HIP_ARCHITECTURES|offload-arch)\s?(?::\w{1,10})?[=\s]\s?['\"]?"),
    "nvidia": pattern(r"(?:\barch|\bcode)\s?=\s?\[?['\"]?"),
}
_TARGET: Final = pattern(r"(?P<target>[A-Za-z]{1,8}[_-]?\d[0-9A-Za-z]{1,5})(?::[a-z+:-]{1,40})?(?:[;,\s'\"\]]{1,3}|$)")
_WELL_FORMED: Final = {  # may be newer than the tables
    "amd": pattern(r"gfx[0-9a-f]{3,4}|gfx\d{1,2}-.{1,20}"),
    "nvidia": pattern(r"(?:sm|compute|lto)_\d{2,3}[af]?"),
}
_MOST: Final = 2  # letters apart
_MOST_TARGETS: Final = 40


@rule(
    gives={"gfx-target-misspelled": "a build requests a target that no compiler knows: a similar name is meant"},
    triggers=("build-target-asked",),
)
def misspelled_target(seen: Seen, specs: Specs) -> Iterator[Fact]:
    """Holds for an alphanumeric name that is close to one of the vendor's targets but does not have their form."""
    told: set[str] = set()
    for fact in seen.facts("build-target-asked"):
        maker = fact.value("maker") or ""
        if maker not in _SETTING:
            continue
        for target in _targets(fact.text, maker):
            if target in told or _WELL_FORMED[maker].fullmatch(target.lower()):
                continue
            told.add(target)
            apart, nearest = min(
                ((distance(target.lower(), one), one) for one in _known(maker, specs)), default=(9, "")
            )
            if 0 < apart <= _MOST:
                values = (("target", target), ("nearest", nearest))
                yield replace(fact, name="gfx-target-misspelled", values=values)


def _targets(text: str, maker: str) -> Iterator[str]:
    """Yield the targets in each setting of a line."""
    for setting in _SETTING[maker].finditer(text):
        at = setting.end()
        for _ in range(_MOST_TARGETS):
            found = _TARGET.match(text, at)
            if found is None:
                break
            yield found["target"]
            at = found.end()


def _known(maker: str, specs: Specs) -> Iterator[str]:
    for row in (specs.table(f"{maker}/architectures") or {}).get("architectures", ()):
        yield from row.get("compute_targets") or ()
        numbers = [one.replace(".", "") for one in row.get("compute_capabilities") or ()]
        yield from (f"{kind}_{number}" for number in numbers for kind in ("sm", "compute"))


def distance(one: str, other: str) -> int:
    """Return the edit distance: letters inserted, deleted, replaced or swapped with a neighbour.

    >>> distance("gx906", "gfx906"), distance("gxf906", "gfx906"), distance("sm86", "sm_86")
    (1, 1, 1)
    """
    before: list[int] = []
    last = list(range(len(other) + 1))
    for at, letter in enumerate(one, 1):
        row = [at]
        for to, wanted in enumerate(other, 1):
            best = min(last[to] + 1, row[to - 1] + 1, last[to - 1] + (letter != wanted))
            if at > 1 < to and letter == other[to - 2] and one[at - 2] == wanted:
                best = min(best, before[to - 2] + 1)
            row.append(best)
        before, last = last, row
    return last[-1]
