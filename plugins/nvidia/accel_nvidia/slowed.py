"""GPUs that, according to a tool or a person, are slowed down, and how to find the reason. Pure."""

from collections.abc import Sequence

from accel.vendors.contract.check import Fact, Problem, Remedy, quoted
from accel.vendors.contract.command import Word, command_line, number_word


def as_said(found: Sequence[Fact], how: str, remedies: tuple[Remedy, ...]) -> Problem:
    """Return the problem stated by facts without readings of the GPUs. how: "is slowed down by the power brake"."""
    devices = tuple(dict.fromkeys(fact.device for fact in found if fact.device))
    title = f"{', '.join(devices) or 'A GPU'} {how}"
    return Problem(title=title, devices=devices, evidence=quoted(found), remedies=remedies)


def look(text: str, what: Word | str, index: int | None) -> Remedy:
    """Return the step that shows parts of nvidia-smi -q, "TEMPERATURE,PERFORMANCE", for one GPU or for all."""
    of_all = command_line("nvidia-smi -q -d", what)
    return Remedy(
        text=text, command=command_line(of_all, "-i", number_word(index)) or of_all, action="admin", kind="look"
    )
