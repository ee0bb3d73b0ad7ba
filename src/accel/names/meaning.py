"""What a name that a person typed or pasted was found to mean."""

import re
from collections.abc import Callable
from typing import Final

from accel.model.chip import Chip
from accel.model.dataclass import dataclass
from accel.names.machines import Machine

_LONGEST_NAME: Final = 80
_WORD: Final = re.compile(r"[^\W_]+")


@dataclass(frozen=True, slots=True, kw_only=True)
class Named:
    """What a name means.

    chips    every chip that it can mean, the fastest first; () if it means none that is known
    machine  the machine that it names, with how many of the chips it has; None: it names a chip
    part     the part of a chip that it names, in words ("MIG 1g.10gb"); None: whole chips
    by       what told the chips: "name", "machine", "part", "pci id", "target", "die", "series"; "" if nothing did
    times    how many of it the text says: 2 of "2x RTX 3090"; None: it says nothing of it
    aside    words of the text that were not needed: ("lenovo", "legion")
    each     where the text names several devices ("2x 4090 and a 3060"), what it says of each; chips are those of all
    unknown  words that are not understood, where they kept the text from meaning anything
    altered  the GiB of a card with more memory than its maker put on it ("RTX 3090 48GB"); None: of no such card
    """

    asked: str
    chips: tuple[Chip, ...] = ()
    machine: Machine | None = None
    part: str | None = None
    by: str = ""
    times: int | None = None
    aside: tuple[str, ...] = ()
    each: tuple["Named", ...] = ()
    unknown: tuple[str, ...] = ()
    altered: int | None = None

    @property
    def count(self) -> int | None:
        """How many chips the machine has, or the text says; of several machines, in all; None if that is not known."""
        if self.each:
            counts = [one.count for one in self.each]
            return sum(count or 1 for count in counts) if any(counts) else None
        if self.machine is None or (self.machine.count is None and not self.machine.maker):
            return self.times  # of a type that says its chip alone: "4x H100-SXM-80GB"
        return self.machine.count * (self.times or 1) if self.machine.count else None


def plainly_named(text: str, by_name: Callable[[str], Chip | None]) -> Named | None:
    """Return the one chip whose name the text is, whole or without its series' first words; None if it is none's.

    "NVIDIA GeForce RTX 4090" or "RTX 4090" means nothing else, and needs none of the readings of what people write. A
    name with a word that is not the chip's may be that of a machine or of a part: "Radeon PRO V620 MxGPU".
    """
    if " " not in text or "(" in text or len(text) > _LONGEST_NAME:
        return None
    chip = by_name(text)
    if chip is None:
        return None
    own, said = (_WORD.findall(name.lower()) for name in (chip.name, text))
    recorded = text.lower() in (name.lower() for name in (chip.name, *chip.aliases))
    whole = recorded and own[0] in said and set(said) <= {*own, chip.vendor}
    its_end = "(" not in chip.name and len(said) > 1 and own[-len(said) :] == said
    return Named(asked=text, chips=(chip,), by="name") if whole or its_end else None
