from collections.abc import Iterator

from accel.checks.ac043_package_files_damaged import installed_again
from accel.facts.questions import Facts
from accel.model.observation import Fact
from accel.specs import Specs
from accel.vendors.contract.check import Problem, check, quoted


@check(
    code="AC322",
    name="package-metadata-damaged",
    layer="framework",
    severity="warning",
    reads=("package-metadata-damaged",),
    needs=("environment.packages",),
    asks=(),
)
def package_metadata_damaged(facts: Facts, specs: Specs) -> Iterator[Problem]:
    """METADATA or RECORD of an installed package is missing, empty or truncated.

    Why it matters   The import may work. Without METADATA installers consider all of its requirements met, and programs
                     that ask for its version fail; without a complete RECORD it cannot be removed or upgraded, and lost
                     files go unnoticed.
    What to do       Reinstall the same release over it.
    Looks at         the metadata folders of packages that concern accelerators: fields of METADATA, complete lines of
                     RECORD and the line for RECORD itself, which pip and uv always write
    Silent when      conda or the distribution installed the package: these need no RECORD
    Source           packaging.python.org: recording installed projects, core metadata
    """
    packages: dict[str, list[Fact]] = {}
    for fact in facts.stated("package-metadata-damaged"):
        packages.setdefault(fact.value("package") or "?", []).append(fact)
    for package, told in packages.items():
        version = told[0].value("version") or ""
        states = " and ".join(f"its {fact.value('file')} {fact.value('state')}" for fact in told)
        yield Problem(
            title=f"The metadata of {package} {version} is damaged: {states}",
            evidence=quoted(told),
            remedies=(installed_again(facts, specs, package, version),),
        )
