"""Recognise device lists that contain only the processor, and the program that a text is about.

    >>> Core().available_devices              specs/frameworks/device_lists.yaml says which calls ask for a list,
    ['CPU']                                   and how the processor appears in it
    compatible libraries=[ ]                  an empty list of things that support a device
    Num GPUs Available:  0                    a number, or a truth value

A list counts on the line of its call or below it; a list by itself ("['CPU']") counts if the text has the call
somewhere. If the same program later lists a device, nothing is missing.
"""

from collections.abc import Iterator, Mapping, Sequence
from fnmatch import fnmatchcase
from typing import Any, Final

from accel.facts.readers.page import Page
from accel.model.dataclass import dataclass
from accel.model.observation import Noted
from accel.text.pattern import pattern

LISTS_NONE: Final = "lists-processor-alone"
LISTS_NO_NPU: Final = "lists-no-npu"
ABOUT: Final = "text-about-program"
_TABLE: Final = "frameworks/device_lists"
_BRACKETS: Final = pattern(r"(?<!\()\[(?P<items>[^\[\]\n]{0,400})\]", exact_case=True)  # not what a call is given
_PLAIN: Final = pattern(
    r"[\s)=:]{1,12}['\"]?(?P<items>[A-Za-z][\w.:]{1,40}(?:,\s?[A-Za-z][\w.:]{1,40}){0,12})['\"]?\s{0,4}$"
)
_ITEM: Final = pattern(r"[\w./:-]{1,60}(?:\([^()\n]{0,120}\))?", exact_case=True)
_VALUE: Final = pattern(
    r"[^\w\n]{0,16}(?:(?:is|are|returns?|gives?|prints?|->|返回|输出|是|为)\s{0,3})?(?P<value>\w{1,12})\b"
)
_CONTINUES: Final = pattern(r"^\s{0,8}(?:>>>|\.\.\.|\$|#|In \[)", exact_case=True)
_LEVEL: Final = pattern(r"^\[\s?(?:debug|info|warn|warning|error)\s?\]\s{0,4}(?=\S)")  # of a log, and no list
_BULLETS: Final = "•·*- "
_BELOW: Final = 3  # lines below a call to search for its list
_LONGEST: Final = 2000


@dataclass(frozen=True, slots=True)
class _Listed:
    """A list that a program printed. row: its row of the table."""

    row: Mapping[str, Any]
    items: tuple[str, ...]
    line: int

    @property
    def devices(self) -> tuple[str, ...]:
        """The items other than the processor."""
        return tuple(one for one in self.items if not _is_among(one, self.row["processors"]))


def recognise(page: Page) -> Iterator[Noted]:
    """Yield the lists without an accelerator, and the programs that the text is about, in order of first mention."""
    table = page.specs.table(_TABLE) or {}
    lower = page.text.lower()
    yield from _about(table.get("names", {}), lower)
    listed = [one for row in table.get("lists", ()) for one in _lists(page, row, lower)]
    for kind in dict.fromkeys((one.row["program"], one.row["tells"]) for one in listed):
        yield from _lacks(page, [one for one in listed if (one.row["program"], one.row["tells"]) == kind])
    for row in table.get("answers", ()):
        yield from _answers(page, row, lower)


def _about(names: Mapping[str, Sequence[str]], lower: str) -> Iterator[Noted]:
    found = [(at, program, word) for program, words in names.items() for word in words if (at := lower.find(word)) >= 0]
    for program in dict.fromkeys(program for _, program, _ in sorted(found)):
        yield Noted(fact=ABOUT, values=(("program", program),), text=program)


def _lacks(page: Page, listed: Sequence[_Listed]) -> Iterator[Noted]:
    """Yield what is missing from all lists of a program."""
    last = listed[-1]
    values = (("program", last.row["program"]), ("listed", ", ".join(last.items)), ("tells", last.row["tells"]))
    if not any(one.devices for one in listed):
        yield Noted(fact=LISTS_NONE, values=values, **page.on_line(last.line))
    asked = any(word in page.text.lower() for word in last.row.get("npu", ()))
    if asked and not any("npu" in item.lower() for one in listed for item in one.items):
        yield Noted(fact=LISTS_NO_NPU, values=values, **page.on_line(last.line))


def _lists(page: Page, row: Mapping[str, Any], lower: str) -> Iterator[_Listed]:
    asks = [one.lower() for one in row["asks"]]
    if not row.get("distinct") and not any(ask in lower for ask in asks):
        return
    found: dict[int, _Listed] = {}
    for number, line in enumerate(page.lines, 1):
        if len(line) > _LONGEST:
            continue
        low = line.lower()
        ask = next((one for one in asks if one in low), None)
        if ask is None:
            if _is_list_alone(line, row):
                found.setdefault(number, _Listed(row, _items(line), number))
            continue
        after = line[low.index(ask) + len(ask) :]
        at, text = next(_texts(page, number, after, row), (0, ""))
        if at:
            found[at] = _Listed(row, _items(text), at)
    yield from found.values()


def _texts(page: Page, number: int, after: str, row: Mapping[str, Any]) -> Iterator[tuple[int, str]]:
    """Yield (line, text) of the list that follows a call on its line or below it."""
    inside = _BRACKETS.search(after)
    if inside is not None and (inside["items"].strip() or row.get("empty")):
        yield number, inside[0]
    plain = _PLAIN.match(after)
    if plain is not None and any(_is_among(one, row["processors"]) for one in _items(plain["items"])):
        yield number, plain["items"]
    for below in range(number + 1, min(number + _BELOW, len(page.lines)) + 1):
        line = page.lines[below - 1].strip().lstrip(_BULLETS)
        if (level := _LEVEL.match(line)) is not None:
            line = f"[{line[level.end() :].strip(' :')}]"
        if _CONTINUES.search(line):
            return
        if line.startswith("[") and _BRACKETS.match(line):
            yield below, line
        elif line and not line.startswith("`"):
            return


def _is_list_alone(line: str, row: Mapping[str, Any]) -> bool:
    """Return whether a line is a list of only the processor: "['CPU']"."""
    whole = _BRACKETS.fullmatch(line.strip())
    items = _items(line) if whole is not None else ()
    return bool(items) and all(_is_among(one, row["processors"]) for one in items)


def _items(text: str) -> tuple[str, ...]:
    return tuple(found[0].strip("'\"") for found in _ITEM.finditer(text))


def _is_among(item: str, names: Sequence[str]) -> bool:
    return any(fnmatchcase(item.lower(), name.lower()) for name in names)


def _answers(page: Page, row: Mapping[str, Any], lower: str) -> Iterator[Noted]:
    """Yield a call whose answer is that there is no device; the last answer in a text counts."""
    for ask in row["asks"]:
        if ask.lower() not in lower:
            continue
        told: tuple[int, str] | None = None
        for number, line in enumerate(page.lines, 1):
            at = line.lower().find(ask.lower())
            if at < 0 or len(line) > _LONGEST:
                continue
            rest = line[at + len(ask) :].replace("()", "").rstrip(")")
            value = _VALUE.match(rest) or (_VALUE.match(page.lines[number]) if number < len(page.lines) else None)
            told = (number, value["value"]) if value is not None else told
        if told is not None and told[1].lower() in [one.lower() for one in row["none"]]:
            values = (("program", row["program"]), ("listed", f"{ask} {told[1]}"), ("tells", "use"))
            yield Noted(fact=LISTS_NONE, values=values, **page.on_line(told[0]))
            return
