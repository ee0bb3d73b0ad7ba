from collections.abc import Iterator

from accel.facts.questions import Facts
from accel.remedies.going_back import FACT, known_of, remedy_of, ways_back
from accel.specs import Specs
from accel.vendors.contract.check import Problem, check, quoted


@check(
    code="AC461", name="other-version-works", layer="driver", reads=(FACT,), needs=("run.program",), last_resort=True
)
def other_version_works(facts: Facts, specs: Specs) -> Iterator[Problem]:
    """The same program works with one version of a product and fails with another.

    Why it matters   Someone who tried both has found the faulty part; nothing else on the machine was changed.
    What to do       Use the version that works, prevent it from being updated, and report the other to its maker.
    Looks at         sentences that say which versions of the kernel, the driver or a package work and which fail
    Silent when      another check found the cause; the version that works is the one that runs here
    Source           what the writer tried
    """
    for way in ways_back(facts, specs):
        remedy = remedy_of(way, facts)
        fault, mends = known_of(way, facts)
        fails = f", but fails with {way.name(way.fails)}" if way.fails else ""
        yield Problem(
            title=f"It works with {way.name(way.works)}{fails}",
            detail=fault,
            evidence=quoted(way.evidence),
            remedies=(*mends, *((remedy,) if remedy is not None else ())),
        )
