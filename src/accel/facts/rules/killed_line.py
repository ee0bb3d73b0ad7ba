"""A shell's line that says nothing but that a process was killed."""

from collections.abc import Iterator
from typing import TYPE_CHECKING

from accel.model.observation import Complaint, Fact
from accel.vendors.contract.rule import Seen, fact_from, rule

if TYPE_CHECKING:
    from accel.specs import Specs


@rule(gives={"process-killed": "a process was killed by SIGKILL"}, triggers=("complaint.signal",))
def killed_line(seen: Seen, specs: "Specs") -> Iterator[Fact]:
    """Holds for a line that is "Killed" alone, as bash prints it of a program in the foreground."""
    for one in seen.of(Complaint):
        if one.form == "signal" and one.text.strip(" .!").lower() == "killed":
            yield fact_from("process-killed", one)
