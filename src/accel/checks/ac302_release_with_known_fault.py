"""A release with a known fault is installed, and nothing shows of it."""

from collections.abc import Iterator
from typing import TYPE_CHECKING

from accel.checks.known_faults import told_faults
from accel.vendors.contract.check import Problem, check

if TYPE_CHECKING:
    from accel.facts.questions import Facts
    from accel.specs import Specs


@check(
    code="AC302",
    name="release-with-known-fault",
    layer="framework",
    severity="info",
    family="known-fault",
    reads=("known-fault-possible",),
    needs=("environment.packages",),
    asks=(),
)
def release_with_known_fault(facts: "Facts", specs: "Specs") -> Iterator[Problem]:
    """A release is installed of which a fault is known that fits this machine; nothing here shows it.

    Why it matters   It may come up later, or have been met already under another name.
    What to do       Update when it suits; nothing needs to be done at once.
    Looks at         the versions that are known here, against specs/*/known_faults.yaml
    Silent when      the version is outside every range, or a condition of the row is not known to hold
    Source           release notes and threads of the makers, named with each row
    """
    yield from told_faults("known-fault-possible", facts, specs)
