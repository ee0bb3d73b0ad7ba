"""The declared requirements of the distributions, compared with what is installed: like `pip check`, and more.

Reads   <name>.dist-info/METADATA, <name>.egg-info/PKG-INFO: the lines "Requires-Dist: numpy (>=1.21) ; extra == 'x'"
        and "Requires-Python: >=3.9"
        <name>.egg-info/requires.txt if setuptools wrote it instead
Source  packaging.python.org, "Core metadata specifications"; PEP 508

Checked are only distributions that concern accelerators, and the requirements that others have on those, as
specs/frameworks/requirements names them. An extra applies if another requirement names it, or if something that only it
requires is installed: jax-cuda12-plugin implies jax[cuda12].
"""

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from functools import cache
from typing import TYPE_CHECKING, Any, Final, Literal

from accel.collect.environment.distributions import Distribution, full_version
from accel.model.dataclass import dataclass
from accel.model.observation import Conflict, Noted, Observation
from accel.specs import load
from accel.text.pattern import pattern
from accel.text.versions import normalised

if TYPE_CHECKING:
    from packaging.requirements import Requirement
    from packaging.specifiers import SpecifierSet

    from accel.machine.protocol import Machine
    from accel.model.environment import Package

_HEAD_BYTES: Final = 1 << 17
_NAME: Final = pattern(r"[A-Za-z0-9][A-Za-z0-9._-]*", exact_case=True)
_EXTRA: Final = pattern(r"\bextra\s*==\s*['\"]([^'\"]+)['\"]", exact_case=True)
_SECTION: Final = pattern(r"\[(?P<extra>[^:\]]*)(?::(?P<marker>.*))?\]", exact_case=True)
_SYSTEMS: Final = {"linux": ("linux", "Linux"), "windows": ("win32", "Windows"), "macos": ("darwin", "Darwin")}
_Relation = Literal["missing", "older", "newer", "other"]


@dataclass(frozen=True, slots=True)
class _Asked:
    """A requirement that applies here. extra None: every installation of `by` has it. extras: requested of `name`."""

    by: "Package"
    name: str
    wants: "SpecifierSet"
    extra: str | None
    extras: frozenset[str]
    metadata: str


@dataclass(frozen=True, slots=True, kw_only=True)
class Requirements:
    """unmet: what is missing, too old or too new, with the packages that require it; read: the number of distributions
    whose requirements were read; asking: (package, requirement, versions): ("pandas", "numpy", ">=1.22.4").
    """

    unmet: tuple[Observation, ...]
    read: int
    asking: tuple[tuple[str, str, str], ...]


def requirements(
    machine: "Machine", distributions: Sequence[Distribution], python: str, architecture: str | None
) -> Requirements:
    """Return the requirements of the distributions, compared with what is installed.

    python, architecture  of the environment, for markers: "3.11.7", "x86_64"
    """
    table = load().table("frameworks/requirements") or {}
    related = Names(table.get("related", ()))
    have = {one.package.name: one.package for one in distributions}
    marked = _marker_environment(machine.system, python, architecture)
    read, asked, odd = 0, [], []
    parsed: dict[str, Requirement | None] = {}
    for one in distributions:
        declared = _declared(machine, one.metadata)
        if declared is None:
            continue
        read += 1
        pythons, lines = declared
        asked += list(_applying(one, lines, related, marked, parsed))
        if pythons and one.package.name in related:
            odd += _of_other_python(one, pythons, python)
    needed = [one for one in asked if one.extra is None or _is_implied(one, asked, have, table)]
    needed += _by_extras(needed, asked)
    together = cache(lambda name: _together(name, needed))  # hundreds may ask for the same one
    found = [seen for one in needed if (seen := _unmet(one, together, have, table))]
    return Requirements(
        unmet=tuple(dict.fromkeys([*found, *odd])),
        read=read,
        asking=tuple((one.by.name, one.name, str(one.wants)) for one in asked if one.extra is None),
    )


class Names:
    """Names of distributions, some of which end in "*"."""

    def __init__(self, patterns: Iterable[str]) -> None:
        patterns = tuple(patterns)
        self._exact = frozenset(p for p in patterns if not p.endswith("*"))
        self._begin = tuple(p[:-1] for p in patterns if p.endswith("*"))

    def __contains__(self, name: str) -> bool:
        return name in self._exact or name.startswith(self._begin)


def _declared(machine: "Machine", metadata: str) -> tuple[str, list[str]] | None:
    """Return the required Pythons ("" for any) and the unparsed requirements; None without readable metadata."""
    is_egg = metadata.endswith(".egg-info")
    for path in (f"{metadata}/PKG-INFO", metadata) if is_egg else (f"{metadata}/METADATA",):
        try:
            text = machine.read(path, _HEAD_BYTES)
        except OSError:
            continue
        head = text.replace("\r\n", "\n").partition("\n\n")[0].split("\n")
        found = [line[14:].strip() for line in head if line.startswith("Requires-Dist:")]
        pythons = next((line[16:].strip() for line in head if line.startswith("Requires-Python:")), "")
        return pythons, found or (list(_of_sections(machine, metadata)) if is_egg else [])
    return None


def _of_other_python(one: Distribution, pythons: str, python: str) -> list[Observation]:
    """Return an observation if a distribution is for other Pythons than the one that would import it, else []."""
    from packaging.specifiers import InvalidSpecifier, SpecifierSet
    from packaging.version import InvalidVersion, Version

    try:
        if SpecifierSet(pythons).contains(Version(python), prereleases=True):
            return []
    except (InvalidSpecifier, InvalidVersion):
        return []
    name, version = one.package.name, full_version(one.package)
    return [
        Noted(
            fact="python-unlike-required",
            text=f"{name} {version} requires Python {pythons}, and this is Python {python}",
            values=(("package", name), ("version", version), ("wants", pythons), ("has", python)),
            source=one.metadata,
            grade="measured",
        )
    ]


def _of_sections(machine: "Machine", metadata: str) -> Iterator[str]:
    """Yield the requirements in requires.txt in the format of Requires-Dist."""
    try:
        text = machine.read(f"{metadata}/requires.txt", _HEAD_BYTES)
    except OSError:
        return
    marker = ""
    for line in map(str.strip, text.splitlines()):
        if section := _SECTION.fullmatch(line):
            parts = [f"({section['marker']})"] if section["marker"] else []
            parts += [f'extra == "{section["extra"]}"'] if section["extra"] else []
            marker = " ; " + " and ".join(parts) if parts else ""
        elif line and not line.startswith("#"):
            yield line + marker


def _applying(
    one: Distribution,
    lines: Iterable[str],
    related: Names,
    marked: Mapping[str, str],
    parsed: "dict[str, Requirement | None]",
) -> Iterator[_Asked]:
    is_related = one.package.name in related
    for line in lines:
        named = _NAME.match(line)
        if named is None:
            continue
        name = normalised(named[0])
        if not (is_related or name in related):
            continue
        extra = _EXTRA.search(line)
        if extra is not None and not (is_related and name in related):
            continue
        requirement = _requirement(line, parsed)
        if requirement is None or not _holds(requirement, {**marked, "extra": extra[1] if extra else ""}):
            continue
        extras = frozenset(normalised(asked) for asked in requirement.extras)
        yield _Asked(one.package, name, requirement.specifier, extra[1] if extra else None, extras, one.metadata)


def _requirement(line: str, parsed: "dict[str, Requirement | None]") -> "Requirement | None":
    """Return the requirement; None for an invalid line, which pip ignores too. Cached, since many are repeated."""
    from packaging.requirements import InvalidRequirement, Requirement

    if line not in parsed:
        try:
            parsed[line] = Requirement(line)
        except InvalidRequirement:
            parsed[line] = None
    return parsed[line]


def _holds(requirement: "Requirement", marked: Mapping[str, str]) -> bool:
    from packaging.markers import UndefinedComparison, UndefinedEnvironmentName

    if requirement.marker is None:
        return True
    try:
        return requirement.marker.evaluate(dict(marked))
    except (UndefinedComparison, UndefinedEnvironmentName):
        return False


def _marker_environment(system: str, python: str, architecture: str | None) -> dict[str, str]:
    platform, name = _SYSTEMS.get(system, (system, system.capitalize()))
    return {
        "implementation_name": "cpython",
        "implementation_version": python,
        "os_name": "nt" if system == "windows" else "posix",
        "platform_machine": architecture or "",
        "platform_python_implementation": "CPython",
        "platform_release": "",
        "platform_system": name,
        "platform_version": "",
        "python_full_version": python,
        "python_version": ".".join(python.split(".")[:2]),
        "sys_platform": platform,
    }


def _by_extras(needed: Sequence[_Asked], asked: Sequence[_Asked]) -> list[_Asked]:
    """Return the requirements of extras that others request by name, and those of their extras in turn: torch requires
    cuda-toolkit[cublas].
    """
    found: list[_Asked] = []
    fresh = list(needed)
    while fresh:
        wanted = {(one.name, extra) for one in fresh for extra in one.extras}
        known = {*needed, *found}
        fresh = [a for a in asked if a.extra and (a.by.name, normalised(a.extra)) in wanted and a not in known]
        found += fresh
    return found


def _is_implied(one: _Asked, asked: Sequence[_Asked], have: Mapping[str, "Package"], table: Mapping[str, Any]) -> bool:
    """Return whether somebody requested this extra: something that nothing else requires, and that is the package's own
    part or a wheel of libraries, is installed. Its missing parts count only if most of it is installed.
    """
    libraries = Names(table.get("library_wheels", ()))
    others = {a.name for a in asked if a.extra is None}
    own = [a for a in asked if a.by is one.by and a.extra == one.extra]
    if any(a.name == one.by.name and a.extras for a in asked):
        return False  # the extras are named
    telling = [
        a
        for a in own
        if a.name in have and a.name not in others and (a.name.startswith(f"{a.by.name}-") or a.name in libraries)
    ]
    if one.name in have:
        return any(a.name == one.name for a in telling)
    here = sum(a.name in have for a in own)
    return bool(telling) and one.name in libraries and here * 2 > len(own)


def _unmet(
    one: _Asked, together: Callable[[str], str | None], have: Mapping[str, "Package"], table: Mapping[str, Any]
) -> Observation | None:
    package = have.get(one.name)
    by, by_version = one.by.name, full_version(one.by)
    wants = str(one.wants)
    asks = f"{by} {by_version} requires {one.name}{wants}"
    if package is None:
        rival = next(
            (
                w
                for row in table.get("same_module", ())
                if one.name in row["wheels"]
                for w in row["wheels"]
                if w in have
            ),
            None,
        )
        said = f"{asks}, which is not installed" + (f"; {rival} is" if rival else "")
        return _noted("requirement-missing", said, one, "missing", None, together(one.name), rival)
    has = full_version(package)
    relation = _relation(one.wants, has)
    if relation is None:
        return None
    said = f"{asks}, but {one.name} {has} is installed"
    if {"by": by, "needs": one.name} in table.get("own_checks", ()):
        return Conflict(
            component=one.name,
            has=has,
            wants=wants,
            by=by,
            by_version=by_version,
            relation="other" if relation == "missing" else relation,
            text=said,
            source=one.metadata,
            grade="measured",
        )
    return _noted("requirement-unmet", said, one, relation, has, together(one.name), None)


def _noted(
    fact: str, text: str, one: _Asked, relation: _Relation, has: str | None, fits: str | None, rival: str | None
) -> Noted:
    values = {
        "package": one.name,
        "wants": str(one.wants) or None,
        "has": has,
        "by": one.by.name,
        "by_version": full_version(one.by),
        "extra": one.extra,
        "relation": relation,
        "fits": fits,
        "rival": rival,
    }
    return Noted(
        fact=fact,
        text=text,
        values=tuple((key, value) for key, value in values.items() if value is not None),
        source=one.metadata,
        grade="measured",
    )


def _relation(wants: "SpecifierSet", has: str) -> _Relation | None:
    """Return how a version violates a bound; None if it does not, or if the version cannot be compared."""
    from packaging.version import InvalidVersion, Version

    try:
        version = Version(has)
    except InvalidVersion:
        return None
    if wants.contains(version, prereleases=True):
        return None
    for clause in wants:
        if clause.contains(version, prereleases=True):
            continue
        bound = clause.version.removesuffix(".*")
        try:
            if clause.operator in (">=", ">", "~=", "==") and version < Version(bound):
                return "older"
            if clause.operator in ("<=", "<", "~=", "==") and version > Version(bound):
                return "newer"
        except InvalidVersion:
            continue
    return "other"


def _together(name: str, asked: Iterable[_Asked]) -> str | None:
    """Return the combined bounds on a package, "" if there are none; None if no version can satisfy them all."""
    from packaging.specifiers import SpecifierSet
    from packaging.version import InvalidVersion, Version

    bounds = SpecifierSet(
        ",".join(dict.fromkeys(str(one.wants) for one in asked if one.name == name and str(one.wants)))
    )
    if not str(bounds):
        return ""
    for clause in bounds:
        named = clause.version.removesuffix(".*")
        for candidate in (named, f"{named}.1"):
            try:
                if bounds.contains(Version(candidate), prereleases=True):
                    return ",".join(sorted(str(one) for one in bounds))
            except InvalidVersion:
                continue
    return None
