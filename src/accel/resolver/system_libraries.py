"""The operating system's packages that contain a shared library: specs/system/libraries.yaml. Pure."""

from collections.abc import Iterator, Mapping
from fnmatch import fnmatchcase
from typing import Any, Final

from accel.facts.questions import Facts
from accel.resolver.installer import in_conda, pip_install
from accel.specs import Specs
from accel.specs.versions import numbers
from accel.text.pattern import pattern
from accel.vendors.contract.check import Remedy
from accel.vendors.contract.command import chained, command_line, package_word, system_package_word

_NO_ROOT: Final = "no-root-said"
_RELEASE: Final = pattern(r"\d{1,2}(?:\.\d{1,2})?")


def holders_of(name: str, facts: Facts, specs: Specs) -> Iterator[Remedy]:
    """Yield how to install a system library, and alternatives that do not need it; nothing if no row has it."""
    table: Mapping[str, Any] = specs.table("system/libraries") or {}
    for row in table.get("libraries", ()):
        first = _first_star(row["file"], name)
        if first is None:
            continue
        package = row["apt"].replace("{1}", first)
        gone = _is_gone(row.get("until", {}), facts)
        of_system = Remedy(
            text=f"This release of the system has no package with it: {package} ended before it. Use a build of the "
            "program for this release, or an image of an older one."
            if gone
            else f"Install the package that contains it ({package} on Debian and Ubuntu).",
            command=None if gone else command_line("sudo apt install", system_package_word(package)),
            action="admin",
        )
        of_conda = [_of_conda(row["conda"])] if "conda" in row and in_conda(facts) else []
        yield from (*of_conda, of_system) if gone or facts.stated(_NO_ROOT) else (of_system, *of_conda)
        for other in table.get("instead", ()):
            if other["of"] == row.get("of"):
                yield Remedy(text=other["text"], command=pip_install(facts, package_word(other["install"])))
        return


def _of_conda(package: str) -> Remedy:
    return Remedy(
        text="Install it in the conda environment, which needs no root, and show the loader its folder.",
        command=chained(
            command_line("conda install -c conda-forge", package_word(package)),
            "export LD_LIBRARY_PATH=$CONDA_PREFIX/lib:$LD_LIBRARY_PATH",
        ),
    )


def _is_gone(until: Mapping[str, str], facts: Facts) -> bool:
    """Return whether the system's release is known, and newer than the last one with the package."""
    system = (facts.host.distribution or "").lower()
    last = next((release for name, release in until.items() if system.startswith(name)), None)
    found = _RELEASE.search(system)
    return last is not None and found is not None and numbers(found[0]) > numbers(last)


def _first_star(form: str, name: str) -> str | None:
    """Return what the first "*" of a pattern matches, "" if it has none; None if the name does not match.

    >>> _first_star("libpython3.*.so*", "libpython3.11.so.1.0"), _first_star("libGL.so*", "libEGL.so.1")
    ('11', None)
    """
    if not fnmatchcase(name, form):
        return None
    before, _, rest = form.partition("*")
    return name[len(before) :].partition(rest.partition("*")[0])[0] if rest else ""
