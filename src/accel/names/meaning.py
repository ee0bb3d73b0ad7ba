"""The meaning found for a typed or pasted name."""

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
    """The meaning of a name.

    chips    every chip that it can mean, fastest first; () if it means no known one
    machine  the machine that it names, with the number of its chips; None if it names a chip
    part     the part of a chip that it names, in words ("MIG 1g.10gb"); None: whole chips
    by       what identified the chips: "name", "machine", "part", "pci id", "target", "die", "series"; "" if nothing
             did
    times    the number in the text: 2 for "2x RTX 3090"; None if it has none
    aside    words of the text that were not needed: ("lenovo", "legion")
    each     if the text names several devices ("2x 4090 and a 3060"), the meaning of each; chips are those of all
    unknown  words that are not understood, if they prevented a meaning
    altered  the GiB of a card with more memory than its maker installed ("RTX 3090 48GB"); None for other cards
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
        """Return the number of chips of the machine, or in the text.

        For several machines, in total; None if unknown.
        """
        if self.each:
            counts = [one.count for one in self.each]
            return sum(count or 1 for count in counts) if any(counts) else None
        if self.machine is None or (self.machine.count is None and not self.machine.maker):
            return self.times  # of a type that says its chip alone: "4x H100-SXM-80GB"
        return self.machine.count * (self.times or 1) if self.machine.count else None


def plainly_named(text: str, by_name: Callable[[str], Chip | None]) -> Named | None:
    """Return the one chip whose name is the text, complete or without its series' first words; None if there is none.

    "NVIDIA GeForce RTX 4090" or "RTX 4090" means nothing else, and needs no further parsing. A name with a word that is
    not the chip's may be that of a machine or of a part: "Radeon PRO V620 MxGPU".
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
