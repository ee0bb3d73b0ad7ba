"""Whether a name says another memory than a chip's."""

from accel.model.chip import Chip
from accel.names.tokens import names_in, without_series, words_of
from accel.names.vocabulary import Vocabulary


def other_memory(chip: Chip, name: str, vocabulary: Vocabulary) -> bool:
    """Tell whether the name tells another memory than the chip's, and is not just how its driver calls it."""
    words = words_of(name, vocabulary)
    called = [words_of(alias, vocabulary) for alias in (chip.name, *chip.aliases)]
    if any(words in (alias, without_series(alias, vocabulary)) for alias in called):
        return (
            False  # GH200's driver tells the size of the CPU's memory; cards are sold with more than their maker put on
        )
    told = {found.memory_gib for found in names_in(name, vocabulary)}
    if None in told:  # of several alternatives, one may be this chip without saying its memory
        return False
    if not told or chip.memory_bytes is None:
        return False
    most = round(chip.memory_bytes / 2**30)
    if "unified" in (chip.memory_type or ""):  # sold with as much of it as the buyer wants
        return all(gib is not None and gib > most for gib in told)
    return told.isdisjoint((most, round(chip.memory_bytes / 2**30 / chip.devices)))
