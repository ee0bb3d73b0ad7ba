"""Tables of tools as they come out of a mail, a chat or a full disk: rows lost, swapped, garbled, cut and wrapped.

    damaged = damage(text, Random(7))
    mistakes = foreign(devices_of(text, registry), devices_of(damaged, registry))

A damaged text may tell less. What it tells of a device is that device's own: never a value of another, and no device
comes to be. Two whole rows of values that changed places look like a table that was never damaged: that is not done.
"""

import re
from collections.abc import Callable, Mapping
from dataclasses import fields
from random import Random
from typing import Final

from accel.model.device import Device

Damage = Callable[[list[str], Random], list[str]]

_WORD: Final = re.compile(r"[\w.%/:+-]+")
_DRAWN: Final = re.compile(r"[\s|+=\-─━═┌┐└┘├┤┬┴┼╭╮╰╯│┃]*")
_SHARED: Final = frozenset({"id", "index", "processes", "health", "visible", "runtime_names"})
_GARBAGE: Final = ("ERR!", "????", "�", "#", "")


def damage(text: str, chance: Random) -> str:
    """Return the text with one damage, always the same for one chance."""
    return "\n".join(chance.choice(_DAMAGES)(text.split("\n"), chance))


def foreign(before: Mapping[str, Device], after: Mapping[str, Device]) -> list[str]:
    """Return what is told of a device and is another's: "nvidia:1 power_watts: 260.0 is of nvidia:2".

    Where a tool prints no numbers a device has that of its place, so that one which is lost moves all after it: a
    device is mixed if no single one of those before explains what is told of it.
    """
    told = []
    for name, device in after.items():
        if not any(one.backend == device.backend for one in before.values()):
            told.append(f"{name} came to be")
            continue
        values = {f.name: getattr(device, f.name) for f in fields(device) if f.name not in _SHARED}
        owners = {
            field: {one.id for one in before.values() if getattr(one, field, None) == value}
            for field, value in values.items()
            if value not in (None, (), {}) and not isinstance(value, bool)
        }
        owners = {field: ids for field, ids in owners.items() if ids}
        wrong = min(([f for f, ids in owners.items() if one not in ids] for one in before), key=len, default=[])
        told += [f"{name} {field}: {values[field]!r} is of {min(owners[field])}" for field in wrong]
    return told


def _place(lines: list[str], chance: Random) -> int:
    """Return the number of a line that says something, if there is one."""
    full = [number for number, line in enumerate(lines) if not _DRAWN.fullmatch(line)]
    return chance.choice(full) if full else 0


def _lost(lines: list[str], chance: Random) -> list[str]:
    place = _place(lines, chance)
    return [*lines[:place], *lines[place + 1 :]] or [""]


def _twice(lines: list[str], chance: Random) -> list[str]:
    place = _place(lines, chance)
    return [*lines[:place], lines[place], *lines[place:]]


def _swapped(lines: list[str], chance: Random) -> list[str]:
    one = _place(lines, chance)
    other = min(len(lines) - 1, one + 1)
    lines = list(lines)
    lines[one], lines[other] = lines[other], lines[one]
    return lines


def _garbled(lines: list[str], chance: Random) -> list[str]:
    place, sign = _place(lines, chance), chance.choice(_GARBAGE)
    share = chance.choice((0.3, 0.6, 1.0))
    line = _WORD.sub(lambda found: sign.ljust(len(found[0])) if chance.random() < share else found[0], lines[place])
    return [*lines[:place], line, *lines[place + 1 :]]


def _cut(lines: list[str], chance: Random) -> list[str]:
    place = _place(lines, chance)
    column = chance.randrange(len(lines[place]) + 1)
    line = lines[place][:column] if chance.random() < 0.6 else lines[place][column:]
    return [*lines[:place], line, *lines[place + 1 :]]


def _wrapped(lines: list[str], chance: Random) -> list[str]:
    width = chance.choice((40, 60, 72, 80))
    return [part for line in lines for part in ([line[at : at + width] for at in range(0, len(line), width)] or [line])]


def _without_rules(lines: list[str], chance: Random) -> list[str]:
    return [line for line in lines if not (_DRAWN.fullmatch(line) and line.strip())] or [""]


def _cut_off(lines: list[str], chance: Random) -> list[str]:
    place = _place(lines, chance)
    return (lines[:place] if chance.random() < 0.5 else lines[place:]) or [""]


_DAMAGES: Final[tuple[Damage, ...]] = (
    *(_lost, _lost, _garbled, _garbled, _swapped, _cut, _wrapped, _twice, _without_rules, _cut_off),
)
