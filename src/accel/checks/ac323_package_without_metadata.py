from collections.abc import Iterator

from accel.checks.ac043_package_files_damaged import FRAMEWORKS
from accel.facts.questions import Facts
from accel.model.dataclass import replace
from accel.resolver.installer import pip_install
from accel.specs import Specs
from accel.vendors.contract.check import Problem, Remedy, check, quoted
from accel.vendors.contract.command import bounded_word, chained, command_line, removed_word


@check(
    code="AC323",
    name="package-without-metadata",
    layer="framework",
    severity="warning",
    reads=("package-without-metadata",),
    needs=("environment.packages",),
    asks=(),
)
def package_without_metadata(facts: Facts, specs: Specs) -> Iterator[Problem]:
    """The folder of a framework is in site-packages, but no installed distribution claims it.

    Why it matters   pip considers it not installed, and writes another release over it. A folder without __init__.py,
                     which is left behind if it contained your own files, is imported as an empty module: "module
                     'torch' has no attribute".
    What to do       Remove the folder; reinstall the framework if it is wanted.
    Looks at         the folders of frameworks in site-packages; the metadata folders; RECORDs of other packages that
                     may provide them
    Silent when      the folder is elsewhere on sys.path (a source tree); an incomplete installation is known
    Source           packaging.python.org: recording installed projects; CPython: namespace packages
    """
    for fact in facts.stated("package-without-metadata"):
        package, version = fact.value("package") or "?", fact.value("version") or ""
        remove = command_line("rm -r", removed_word(fact.value("path")))
        if fact.value("whole"):
            yield Problem(
                title=f"{package} {version}".rstrip() + " is in site-packages without metadata: pip does not see it",
                evidence=quoted([fact]),
                remedies=(_installed_alone(facts, specs, package, version, remove),),
            )
        else:
            yield Problem(
                title=f"{fact.value('path')} is a leftover of {package}: it is imported as an empty module",
                evidence=quoted([fact]),
                remedies=(Remedy(text="Remove the folder.", command=remove),),
            )


def _installed_alone(facts: Facts, specs: Specs, package: str, version: str, remove: str | None) -> Remedy:
    """Return the step that removes the folder, which an installer would write over, and installs its release."""
    text = "Remove the folder, because pip would write over it, and reinstall the release"
    public, _, build = version.partition("+")
    if package in FRAMEWORKS:
        from accel.resolver.remedies import install

        one = install(facts, specs, package, text=text, version=public or None, build=build or None, again=True)
        return replace(one, command=chained(remove, one.command) if remove and one.command else None)
    again = pip_install(facts, bounded_word(package, f"=={public}" if public else ""))
    return Remedy(text=f"{text}.", command=chained(remove, again) if remove and again else None)
