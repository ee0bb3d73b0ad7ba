"""A release of a library, a framework or a toolkit with a known fault, which shows."""

from collections.abc import Iterator
from typing import TYPE_CHECKING

from accel.checks.known_faults import told_faults
from accel.vendors.contract.check import Problem, check

if TYPE_CHECKING:
    from accel.facts.questions import Facts
    from accel.specs import Specs


@check(
    code="AC301",
    name="known-library-fault",
    layer="framework",
    severity="warning",
    family="known-fault",
    reads=("known-library-fault",),
    needs=("run.program",),
)
def known_library_fault(facts: "Facts", specs: "Specs") -> Iterator[Problem]:
    """A fault of this release of a library, a framework or a toolkit is known, and what it shows itself by is there.

    Why it matters   The program that meets it is right: it runs with another release, or with a setting around it.
    What to do       Update to a release without the fault; until then, go around it as its notes say.
    Looks at         the versions that are known here, and the errors, against specs/*/known_faults.yaml
    Silent when      the version is outside every range, a condition of the row is not known to hold, or nothing shows
    Source           release notes and threads of the makers, named with each row
    """
    yield from told_faults("known-library-fault", facts, specs)
