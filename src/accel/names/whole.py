"""Parses a text as a whole: one device, several in separate parts, or one among parts without a device.

Seen    "--gres=gpu:a100:4"  "2x4090 and one 3060"  "mine (RTX 3090, 24GB)"  "GPU: RTX 4090 | CPU: i9-13900K"
"""

from collections.abc import Callable
from typing import TYPE_CHECKING

from accel.model.chip import Chip
from accel.model.dataclass import replace
from accel.names.counts import number_in_one, number_keyed
from accel.names.index import Index, vocabulary_of
from accel.names.meaning import Named
from accel.names.pasted import sizes_in, value_in
from accel.names.several import devices_in, entered, only_device_in
from accel.names.tokens import memory_word, words_of

if TYPE_CHECKING:
    pass


def as_whole(index: Index, text: str, read: Callable[[str], Named]) -> Named:
    """Return the meaning of a text as a whole: one device, or several, each in its own part."""
    inside = text.partition("(")[2].rpartition(")")[0]
    value = value_in(text)
    for part in (value, text) if value else (text,):
        found = devices_in(part, index, read) or read(part)
        if found.chips and not (found.by == "name" and not found.each and inside):
            return replace(found, asked=text)
        if found.chips:
            several = devices_in(inside, index, read)
            return replace(
                several if several and names_of_chips(found) < names_of_chips(several) else found, asked=text
            )
    alone = devices_in(inside, index, read) if inside else None
    alone = alone or only_device_in(text, index, read)
    return replace(alone or found, asked=text)


def with_mentioned(found: Named, more: Named | None) -> Named:
    """Return what was found with the other devices mentioned in the text; only these if nothing was found."""
    if more is None:
        return found
    narrower = not (more.each or found.each) and names_of_chips(more) < names_of_chips(found)
    if not found.chips or found.by == "series" or narrower:
        return replace(more, times=more.times or found.times)
    each = list(found.each or (replace(found, aside=()),))
    for one in more.each or (more,):
        if names_of_chips(one).isdisjoint(names_of_chips(found)):
            entered(each, one)
    if len(each) == len(found.each or (found,)):
        return found
    chips = {chip.name: chip for one in each for chip in one.chips}
    return replace(found, chips=tuple(chips.values()), times=None, each=tuple(each))


def with_keyed_number(found: Named, text: str) -> Named:
    """Return what was found, with the number of devices given by a key in the text, if nothing else gave one."""
    machine = found.machine
    if machine is not None and machine.count and found.times and number_in_one(text) == found.times:
        return replace(found, machine=replace(machine, count=found.times), times=None)
    if not found.chips or found.each or found.part or found.count is not None or found.by == "series":
        return found
    if (number := number_keyed(text)) is None or (machine is not None and machine.share):
        return found
    if machine is None:
        return replace(found, times=number)
    return replace(found, machine=replace(machine, count=number), times=None)


def names_of_chips(named: Named) -> set[str]:
    """Return the names of the products that a name means."""
    return {chip.name for chip in named.chips}


def of_size(index: Index, text: str, found: Named) -> tuple[Chip, ...]:
    """Return the variants of one product with the only memory size in the text: "4060 Ti Twin Edge 8GB"."""
    told = sizes_in(text) if len(found.chips) > 1 and not found.each and not found.part else set()
    known = vocabulary_of(index)
    names = {tuple(word for word in words_of(chip.name, known) if not memory_word(word)) for chip in found.chips}
    fits = tuple(c for c in found.chips if c.memory_bytes and round(c.memory_bytes / 2**30 / c.devices) in told)
    return fits if len(told) == len(names) == 1 and fits else found.chips
