"""Whether an installed framework has the required version and build."""

import re
from collections.abc import Iterable
from fnmatch import fnmatchcase

from accel.model.dataclass import dataclass
from accel.model.environment import Environment, Framework
from accel.model.errors import BadInput


@dataclass(frozen=True, slots=True, kw_only=True)
class Build:
    """A framework and its build. version: ">=2.4"; build: "cu12*", "cpu", "rocm6*"; None: any."""

    name: str
    version: str | None = None
    build: str | None = None


def check_bounds(bounds: str) -> str:
    """Return version bounds, ">=550" for a bare "550". Raises BadInput if the text is neither."""
    from packaging.specifiers import InvalidSpecifier, SpecifierSet

    text = bounds.strip()
    text = f">={text}" if text[:1].isdecimal() else text
    try:
        SpecifierSet(text)
    except InvalidSpecifier:
        raise BadInput(f"{bounds!r} is no bound of a version. Write it as pip does: '>=550', '>=2.4,<3'.") from None
    return text


def is_within(version: str, bounds: str) -> bool:
    """Return whether a version is within bounds; for a nonstandard version, its leading numbers are compared.

    >>> is_within("550.90.07", ">=550"), is_within("1.20.0-bd87f71", ">=1.21"), is_within("2.4.0+cu121", "==2.4.*")
    (True, False, True)
    """
    from packaging.specifiers import SpecifierSet
    from packaging.version import InvalidVersion, Version

    try:
        number = Version(version)
    except InvalidVersion:
        found = re.match(r"\d+(?:\.\d+)*", version)
        if found is None:
            return False
        number = Version(found[0])
    return SpecifierSet(bounds).contains(number, prereleases=True)


def build_misses(wanted: "Build", environment: Environment) -> Iterable[str]:
    """Yield the reasons why an environment does not have a framework as required."""
    found = next((one for one in environment.frameworks if one.name == wanted.name), None)
    package = next((one for one in environment.packages or () if one.name == wanted.name), None)
    versions = [one.version for one in (found, package) if one is not None and one.version is not None]
    version = versions[0] if versions else None
    if found is None and package is None:
        here = "is not installed" if environment.packages is not None else "may be missing: no package could be listed"
        yield f"{wanted.name} {here}"
        return
    if wanted.version is not None and (version is None or not is_within(version, wanted.version)):
        yield f"{wanted.name} is {version or 'of an unknown version'}, but {wanted.version} is needed"
    if wanted.build is not None:
        builds = _names(found) if found is not None else (package.variant,) if package and package.variant else ()
        if not any(fnmatchcase(name, wanted.build) for name in builds):
            said = f"is the build {builds[0]}" if builds else "does not tell its build"
            yield f"{wanted.name} {said}, but {wanted.build} is needed"


def _names(framework: Framework) -> tuple[str, ...]:
    """Return the names of a build, from its label and from its files: "cu121", "rocm6.2", "cpu"."""
    cuda, rocm = framework.cuda_version, framework.rocm_version
    told = f"cu{cuda.replace('.', '')}" if cuda else f"rocm{rocm}" if rocm else framework.built_for
    return tuple(dict.fromkeys(name for name in (framework.variant, told) if name))
