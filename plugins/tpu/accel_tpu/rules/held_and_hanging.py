"""A program hangs while another process has the TPU's nodes open."""

from collections.abc import Iterator

from accel.model.dataclass import replace
from accel.model.observation import Complaint, Fact
from accel.vendors.contract.rule import Seen, Specs, rule


@rule(
    gives={"tpu-hangs-while-held": "a program hangs, and another process has the TPU's node open"},
    triggers=("tpu-node-held",),
)
def held_and_hanging(seen: Seen, specs: Specs) -> Iterator[Fact]:
    """Holds if something is said to hang: a process with the node open is no fault by itself."""
    held = seen.facts("tpu-node-held")
    if held and any(one.form == "hang" for one in seen.of(Complaint)):
        yield from (replace(fact, name="tpu-hangs-while-held") for fact in held)
