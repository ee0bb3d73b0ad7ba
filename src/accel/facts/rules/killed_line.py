"""A shell line that only says that a process was killed."""

from collections.abc import Iterator

from accel.model.observation import Complaint, Fact
from accel.specs import Specs
from accel.vendors.contract.rule import Seen, fact_from, rule


@rule(gives={"process-killed": "a process was killed by SIGKILL"}, triggers=("complaint.signal",))
def killed_line(seen: Seen, specs: Specs) -> Iterator[Fact]:
    """Holds for a line with only "Killed", as bash prints it for a foreground program."""
    for one in seen.of(Complaint):
        if one.form == "signal" and one.text.strip(" .!").lower() == "killed":
            yield fact_from("process-killed", one)
