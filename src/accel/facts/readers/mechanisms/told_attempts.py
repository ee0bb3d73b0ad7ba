"""Fixes that the writer says are in place, were tried in vain, or are refused here; specs/language/attempts.yaml.

Visual C++ Redistributable is installed          did: winget install …            the nearest state: done
--gpu-reset is unsupported on this card          did: nvidia-smi --gpu-reset      unsupported
Setting A_VARIABLE=1 in activate does not work   the variable by itself           vain
I tried `sudo dkms autoinstall`                  a command in a code span         done
只有重启才能恢复                                     did: reboot                      works

The object of a sentence decides which fix is meant, the nearest state how it went. Who only wants a fix, asks for it or
lacks it tried nothing.
"""

from collections.abc import Iterator
from typing import Any, Final

from accel.facts.readers.page import Page
from accel.model.dataclass import dataclass
from accel.model.observation import Experiment
from accel.text.pattern import pattern

_VARIABLE: Final = pattern(
    r"(?<![\w$./-])[A-Z][A-Z0-9]{0,30}_[A-Z0-9_]{1,60}(?:(?P<to>\s?=\s?|\s(?:is |was |has been )?set to )"
    r"[\w./:,+-]{1,80})?(?![\w(])",
    exact_case=True,
)
_SPAN: Final = pattern(r"`(?:\$ )?(?P<command>[A-Za-z][^`\n]{2,200} [^`\n]{1,200})`", exact_case=True)
_ERROR: Final = pattern(r"[\w.]{0,80}(?:Error|Exception|Warning):", exact_case=True)
_READ: Final = ("prose", "output")  # a short line of a form looks like output
_FARTHEST: Final = 90  # characters between a fix and what is said of it
_MOST: Final = 40


@dataclass(frozen=True, slots=True)
class _Place:
    start: int
    end: int
    value: str


def recognise(page: Page) -> Iterator[Experiment]:
    """Yield an experiment for each fix whose outcome is told."""
    told = [(tag[1], match) for tag, match in page.phrases if tag[0] == "attempt"]
    states = [_Place(match.start, match.end, row["state"]) for row, match in told if "state" in row]
    if not states:
        return
    seen: set[tuple[int, str]] = set()
    for fix, own in _fixes(page, told):
        if len(seen) >= _MOST:
            return
        state = own or _state_of(fix, states, page)
        if state in (None, "undone") or not _is_asserted(fix, page):
            continue
        place = page.placed(fix.start, fix.end)
        spanned = page.text[fix.start] == "`"  # a command in a code span is not somebody else's words
        own_words = ("negated", "quoted") if spanned else ("negated",)
        if place.get("status", "negated") not in own_words or (place["line"], fix.value) in seen:
            continue
        seen.add((place["line"], fix.value))
        where = {key: place[key] for key in ("text", "line", "last_line")}
        yield Experiment(condition=fix.value, outcome="works" if state == "works" else "fails", **where)


def _fixes(page: Page, told: list[tuple[dict[str, Any], Any]]) -> Iterator[tuple[_Place, str | None]]:
    """Yield each fix that a text names, with the state that its sentence has by itself."""
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
    """Return how a fix went: the nearest state of its sentence."""
    first, last = page.prose.sentence(fix.start)
    near = [
        (gap, state.value)
        for state in states
        if first <= state.start
        and state.end <= last
        and (gap := max(state.start - fix.end, fix.start - state.end)) <= _FARTHEST
        and gap >= 0
    ]
    return min(near, default=(0, None), key=lambda one: one[0])[1]


def _is_asserted(fix: _Place, page: Page) -> bool:
    """Whether a sentence is the writer's own, and neither a question nor a program's message."""
    prose = page.prose
    line = prose.line_at(fix.start)
    first, last = prose.sentence(fix.start)
    if prose.segments.kind(line) not in _READ or _ERROR.search(page.text, first, fix.start):
        return False
    return not page.text[first:last].rstrip().endswith(("?", "？"))
