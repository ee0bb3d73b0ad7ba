from collections.abc import Iterator

from accel.checks.ac043_package_files_damaged import installed_again
from accel.facts.questions import Facts
from accel.specs import Specs
from accel.vendors.contract.check import Problem, check, quoted


@check(
    code="AC324",
    name="package-files-of-another-release",
    layer="framework",
    severity="warning",
    reads=("package-files-of-another-release",),
    needs=("environment.packages",),
    asks=(),
)
def package_files_of_another_release(facts: Facts, specs: Specs) -> Iterator[Problem]:
    """A package's own files state another version or build than its metadata.

    Why it matters   Installers use the metadata, programs import the files: add-ons for one meet the other, with
                     undefined symbols, and an upgrade changes nothing.
    What to do       Remove the package and install the wanted release.
    Looks at         version.py of torch, its companions, NumPy and jaxlib, and __init__.py of transformers, against
                     the name of the metadata folder
    Silent when      only one of them names a build; the builds are commits of a source tree
    Source           packaging.python.org: recording installed projects, version specifiers
    """
    for fact in facts.stated("package-files-of-another-release"):
        package, version = fact.value("package") or "?", fact.value("version") or ""
        yield Problem(
            title=f"The files of {package} come from {fact.value('states')}, but its metadata from {version}",
            evidence=quoted([fact]),
            remedies=(installed_again(facts, specs, package, version),),
        )
