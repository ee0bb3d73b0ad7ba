"""A program could not take a Gaudi card."""

from collections.abc import Iterator
from typing import TYPE_CHECKING

from accel.contract.check import Problem, Remedy, check, quoted

if TYPE_CHECKING:
    from accel.facts.questions import Facts
    from accel.specs import Specs


@check(
    code="GA004",
    name="gaudi-not-acquired",
    reads=("gaudi-acquire-failed",),
    needs=("run.program",),
    layer="access",
    requires=("gaudi-driver-not-loaded",),
    explained_by=("gaudi-unhealthy",),
)
def gaudi_not_acquired(facts: "Facts", specs: "Specs") -> Iterator[Problem]:
    """Intel's runtime found no card that this process may have.

    Why it matters   A card serves one process at a time. Held by another, hidden, or with user-space software of
                     another release than the driver, it is refused, and the message does not say which of these it was.
    What to do       See who holds the cards, and whether the versions agree; end what was left over.
    Looks at         "synStatus=… Device acquire failed" of the runtime
    Silent when      no such sentence was said
    Source           HabanaAI and vllm-fork issues with synStatus=8 and synStatus=26
    """
    events = facts.stated("gaudi-acquire-failed")
    if not events:
        return
    driver = facts.driver("gaudi")
    versions = ""
    if driver is not None and driver.version and driver.library_version:
        versions = f" hl-smi is {driver.library_version}, the driver {driver.version}."
    yield Problem(
        title="A program could not take a Gaudi card",
        detail=f"It is held by another process, is hidden, or driver and user space are of two releases.{versions}",
        evidence=quoted(events),
        remedies=(
            Remedy(
                text="End the program that holds the cards, or take free ones: this shows who does, as root everybody.",
                command="sudo hl-smi",
                action="app",
            ),
            Remedy(
                text="In a container: pass the cards, and use an image of the driver's release.",
                command="docker run --runtime=habana -e HABANA_VISIBLE_DEVICES=all IMAGE hl-smi",
                action="env",
            ),
        ),
    )
