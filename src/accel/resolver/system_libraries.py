"""The operating system's packages that contain a shared library: specs/system/libraries.yaml. Pure."""

from collections.abc import Iterator, Mapping
from fnmatch import fnmatchcase
from typing import TYPE_CHECKING, Any

from accel.resolver.installer import pip_install
from accel.vendors.contract.check import Remedy
from accel.vendors.contract.command import command_line, package_word, system_package_word

if TYPE_CHECKING:
    from accel.facts.questions import Facts
    from accel.specs import Specs


def holders_of(name: str, facts: "Facts", specs: "Specs") -> Iterator[Remedy]:
    """Yield how to install a system library, and alternatives that do not need it; nothing if no row has it."""
    table: Mapping[str, Any] = specs.table("system/libraries") or {}
    for row in table.get("libraries", ()):
        first = _first_star(row["file"], name)
        if first is None:
            continue
        package = row["apt"].replace("{1}", first)
        yield Remedy(
            text=f"Install the package that contains it ({package} on Debian and Ubuntu).",
            command=command_line("sudo apt install", system_package_word(package)),
            action="admin",
        )
        for other in table.get("instead", ()):
            if other["of"] == row.get("of"):
                yield Remedy(text=other["text"], command=pip_install(facts, package_word(other["install"])))
        return


def _first_star(form: str, name: str) -> str | None:
    """Return what the first "*" of a pattern matches, "" if it has none; None if the name does not match.

    >>> _first_star("libpython3.*.so*", "libpython3.11.so.1.0"), _first_star("libGL.so*", "libEGL.so.1")
    ('11', None)
    """
    if not fnmatchcase(name, form):
        return None
    before, _, rest = form.partition("*")
    return name[len(before) :].partition(rest.partition("*")[0])[0] if rest else ""
