"""Recognise fixes that are in place, were tried without success, or are refused; specs/language/attempts.yaml.

Visual C++ Redistributable is installed          did: winget install …            the nearest state: done
--gpu-reset is unsupported on this card          did: nvidia-smi --gpu-reset      unsupported
Setting A_VARIABLE=1 in activate does not work   the variable by itself           vain
I tried `sudo dkms autoinstall`                  a command in a code span         done
What I tried: | - pip install X | - B_VAR=1      each item of the list            done
只有重启才能恢复                                     did: reboot                      works

The object of a sentence determines the fix, the nearest state its outcome. A writer who only wants a fix, asks for it
or lacks it has tried nothing. In a list, a code block and a line that begins with "Tried:" every command counts.
"""

from collections.abc import Iterator
from typing import Any, Final

from accel.facts.readers.page import Page
from accel.model.dataclass import dataclass, replace
from accel.model.observation import Experiment
from accel.text.pattern import pattern

_VARIABLE: Final = pattern(
    r"(?<![\w$./-])[A-Z][A-Z0-9]{0,30}_[A-Z0-9_]{1,60}(?:(?P<to>\s?=\s?|\s(?:is |was |has been )?set to )"
    r"[\w./:,+-]{1,80})?(?![\w(])",
    exact_case=True,
)
_SPAN: Final = pattern(r"`(?:\$ )?(?P<command>[A-Za-z][^`\n]{2,200} [^`\n]{1,200})`", exact_case=True)
_ERROR: Final = pattern(r"[\w.]{0,80}(?:Error|Exception|Warning):", exact_case=True)
_ITEM: Final = pattern(
    r"[ \t]{0,8}(?:[-*•+–]|\d{1,2}[.)]|[-*] \[[ xX]\]|[①-⑨])[ \t]{0,4}(?P<item>\S[^\n]{0,300})", exact_case=True
)
_HEADING: Final = pattern(r"[\s>]{0,4}(?:#{1,5} |\*\*)", exact_case=True)
_TYPED: Final = pattern(
    r"(?:[`$>%#] ?|(?:RUN|run|ran|running|tried|did) )?`?(?P<command>[A-Za-z./][^`\n]{2,300}?)[`.,; ]{0,3}",
    exact_case=True,
)
_BETWEEN: Final = pattern(r"[,;，；、] ?", exact_case=True)
_HELPED: Final = pattern(r"(?<!not )(?<!n't )\b(?:work(?:s|ed)|fixe[sd]|solve[sd]|help(?:s|ed)|resolve[sd])\b")
_READ: Final = ("prose", "output")  # a short line of a form looks like output
_FARTHEST: Final = 90  # maximum characters between a fix and its outcome
_REST: Final = 60  # maximum characters between the words that introduce a list and the end of their line
_LONGEST: Final = 30  # lines of a list
_MOST: Final = 40


@dataclass(frozen=True, slots=True)
class _Place:
    start: int
    end: int
    value: str


def recognise(page: Page) -> Iterator[Experiment]:
    """Yield an experiment for each fix with a stated outcome."""
    told = [(tag[1], match) for tag, match in page.phrases if tag[0] == "attempt"]
    states = [_Place(match.start, match.end, row["state"]) for row, match in told if "state" in row]
    if not states:
        return
    lists = tuple(_listed(page, [one for one in states if one.value == "list"]))
    states = [replace(one, value="done") if one.value == "list" else one for one in states]
    seen: set[tuple[int, str]] = set()
    for fix, own in (*_typed(page, lists), *_fixes(page, told)):
        if len(seen) >= _MOST:
            return
        state = own or _state_of(fix, states, page)
        if state in (None, "done") and any(one.start <= fix.start < one.end for one in lists):
            state = "vain"
        if state in (None, "undone") or _is_denied(fix, page) or not _is_asserted(fix, page):
            continue
        place = page.placed(fix.start, fix.end)
        spanned = page.text[fix.start] == "`" or any(
            one.start == fix.start for one in lists
        )  # not somebody else's words
        own_words = ("negated", "quoted") if spanned else ("negated",)
        if place.get("status", "negated") not in own_words or (place["line"], fix.value) in seen:
            continue
        seen.add((place["line"], fix.value))
        where = {key: place[key] for key in ("text", "line", "last_line")}
        yield Experiment(condition=fix.value, outcome="works" if state == "works" else "fails", **where)


def _listed(page: Page, leads: list[_Place]) -> Iterator[_Place]:
    """Yield the items introduced by "What I tried:": a list, a code block, or the rest of the line."""
    lines = page.text.split("\n")
    starts = [0]
    for line in lines:
        starts.append(starts[-1] + len(line) + 1)
    for lead in leads:
        at = page.prose.line_at(lead.start) - 1
        rest = page.text[lead.end : starts[at + 1] - 1]
        told = rest.partition("：" if "：" in rest else ":")[2].strip(" *")
        if told and len(rest) - len(told) <= _REST:
            place = starts[at + 1] - 1 - len(told)
            for part in _BETWEEN.split(told):
                yield _Place(place, place + len(part), part)
                place += len(part) + 1
        elif len(rest) <= _REST and (":" in rest or "：" in rest or _HEADING.match(lines[at]) or not rest.strip(" .")):
            yield from _items(page, lines, starts, at + 1)


def _items(page: Page, lines: list[str], starts: list[int], first: int) -> Iterator[_Place]:
    """Yield the list items and commands that begin below a line. Fences of code blocks are already removed."""
    found = False
    for at in range(first, min(first + _LONGEST, len(lines))):
        line = lines[at]
        item = _ITEM.fullmatch(line)
        if item is not None or _command_in(line, page) is not None or _VARIABLE.match(line.strip()):
            found = True
            yield _Place(starts[at], starts[at + 1] - 1, item["item"] if item is not None else line.strip())
        elif line.strip() and not (found and line.startswith(("  ", "\t"))):
            return


def _command_in(words: str, page: Page) -> str | None:
    """Return the command if the whole item or line is one."""
    hit = _TYPED.fullmatch(words.strip())
    tool = hit["command"].removeprefix("sudo ").split(" ", 1)[0] if hit is not None else ""
    return hit["command"] if hit is not None and tool in page.specs.commands else None


def _typed(page: Page, lists: tuple[_Place, ...]) -> Iterator[tuple[_Place, str | None]]:
    """Yield the items that are commands."""
    for one in lists:
        command = _command_in(one.value, page)
        if command is not None and not _HELPED.search(one.value):
            yield replace(one, value=command), "vain"


def _fixes(page: Page, told: list[tuple[dict[str, Any], Any]]) -> Iterator[tuple[_Place, str | None]]:
    """Yield each fix that a text names, with the state that its own sentence pattern implies."""
    for row, match in told:
        if "did" in row:
            yield _Place(match.start, match.end, row["did"].format_map(match.values)), row.get("state")
    for found in _VARIABLE.finditer(page.text):
        value = found[0].replace(found["to"], "=", 1) if found["to"] else found[0]
        yield _Place(found.start(), found.end(), value.rstrip(".,:")), None
    for found in _SPAN.finditer(page.text):
        if found["command"].removeprefix("sudo ").split(" ", 1)[0] in page.specs.commands:
            yield _Place(found.start(), found.end(), found["command"]), None


def _state_of(fix: _Place, states: list[_Place], page: Page) -> str | None:
    """Return the outcome of a fix: the nearest state in its sentence, or one around it ("have … installed")."""
    first, last = page.prose.sentence(fix.start)
    near = [
        (max(gap, 0), state.value)
        for state in states
        if first <= state.start
        and state.end <= last
        and (gap := max(state.start - fix.end, fix.start - state.end)) <= _FARTHEST
        and (gap >= 0 or (state.start < fix.start and fix.end < state.end))
    ]
    return min(near, default=(0, None), key=lambda one: one[0])[1]


def _is_denied(fix: _Place, page: Page) -> bool:
    """Return whether a sentence says that the step was not done: "the host was never restarted"."""
    return any(cue.reach == "object" and fix.start < cue.end and cue.start < fix.end for cue in page.prose.cues)


def _is_asserted(fix: _Place, page: Page) -> bool:
    """Return whether a sentence is the writer's own, and neither a question nor a program's message."""
    prose = page.prose
    line = prose.line_at(fix.start)
    first, last = prose.sentence(fix.start)
    if prose.segments.kind(line) not in _READ or _ERROR.search(page.text, first, fix.start):
        return False
    return not page.text[first:last].rstrip().endswith(("?", "？"))
