"""What is installed in a Python environment, from the names of its metadata folders; files are read only in doubt.

Reads   <sys.path>/<name>-<version>.dist-info and .egg-info; PKG-INFO if its name has no version (setup.py develop);
        METADATA is never read. If one folder has two of the same name: RECORD, and <package>/version.py
        <prefix>/conda-meta/<name>-<version>-<build>.json, for the builds of what conda installed
Source  packaging.python.org, "Recording installed projects"
"""

import re
from collections.abc import Iterator, Sequence
from typing import TYPE_CHECKING, Final

from accel.collect.environment.builds import assigned
from accel.machine.files import file_text, names_in
from accel.model.dataclass import dataclass, replace
from accel.model.environment import Package
from accel.model.observation import Noted
from accel.text.pattern import pattern
from accel.text.versions import normalised, order_of

if TYPE_CHECKING:
    from accel.collect.environment.interpreter import Interpreter
    from accel.machine.protocol import Machine

_METADATA: Final = pattern(r"^(?P<name>.+?)-(?P<version>[^-]+?)(?:-py\d[\d.]*)?\.(?:dist|egg)-info$", exact_case=True)
_UNVERSIONED: Final = pattern(r"^(?P<name>[A-Za-z0-9][\w.-]*)\.egg-info$", exact_case=True)
_VERSION_FILES: Final = ("version.py", "_version.py", "__init__.py")
_CONDA_NAMES: Final = {"torch": "pytorch"}
_HEAD_BYTES: Final = 1 << 16


@dataclass(frozen=True, slots=True, kw_only=True)
class Distribution:
    """An installed package and the path of its metadata: "<site>/torch-2.4.0.dist-info"."""

    package: Package
    metadata: str


@dataclass(frozen=True, slots=True, kw_only=True)
class Installed:
    """What a program would import: the first of each name on sys.path, and within a folder the one whose files exist.

    names  of everything in each folder of sys.path, in its order
    notes  metadata that does not match the files next to it, and copies that another one hides
    """

    distributions: tuple[Distribution, ...]
    names: dict[str, tuple[str, ...]]
    notes: tuple[Noted, ...]

    @property
    def packages(self) -> tuple[Package, ...]:
        return tuple(one.package for one in self.distributions)


def installed(machine: "Machine", interpreter: "Interpreter") -> Installed:
    """Return the distributions that a program of this interpreter finds."""
    found: dict[str, Distribution] = {}
    names: dict[str, tuple[str, ...]] = {}
    notes: list[Noted] = []
    conda = _conda_builds(machine, interpreter.prefix)
    for path in dict.fromkeys(p for p in interpreter.paths if p):
        names[path] = names_in(machine, path)
        together: dict[str, list[Distribution]] = {}
        for one in _in_folder(machine, path, names[path]):
            together.setdefault(one.package.name, []).append(one)
        for name, several in together.items():
            chosen = several[0] if len(several) == 1 else _true_one(machine, path, several)
            others = [one for one in several if full_version(one.package) != full_version(chosen.package)]
            notes += [
                _stale(chosen, one) for one in others
            ]  # the same version twice is fine: a distribution's .egg-info next to it
            if name not in found:
                found[name] = _from_conda(machine, chosen, conda)
                notes += _over_condas(machine, interpreter.prefix, chosen, conda)
            elif hidden := _hidden(machine, interpreter, found[name], chosen):
                notes.append(hidden)
    return Installed(distributions=tuple(found.values()), names=names, notes=tuple(notes))


def _conda_builds(machine: "Machine", prefix: str) -> dict[tuple[str, str], str]:
    """Return the builds of conda's packages: {("jaxlib", "0.4.31"): "cuda120py311h…"}, from conda-meta's file names."""
    builds = {}
    for entry in names_in(machine, f"{prefix}/conda-meta"):
        parts = entry.removesuffix(".json").rsplit("-", 2)
        if entry.endswith(".json") and len(parts) == 3:
            builds[normalised(parts[0]), parts[1]] = parts[2]
    return builds


def _from_conda(machine: "Machine", one: Distribution, builds: dict[tuple[str, str], str]) -> Distribution:
    """Return the distribution with conda's build, if conda installed it: wheel metadata does not include the build."""
    package = one.package
    name = _CONDA_NAMES.get(package.name, package.name)
    build = builds.get((name, package.version or ""))
    if build is None or file_text(machine, f"{one.metadata}/INSTALLER") not in (None, "conda"):
        return one
    return replace(one, package=replace(package, channel="conda", variant=build))


def _over_condas(
    machine: "Machine", prefix: str, one: Distribution, builds: dict[tuple[str, str], str]
) -> Iterator[Noted]:
    """Yield a note if pip installed a release over a different one in conda's list: both own the files."""
    package = one.package
    name = _CONDA_NAMES.get(package.name, package.name)
    others = [version for known, version in builds if known == name]
    if not others or package.version in others or not (package.location or "").startswith(f"{prefix}/"):
        return
    if file_text(machine, f"{one.metadata}/INSTALLER") == "conda":
        return
    yield Noted(
        fact="package-over-condas",
        text=f"{one.metadata} was installed over conda's {name} {others[0]}",
        values=(("package", package.name), ("version", full_version(package)), ("hidden", others[0]), ("conda", name)),
        source="environment",
        grade="measured",
    )


def _in_folder(machine: "Machine", path: str, names: Sequence[str]) -> Iterator[Distribution]:
    for entry in names:
        if not entry.endswith("-info") or entry.startswith("~"):
            continue
        match = _METADATA.match(entry)
        if match:
            yield _distribution(match["name"], match["version"], path, entry)
        elif (alone := _UNVERSIONED.match(entry)) and (version := _declared_version(machine, f"{path}/{entry}")):
            yield _distribution(alone["name"], version, path, entry)


def _distribution(name: str, version: str, path: str, entry: str) -> Distribution:
    public, _, variant = version.partition("+")
    package = Package(name=normalised(name), version=public, variant=variant or None, channel="pip", location=path)
    return Distribution(package=package, metadata=f"{path}/{entry}")


def _declared_version(machine: "Machine", metadata: str) -> str | None:
    try:
        text = machine.read(f"{metadata}/PKG-INFO", _HEAD_BYTES)
    except OSError:
        return None
    found = re.search(r"^Version: *(\S+)", text, re.MULTILINE)
    return found[1] if found else None


def _true_one(machine: "Machine", path: str, several: Sequence[Distribution]) -> Distribution:
    """Return the distribution that the files belong to: the one with the version that the package states, else one with
    a RECORD, else the newest.
    """
    stated = stated_version(machine, path, several[0].package.name)
    return max(
        several,
        key=lambda one: (
            stated is not None and full_version(one.package) == stated,
            stated is not None and one.package.version == stated.partition("+")[0],
            machine.exists(f"{one.metadata}/RECORD"),
            order_of(one.package.version or "") or (),
        ),
    )


def stated_version(machine: "Machine", path: str, name: str) -> str | None:
    """Return the version in the installed files themselves: torch/version.py has __version__ = '2.4.0+cu121'."""
    for file in _VERSION_FILES:
        try:
            text = machine.read(f"{path}/{name.replace('-', '_')}/{file}", _HEAD_BYTES)
        except OSError:
            continue
        for variable in ("__version__", "version"):
            _, value = assigned(text, variable)
            if value and value[0].isdecimal():
                return value
    return None


def _stale(chosen: Distribution, other: Distribution) -> Noted:
    name, here, there = chosen.package.name, full_version(chosen.package), full_version(other.package)
    return Noted(
        fact="package-metadata-stale",
        text=f"{other.metadata} next to {chosen.metadata.rpartition('/')[2]}: the files belong to {name} {here}",
        values=(("package", name), ("version", here), ("stale", there), ("path", other.metadata)),
        source="environment",
        grade="measured",
    )


def _hidden(machine: "Machine", interpreter: "Interpreter", first: Distribution, other: Distribution) -> Noted | None:
    """Return a note if a copy outside an environment, of another version, comes before the environment's own.

    An environment's own copy before the system's is normal.
    """
    prefix = interpreter.prefix.rstrip("/")
    own = any(machine.exists(f"{prefix}/{sign}") for sign in ("pyvenv.cfg", "conda-meta"))
    outside, inside = first.package, other.package
    if not own or not prefix or full_version(outside) == full_version(inside):
        return None
    if (outside.location or "").startswith(f"{prefix}/") or not (inside.location or "").startswith(f"{prefix}/"):
        return None
    return Noted(
        fact="package-copy-hidden",
        text=f"{outside.name} {full_version(outside)} in {outside.location} comes before {full_version(inside)} in "
        f"{inside.location}",
        values=(
            ("package", outside.name),
            ("version", full_version(outside)),
            ("path", outside.location or ""),
            ("hidden", full_version(inside)),
            ("hidden_path", inside.location or ""),
        ),
        source="environment",
        grade="measured",
    )


def full_version(package: Package) -> str:
    """Return a version with its local part: "2.4.0+cu121"; without conda's build."""
    if package.channel == "conda":
        return package.version or ""
    return f"{package.version or ''}{'+' + package.variant if package.variant else ''}"
