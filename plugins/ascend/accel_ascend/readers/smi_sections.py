"""The "key : value" texts of `npu-smi info -t …`, sorted into one section per chip.

    NPU ID                         : 2944
    Chip Count                     : 2

    DDR Capacity(MB)               : 44278
    Chip ID                        : 0

    DDR Capacity(MB)               : 43693
    Chip ID                        : 1

Seen   22.0 to 26.0. "Chip ID" closes a chip's section, except in `-t common` and in `-t board -c`, where it starts one.
       The board's controller has a section too, with "Chip Name : MCU" instead of a chip ID: it is not a chip.
       On 950 there are no chip sections. With `-c`, `-t health` prints no IDs at all: those of the command line, if it
       was copied with the output, apply until the next line not of this form.
"""

import re
from collections.abc import Iterator, Mapping
from typing import Final

from accel.model.dataclass import dataclass, field
from accel.text.amounts import count, word
from accel.text.pattern import pattern

_PAIR: Final = pattern(r"^\s*(?:([A-Za-z](?:[A-Za-z0-9 _/().%\-]{0,59}[A-Za-z0-9_/().%\-])?)\s*)?:(?:\s(.*))?$")
_COMMAND: Final = pattern(r"npu-smi\s+info\s(.*)")
_UNIT: Final = pattern(r"\s*\([^()]*\)$")
_HEAD: Final = ("npu id", "chip count", "card count", "total count")
MORE: Final = "\n"  # joins lines of a value continued under an empty key


@dataclass(slots=True, kw_only=True)
class Section:
    """One chip's facts, or one NPU's if no chip is named. values: lower-case keys without units."""

    npu_id: int | None = None
    chip_id: int | None = None
    chip_count: int | None = None
    is_controller: bool = False
    values: dict[str, str] = field(default_factory=dict)
    first_line: int = 0


def sections(text: str) -> Iterator[Section]:
    """Yield the sections of a text in order, including those of board controllers."""
    for ids, lines in _blocks(text):
        yield from _split(ids, lines)


def _blocks(text: str) -> Iterator[tuple[tuple[int | None, int | None], list[tuple[int, str, str]]]]:
    """Yield runs of (line, key, value) about one NPU, with the IDs in the command above them."""
    ids: tuple[int | None, int | None] = (None, None)
    lines: list[tuple[int, str, str]] = []
    for number, raw in enumerate(text.splitlines(), 1):
        if not raw.strip():
            continue
        command = _COMMAND.search(raw)
        pair = None if command else _PAIR.match(raw)
        if pair is None:
            if lines:
                yield ids, lines
            lines, ids = [], _ids(command[1]) if command else (None, None)
            continue
        key, value = _UNIT.sub("", pair[1] or "").strip().lower(), (pair[2] or "").strip()
        if not key:
            if lines:
                last = lines[-1]
                lines[-1] = (last[0], last[1], last[2] + MORE + value)
            continue
        if key == "npu id" and any(k == "npu id" or k not in _HEAD for _, k, _ in lines):
            yield ids, lines
            lines = []
        lines.append((number, key, value))
    if lines:
        yield ids, lines


def _ids(options: str) -> tuple[int | None, int | None]:
    npu, chip = re.search(r"(?<!\S)-i\s+(\d{1,6})\b", options), re.search(r"(?<!\S)-c\s+(\d{1,3})\b", options)
    return (int(npu[1]) if npu else None, int(chip[1]) if chip else None)


def _split(ids: tuple[int | None, int | None], lines: list[tuple[int, str, str]]) -> Iterator[Section]:
    head = {key: value for _, key, value in lines if key in _HEAD}
    npu_id = count(head["npu id"]) if "npu id" in head else ids[0]
    chips = count(head.get("chip count", "") or head.get("card count", ""))
    body = [line for line in lines if line[1] not in _HEAD]
    opens = bool(body) and _marks(body[0][1], body[0][2])
    current = Section(npu_id=npu_id, chip_id=ids[1], chip_count=chips, first_line=lines[0][0])
    unplaced = False  # one of several chips has no readable number: its figures belong to no known chip
    lost = False  # the line that names the next chip is missing
    for number, key, value in body:
        if not _marks(key, value):
            if key == next(iter(current.values), None):  # a repeated first fact: another chip's
                lost = opens
                current.values = {} if not opens else current.values
            if not lost:
                current.values.setdefault(key, value)
            continue
        lost = False
        if opens and (current.values or current.chip_id is not None or current.is_controller):
            if current.values and not unplaced:
                yield current
            current = Section(npu_id=npu_id, chip_count=chips, first_line=number)
        current.chip_id, current.is_controller = (count(value), False) if key == "chip id" else (None, True)
        unplaced = current.chip_id is None and not current.is_controller and chips != 1
        if not opens:
            if not unplaced:
                yield current
            current, unplaced = Section(npu_id=npu_id, chip_count=chips, first_line=number), False
    if (current.values and not unplaced) or not body:
        yield current


def _marks(key: str, value: str) -> bool:
    if key == "chip id":
        return value.isdecimal() or word(value) is None
    return key == "chip name" and value.lower() == "mcu"


def value_of(section: Section, names: Mapping[str, str]) -> Iterator[tuple[str, str]]:
    """Yield (field, text) for each key that `names` has a field for; the first key of a field wins."""
    seen: set[str] = set()
    for key, value in section.values.items():
        name = names.get(key)
        if name is not None and name not in seen:
            seen.add(name)
            yield name, value
