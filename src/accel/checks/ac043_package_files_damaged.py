from collections.abc import Iterator, Sequence, Set
from typing import Final

from accel.facts.questions import Facts
from accel.model.observation import Fact
from accel.resolver.installer import pip_of
from accel.specs import Specs
from accel.vendors.contract.check import Problem, Remedy, check, quoted
from accel.vendors.contract.command import command_line, removed_word, requirement_word

_KINDS: Final = ("package-file-missing", "package-file-cut", "package-file-foreign", "package-file-replaced")
FRAMEWORKS: Final = ("torch", "jax", "tensorflow")  # their builds depend on the device
_MOST_LINES: Final = 6


@check(
    code="AC043",
    name="package-files-damaged",
    layer="framework",
    reads=(*_KINDS, "installation-left-over", "framework-library-missing"),
    needs=("environment.packages",),
    asks=(),
    explained_by=("package-installed-twice",),
)
def package_files_damaged(facts: Facts, specs: Specs) -> Iterator[Problem]:
    """An installed package lost files, has a truncated or replaced library, or has modules for another platform.

    Why it matters   The import fails, with "cannot open shared object file", "file too short" or "no module named".
    What to do       Reinstall the same release over it.
    Looks at         the libraries and the own module that RECORD names; the headers of libraries that are smaller than
                     recorded; the Python and the machine that modules, the wheel's tags and the headers of libraries
                     name; libraries that contain zeros, or a text of another size; folders like ~orch that pip leaves
    Silent when      a library is smaller but complete: it was stripped; conda installed the package, whose files it
                     splits
    Source           packaging.python.org: recording installed projects; PEP 3149; System V ABI
    """
    libraries = (specs.table("frameworks/requirements") or {}).get("library_wheels", ())
    missed = {fact.value("name") for fact in facts.stated("framework-library-missing")}
    packages: dict[str, list[Fact]] = {}
    for fact in facts.stated(*_KINDS):
        packages.setdefault(fact.value("package") or "?", []).append(fact)
    for package, told in packages.items():
        version = told[0].value("version") or ""
        yield Problem(
            title=f"{package} {version} is damaged: {_what(told)}",
            evidence=quoted(told, _MOST_LINES),
            remedies=(installed_again(facts, specs, package, version),),
            severity="warning" if _is_spare(package, told, libraries, missed) else None,
        )
    for fact in facts.stated("installation-left-over"):
        package = fact.value("package") or "?"
        installed = fact.value("installed") is not None
        remove = Remedy(
            text="Remove the leftover folder: nothing uses it.",
            command=command_line("rm -r", removed_word(fact.value("path"))),
        )
        yield Problem(
            title=f"An installation of {package} was interrupted, and left a folder"
            if installed
            else f"An installation of {package} was interrupted: it is not installed",
            evidence=quoted([fact]),
            remedies=(remove,) if installed else (installed_again(facts, specs, package, ""), remove),
            severity="info" if installed else None,
        )


def _is_spare(package: str, told: list[Fact], libraries: "Sequence[str]", missed: "Set[str | None]") -> bool:
    """Return whether only libraries are missing that no import loads first, as in slimmed images."""
    if not any(package.startswith(pattern.rstrip("*")) for pattern in libraries):
        return False
    gone = [(fact.value("path") or "").rpartition("/")[2] for fact in told if fact.name == "package-file-missing"]
    return len(gone) == len(told) and missed.isdisjoint(gone)


def _what(told: list[Fact]) -> str:
    first = told[0]
    name = (first.value("path") or "").rpartition("/site-packages/")[2] or first.value("path")
    more = f", and {len(told) - 1} more" if len(told) > 1 else ""
    if first.name == "package-file-foreign":
        return f"its modules were built for {first.value('other')}"
    if first.name == "package-file-replaced":
        return f"{name} {first.value('state')}"
    return f"{name} {'is missing' if first.name == 'package-file-missing' else 'is truncated'}{more}"


def installed_again(facts: Facts, specs: Specs, package: str, version: str) -> Remedy:
    """Return the step that reinstalls a release over itself; for a framework, in its build for this machine."""
    text = "Reinstall the same release"
    if package in FRAMEWORKS:
        from accel.resolver.remedies import install

        return install(facts, specs, package, text=text, again=True, remove=(package,))
    public = version.partition("+")[0] or None
    words = "pip install --force-reinstall --no-deps"
    if pip_of(facts).words == "uv pip":
        words = "uv pip install --reinstall --no-deps"
    return Remedy(text=f"{text}.", command=command_line(words, requirement_word(package, public)))
