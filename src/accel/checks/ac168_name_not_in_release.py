"""A module that is installed in a release without a name that another package asks of it."""

from collections.abc import Iterator
from typing import TYPE_CHECKING

from accel.vendors.contract.check import Problem, Remedy, check, quoted
from accel.vendors.contract.command import command_line, package_word

if TYPE_CHECKING:
    from accel.facts.questions import Facts
    from accel.model.observation import Fact
    from accel.specs import Specs


@check(
    code="AC168",
    name="name-not-in-release",
    layer="framework",
    reads=("name-not-found",),
    needs=("run.program",),
    requires=("python-newer-than-package", "protobuf-mismatch", "accelerator-unused"),
    last_resort=True,
)
def name_not_in_release(facts: "Facts", specs: "Specs") -> Iterator[Problem]:
    """A package asks another one for a name that the installed release of that one does not have.

    Why it matters   The import fails, although both are installed. Driver and device are not concerned.
    What to do       Move one of the two: the package that asks, or the one that is asked, to the release that it names.
    Looks at         "cannot import name … from …", "module … has no attribute …"
    Silent when      the name is asked of an object of the program; another check knows the pair, or found another fault
    Source           Python: importlib; AttributeError of modules
    """
    told = [fact for fact in facts.stated("name-not-found") if _is_of_module(fact)]
    if not told:
        return
    first = told[0]
    name, module = first.value("name") or "a name", (first.value("inside") or "").strip("'\"")
    package = module.split(".")[0]
    if not package:
        yield _of_unnamed(name, told)
        return
    known = facts.package(package.replace("_", "-"))
    version = f" {known.version}" if known is not None and known.version else ""
    yield Problem(
        title=f"{package}{version} has no {name}: another release of it is meant by the package that asks",
        evidence=quoted(told),
        remedies=(
            Remedy(
                text="See the releases, and which one the package that asks wants: its last frame in the traceback "
                "tells which that is.",
                command=command_line("python -m pip show", package_word(package)),
                kind="look",
            ),
            Remedy(
                text=f"Move the one that is behind: {package} where the name is new, the package that asks where it "
                "was removed.",
                command="python -m pip check",
            ),
            Remedy(
                text=f"If {package} is a file of your own in the folder of the program: rename it.",
                action="app",
            ),
        ),
    )


def _is_of_module(fact: "Fact") -> bool:
    """Whether the name is missing of a module, and the line is an exception's."""
    text = fact.text
    asked = "cannot import name" in text or "module '" in text
    return asked and ("Error" in text or (fact.value("inside") is not None and "cannot import name" in text))


def _of_unnamed(name: str, told: "list[Fact]") -> Problem:
    """Return the problem of a line that does not say which module lacks the name, as older Pythons print it."""
    return Problem(
        title=f"A module has no {name}, which another one asks of it: they are of unlike releases",
        evidence=quoted(told),
        remedies=(
            Remedy(
                text="The last frame of the traceback imports it: reinstall that package, once all packages "
                "that install the same module are removed (onnxruntime and onnxruntime-gpu are two such).",
                command="python -m pip check",
            ),
        ),
    )
