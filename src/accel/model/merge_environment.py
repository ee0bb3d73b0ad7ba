"""Merges several readings of one Python environment: earlier ones win, packages are kept side by side."""

from collections.abc import Iterable, Mapping, Sequence
from typing import Final

from accel.model.dataclass import replace
from accel.model.environment import Environment, Framework, Package
from accel.model.merge import filled

RUNNING: Final = "running program"  # source of what a failing program printed about its own environment


def of_one_interpreter(environments: Sequence[Environment]) -> list[Environment]:
    """Return the readings, starting with what the failing program printed about itself, without lists of other
    interpreters.

    A package list belongs to another interpreter if it has another release of a package than the program: pip was then
    run outside the program's environment.
    """
    own = [one for one in environments if one.source == RUNNING]
    has = {package.name: _release(package) for one in own for package in one.packages or ()}
    others = (one for one in environments if one.source != RUNNING)
    return [*own, *(one for one in others if not _is_unlike(one, has))]


def _is_unlike(environment: Environment, has: Mapping[str, str]) -> bool:
    packages = environment.packages or ()
    return any(package.name in has and has[package.name] != _release(package) for package in packages)


def _release(package: Package) -> str:
    return (package.version or "").partition("+")[0]


def merged_environment(environments: Iterable[Environment]) -> Environment:
    """Return one environment from several readings: earlier ones win, packages are kept side by side."""
    merged: Environment | None = None
    for environment in environments:
        merged = environment if merged is None else _joined(merged, environment)
    return merged or Environment()


def _joined(first: Environment, second: Environment) -> Environment:
    base = filled(first, second)
    packages = None
    if first.packages is not None or second.packages is not None:
        packages = tuple(dict.fromkeys((first.packages or ()) + (second.packages or ())))
    variables = None
    if first.variables is not None or second.variables is not None:
        variables = tuple({**dict(second.variables or ()), **dict(first.variables or ())}.items())
    return replace(
        base,
        packages=packages,
        complete=first.complete or second.complete,
        variables=variables,
        frameworks=_by_name(first.frameworks + second.frameworks),
        libraries=tuple(dict.fromkeys(first.libraries + second.libraries)),
        toolkits=tuple(dict.fromkeys(first.toolkits + second.toolkits)),
        gaps=tuple(dict.fromkeys(first.gaps + second.gaps)),
    )


def _by_name(frameworks: Iterable[Framework]) -> tuple[Framework, ...]:
    found: dict[str, Framework] = {}
    for framework in frameworks:
        known = found.get(framework.name)
        found[framework.name] = framework if known is None else filled(known, framework)
    return tuple(found.values())
