from collections.abc import Iterator
from typing import Any

from accel.facts.questions import Facts
from accel.model.observation import Fact
from accel.resolver.installer import pip_install
from accel.specs import Specs
from accel.vendors.contract.check import Problem, Remedy, check, quoted
from accel.vendors.contract.command import bounded_word, command_line, package_word, requirement_word


@check(
    code="AC168",
    name="name-not-in-release",
    layer="framework",
    reads=("name-not-found",),
    needs=("run.program",),
    requires=("python-newer-than-package", "protobuf-mismatch", "accelerator-unused"),
    last_resort=True,
)
def name_not_in_release(facts: Facts, specs: Specs) -> Iterator[Problem]:
    """A package uses a name from another one whose installed release does not have it.

    Why it matters   The import fails, although both are installed. The driver and the device are not involved.
    What to do       Change one of the two, the package that uses the name or the one that lacks it, to the named
                     release.
    Looks at         "cannot import name … from …", "module … has no attribute …"; the releases in which a
                     name was added or removed, from specs/frameworks/modules.yaml
    Silent when      the name is looked up on an object of the program; another check knows the pair, or found another
                     fault
    Source           Python: importlib; AttributeError of modules
    """
    told = [fact for fact in facts.stated("name-not-found") if _is_of_module(fact)]
    if not told:
        return
    first = told[0]
    name, module = first.value("name") or "a name", (first.value("inside") or "").strip("'\"")
    package = module.split(".")[0]
    if (moved := _moved(facts, specs, package, name)) is not None:
        yield Problem(title=moved[0], evidence=quoted(told), remedies=(moved[1],))
        return
    if not package:
        yield _of_unnamed(name, told)
        return
    known = facts.package(package.replace("_", "-"))
    version = f" {known.version}" if known is not None and known.version else ""
    yield Problem(
        title=f"{package}{version} has no {name}: the package that imports it needs a different release",
        evidence=quoted(told),
        remedies=(
            Remedy(
                text="Check the releases, and which one the importing package requires: the last frame of its "
                "traceback names that package.",
                command=command_line("python -m pip show", package_word(package)),
                kind="look",
            ),
            Remedy(
                text=f"Update the one that is behind: {package} if the name is new, the importing package if it "
                "was removed.",
                command="python -m pip check",
            ),
            Remedy(text=f"If {package} is your own file in the program's folder: rename it.", action="app"),
        ),
    )


def _moved(facts: Facts, specs: Specs, module: str, name: str) -> tuple[str, Remedy] | None:
    """Return the title and the fix if it is known which release of a package added or removed a name.

    module  empty if the line names none, as in older Pythons
    """
    rows: list[dict[str, Any]] = (specs.table("frameworks/modules") or {}).get("names", [])
    row = next((r for r in rows if name in r["names"] and module in ("", r["module"])), None)
    if row is None:
        return None
    package, went = row["package"], "below" in row
    if "extra" in row:
        known = facts.package(package)
        word = requirement_word(package, known.version if known is not None else None, row["extra"])
        return f"{package} is installed without its part for {name}", Remedy(
            text=f"Install the part of the same release. It is compiled against the {name} that is installed, so it "
            "is built without isolation.",
            command=command_line("pip install --no-build-isolation", word or package_word(package, row["extra"])),
            action="env",
        )
    bound = f"<{row['below']}" if went else f">={row['since']}"
    how = f"was removed in {package} {row['below']}" if went else f"was added in {package} {row['since']}"
    other = "or update the package that uses it, if a newer release does not need it." if went else "or newer."
    return f"{package} is too {'new' if went else 'old'}: {name} {how}", Remedy(
        text=f"Install {package} {'below ' if went else ''}{row['below'] if went else row['since']}, {other}",
        command=pip_install(facts, bounded_word(package, bound)),
        action="env",
    )


def _is_of_module(fact: Fact) -> bool:
    """Return whether a module lacks the name, and the line is an exception."""
    text = fact.text
    asked = "cannot import name" in text or "module '" in text
    return asked and ("Error" in text or (fact.value("inside") is not None and "cannot import name" in text))


def _of_unnamed(name: str, told: list[Fact]) -> Problem:
    """Return the problem for a line that does not say which module lacks the name, as in older Pythons."""
    return Problem(
        title=f"A module lacks {name}, which another one imports: their releases do not match",
        evidence=quoted(told),
        remedies=(
            Remedy(
                text="The last frame of the traceback imports it: reinstall that package, after removing all "
                "packages that install the same module (such as onnxruntime and onnxruntime-gpu).",
                command="python -m pip check",
            ),
        ),
    )
