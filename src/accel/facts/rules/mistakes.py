"""Mistakes in a report's program that explain one of its errors; specs/frameworks/program_mistakes.yaml."""

from collections.abc import Iterator

from accel.model.dataclass import replace
from accel.model.observation import ErrorSeen, Fact
from accel.specs import Specs
from accel.vendors.contract.rule import Seen, rule


@rule(
    gives={"mistake-explains-error": "a mistake in the program explains an error of the report; cause, and its values"},
    triggers=("mistake-in-program",),
)
def mistakes(seen: Seen, specs: Specs) -> Iterator[Fact]:
    """Holds for each mistake beside one of the errors that its row names."""
    errors = {f"{one.domain}:{one.code}" for one in seen.of(ErrorSeen)}
    for fact in seen.facts("mistake-in-program"):
        names = (fact.value("explains") or "").split()
        if any(name in errors or seen.facts(name) for name in names):
            yield replace(fact, name="mistake-explains-error")
