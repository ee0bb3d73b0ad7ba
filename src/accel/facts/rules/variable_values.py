"""An environment variable whose value contradicts the rest of the text: a folder that is not there, another copy.

CUDA_HOME=/usr/local/cuda-12.1     No such file or directory: '/usr/local/cuda-12.1/bin/nvcc'     cuda-12.4 is listed
TPU_LIBRARY_PATH=/old/libtpu.so    /old/libtpu.so: cannot open shared object file
LD_LIBRARY_PATH=/opt/cudnn-8.9.2/lib     cuDNN 8.9.2 is loaded, 9.1.0 is wanted     nvidia-cudnn-cu12 9.1.0.70 is listed
"""

import re
from collections.abc import Iterator, Sequence
from typing import TYPE_CHECKING, Final

from accel.model.dataclass import replace
from accel.model.observation import Command, Conflict, Fact, Missing
from accel.specs.versions import numbers
from accel.text.pattern import pattern
from accel.vendors.contract.rule import Seen, fact_from, rule

if TYPE_CHECKING:
    from accel.specs import Specs

_PLACES: Final = "system/places"
_PATH: Final = pattern(r"(?<![\w:.])/[\w.+/-]{2,300}", exact_case=True)
_LIST: Final = frozenset(("ls", "find", "which", "whereis", "locate", "dir", "ll"))
_TOO_SHORT: Final = 2  # folders in a path of which any file could be a part: /usr/lib
_VERSION: Final = r"[-_/]?v?(?P<version>\d{1,3}(?:\.\d{1,4}){0,3})(?![\d.]*\w*\.so)"
_STEM: Final = pattern(r"[\d.]{1,20}$")


@rule(
    gives={"variable-path-absent": "an environment variable names a file or folder that the text says is not there"},
    triggers=("missing.library", "missing.file", "missing.command", "missing.node"),
)
def variable_path_absent(seen: Seen, specs: "Specs") -> Iterator[Fact]:
    """Holds if a program looks for a file below the path in a variable and does not find it.

    In a list of folders, such as LD_LIBRARY_PATH, only the folder itself counts: a library may be in another one.
    """
    table = specs.table(_PLACES) or {}
    listed, owned = frozenset(table.get("lists", ())), frozenset(table.get("state", ()))
    shown = tuple(_listed(seen))
    for one in seen.of(Missing):
        sought = {path.rstrip("/.:") for path in (*_PATH.findall(one.name), *_PATH.findall(one.text))}
        for name, value in _variables(seen):
            for part in value.split(":"):
                path = part.rstrip("/")
                gone = next((p for p in sought if p == path or (name not in listed and p.startswith(f"{path}/"))), None)
                if gone is None or name in owned or path.count("/") < _TOO_SHORT or path in shown:
                    continue
                below = gone if gone != path else None
                other = _like(path, shown)
                values = {"variable": name, "path": path, "file": below, "other": other}
                parts = [other if each == part and other else each for each in value.split(":")]
                setting = f"{name}={':'.join(parts)}" if other else None
                yield fact_from("variable-path-absent", one, **values, setting=setting)
                return


@rule(
    gives={"copy-in-the-way": "a variable leads the loader to another copy of a library than the one that fits"},
    triggers=("conflict", "nccl-loaded"),
)
def copy_in_the_way(seen: Seen, specs: "Specs") -> Iterator[Fact]:
    """Holds if a variable's folder has the unwanted version in its name, or the installed wheel is the wanted one.

    Nothing follows from a wheel that was installed after the message.
    """
    told = [(fact_from("copy-in-the-way", one), one.component, one.has, one.wants) for one in seen.of(Conflict)]
    loaded = [(f, f"2.{f.value('minor')}") for f in seen.facts("nccl-loaded") if f.value("major") == "2"]
    told += [(f, "nccl", has, next((o for _, o in reversed(loaded) if o != has), None)) for f, has in loaded]
    for one, component, has, wants in told:
        if not has or not numbers(has) or specs.components.of_library(f"lib{component}.so") != component:
            continue
        package, version = _wheel(seen, component, specs, after=one.line)
        wants = wants or version
        fits = bool(version and wants and _is_enough(version, wants))
        found = next(_folders(seen, component, has, specs), None)
        if found is None and not (fits and version and not _is_one(version, has)):
            continue
        if not (fits or wants):
            continue
        variable, folder, rest = found or (None, None, None)
        values = {
            "title": specs.components.title(component),
            "has": has.partition("+")[0],
            "wants": wants,
            "variable": variable,
            "folder": folder,
            "setting": f"{variable}={rest}" if rest else None,
            "alone": "yes" if variable and not rest else None,
            "wheel": f"{package} {version}" if fits else None,
        }
        given = tuple((name, value) for name, value in values.items() if value is not None)
        yield replace(one, name="copy-in-the-way", values=given)
        return


def _variables(seen: Seen) -> Iterator[tuple[str, str]]:
    for environment in seen.snapshot.environments:
        yield from environment.variables or ()


def _listed(seen: Seen) -> Iterator[str]:
    """Yield the paths that a listing in the text shows."""
    for one in seen.of(Command):
        if one.tool in _LIST and "No such file" not in (one.answer or ""):
            yield from (path.rstrip("/.:") for path in _PATH.findall(one.answer or ""))
    yield from (path for fact in seen.facts("toolkit-shown") if (path := fact.value("path")))
    for fact in seen.facts("library-shown"):
        yield from (fact.value("folder") or "", f"{fact.value('folder')}/{fact.value('name')}")


def _like(path: str, shown: Sequence[str]) -> str | None:
    """Return the listed path that differs from a path only in its version; the newest of several."""
    stem = _STEM.sub("", path)
    other = [one for one in shown if one != path and _STEM.sub("", one) == stem and one != stem.rstrip("-_")]
    return max(other, key=lambda one: numbers(one.removeprefix(stem)), default=None)


def _folders(seen: Seen, component: str, has: str, specs: "Specs") -> Iterator[tuple[str, str, str]]:
    """Yield (variable, folder, the other folders) where a folder of a list names a component and its version."""
    table = specs.table(_PLACES) or {}
    form = pattern(rf"/[\w.+-]{{0,40}}?{re.escape(component)}{_VERSION}")
    for name, value in _variables(seen):
        if name not in table.get("lists", ()):
            continue
        parts = [part for part in value.split(":") if part]
        for part in parts:
            found = form.search(part)
            if found is not None and "." in found["version"] and _is_one(found["version"], has):
                yield name, part, ":".join(one for one in parts if one != part)


def _wheel(seen: Seen, component: str, specs: "Specs", after: int | None) -> tuple[str | None, str | None]:
    """Return the only listed package of a component with its version, unless it was installed after a line."""
    found = {
        (package.name, package.version)
        for environment in seen.snapshot.environments
        for package in environment.packages or ()
        if package.version and specs.components.of_package(package.name) == component
    }
    if len(found) != 1:
        return None, None
    name, version = found.pop()
    later = (c for c in seen.of(Command) if c.verb == "install" and (c.line or 0) > (after or 0))
    return (None, None) if any(name in " ".join(c.operands) for c in later) else (name, version)


def _is_one(one: str, other: str) -> bool:
    """Return whether two versions agree as far as both are given."""
    first, second = (numbers(version.partition("+")[0]) for version in (one, other))
    shared = min(len(first), len(second))
    return shared > 0 and first[:shared] == second[:shared]


def _is_enough(version: str, wants: str) -> bool:
    return numbers(version)[:1] == numbers(wants)[:1] and numbers(version) >= numbers(wants)
