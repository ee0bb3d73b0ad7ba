"""Installed packages whose requirements a change would break, according to the tables. Pure.

pip install 'numpy<2'        jaxlib 0.8.0 requires numpy>=2.0
pip install torch==2.5.1     vllm 0.11.0 requires torch==2.8.0

Packages that the same command installs or removes are ignored. A package in no table breaks nothing: it is unknown.
"""

from collections.abc import Iterable, Iterator, Mapping
from typing import Any, Final

from accel.facts.questions import Facts
from accel.model.dataclass import dataclass
from accel.resolver.remedy_words import BASES
from accel.resolver.request import within
from accel.specs import Specs
from accel.text.pattern import pattern
from accel.text.versions import normalised

_TORCH: Final = ("torch", "torchvision", "torchaudio")
_ASKED: Final = pattern(
    r"(?P<name>[A-Za-z][A-Za-z0-9._-]{0,80})(?:\[[\w, -]{0,60}\])?(?P<bound>[<>=!~][A-Za-z0-9.,<>=!~*+-]{0,80})"
)
_VERSION: Final = pattern(r"\d{1,6}(?:\.\d{1,6}){0,3}", exact_case=True)


@dataclass(frozen=True, slots=True, kw_only=True)
class Broken:
    """A requirement that would be broken: "vllm", "0.11.0", "torch", "==2.8.0"."""

    package: str
    version: str
    wants: str
    bound: str


def broken_by(asked: Iterable[str], others: Iterable[str], facts: Facts, specs: Specs) -> tuple[Broken, ...]:
    """Return the requirements of installed packages that no release within the requested bounds meets.

    asked   the version specifier: "torch==2.5.1", "numpy<2"
    others  names that the same command changes, so their installed release does not count
    """
    bounds = {
        normalised(found["name"]): found["bound"].split("+")[0]
        for one in asked
        if (found := _ASKED.fullmatch(one)) is not None
    }
    changed = {*map(normalised, others), *bounds}
    if any(name in changed or facts.package(name) for name in BASES):
        bounds = {name: bound for name, bound in bounds.items() if name not in _TORCH}  # its plugin names the release
    if not bounds:
        return ()
    return tuple(
        Broken(package=package.name, version=package.version, wants=name, bound=bound)
        for package in facts.packages()
        if package.version is not None and package.name not in changed
        for name, bound in requirements_of(package.name, package.version, specs).items()
        if name in bounds and not _may_meet(bounds[name], bound)
    )


def requirements_of(package: str, version: str, specs: Specs) -> Mapping[str, str]:
    """Return a release's requirements of other packages, as far as the tables have them: {"torch": "==2.8.0"}."""
    known = specs.companion(package, version)
    found = {} if known is None else {name: bound for name, bound in known.requires.items() if bound[:1] in "<>=!~"}
    if package in ("jax", "jaxlib"):
        found |= _of_jax(version, specs)
    return found


def _of_jax(version: str, specs: Specs) -> Mapping[str, str]:
    releases: Iterable[Mapping[str, Any]] = (specs.table("frameworks/jax") or {}).get("releases", ())
    row = next((one for one in releases if one["version"] == version), {})
    plain = [one for one in row.get("numpy", ()) if ";" not in one]
    return {"numpy": plain[0]} if plain else {}


def _may_meet(asked: str, required: str) -> bool:
    """Return whether some release meets both bounds, by trying every limit of both and the version just after it."""
    points = {point for bound in (asked, required) for point in _points(bound)}
    return not points or any(within(one, asked) and within(one, required) for one in points)


def _points(bound: str) -> Iterator[str]:
    for found in _VERSION.finditer(bound):
        parts = [int(part) for part in found[0].split(".")]
        yield found[0]
        yield ".".join(map(str, (*parts[:-1], parts[-1] + 1)))
        yield ".".join(map(str, (*parts, 1)))
        if parts[-1]:
            yield ".".join(map(str, (*parts[:-1], parts[-1] - 1, 99)))
