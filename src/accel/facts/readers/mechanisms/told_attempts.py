"""Recognise what people say they tried, by what was done and to what; specs/language/attempts.yaml has the words.

I reinstalled the driver, no luck           reinstall × driver, done, in vain         act reinstall-driver
[x] newest BIOS                             whatever is ticked was done               act bios-update
Secure Boot: switched it off last night     the object may be in the clause before    act secure-boot-off
moved the driver from 535 to 570            a higher version is an update             act newer-driver
the redistributable is installed            a state is enough                         winget install …
only a reboot helps                         the cure                                  sudo reboot, which works
I'll raise --shm-size                       only planned                              nothing
since I updated torch it fails              may be the cause                          nothing

A form that says that it was done needs a word of failure in its sentence or the next one, unless it describes a state.
A form that does not ("a smaller batch") needs it in its own sentence, a list of what was tried, or a ticked box.
"""

from bisect import bisect_right
from collections.abc import Iterator, Sequence
from itertools import groupby, takewhile
from typing import Final

from accel.facts.readers.page import Page
from accel.model.dataclass import dataclass, replace
from accel.model.observation import Experiment, Outcome
from accel.text.lexicon import Hit, families_of
from accel.text.pattern import pattern
from accel.text.versions import order_of

_CLAUSE: Final = pattern(r"[,;|，；、—]|=>|\.{3}|[(（][^()（）\n]{0,200}[)）]", exact_case=True)
_VARIABLE: Final = pattern(
    r"(?<![\w$./-])[A-Z][A-Z0-9]{0,30}_[A-Z0-9_]{1,60}(?:(?P<to>\s?=\s?|\s(?:is |was |has been )?set to )"
    r"[\w./:,+-]{1,80})?(?![\w(])",
    exact_case=True,
)
_SPAN: Final = pattern(r"`(?:\$ )?(?P<command>[A-Za-z][^`\n]{2,200} [^`\n]{1,200})`", exact_case=True)
_ITEM_COMMAND: Final = pattern(
    r"[ \t>]{0,8}(?:[-*•+–・]|\d{1,2}[.)])[ \t]{0,4}(?:(?:run|ran|running|tried|did) )?"
    r"(?P<command>[A-Za-z./][^`\n]{2,200}?)(?=\s{0,2}(?:[,;]\s|[:.]?$|\(|=>|->|→|—| - |:\s))",
)
_BOX: Final = pattern(r"[\s>]{0,8}(?:[-*•+]|\d{1,2}[.)])?\s{0,3}\[(?P<mark>[ xX✓✔])\]\s", exact_case=True)
_ITEM: Final = pattern(r"[ \t>]{0,8}(?:[-*•+–・·]|\d{1,2}[.)]|[①-⑨])[ \t]{0,4}\S|[ \t]{0,8}・", exact_case=True)
_HEADING: Final = pattern(r"[\s>]{0,4}(?:#{1,5} |\*\*)", exact_case=True)
_VERSION: Final = pattern(r"(?<![\w.])v?(\d{1,4}(?:\.\d{1,4}){0,3})(?![\w.]*\w)", exact_case=True)
_ARROW: Final = pattern(r"->|→|=>", exact_case=True)
_CHANGES: Final = frozenset({"swap", "versions", "instead"})
_OWN: Final = ("negated", "quoted")
_EAST: Final = "\u2e80"
_VERSIONED: Final = frozenset({"driver", "torch", "bios", "numpy", "kernel", "python", "toolkit"})
_WIDE: Final = frozenset({"only", "other"})  # may be in the next sentence
_HEADS: Final = frozenset({"list", "fixed", "tried", "did"})  # words in the heading of a table of attempts
_BLOCKS: Final = frozenset({"cannot", "future", "ask", "others"})
_LONGEST: Final = 600
_FARTHEST: Final = 70  # characters between the words that introduce a list and the end of their line
_DENIED: Final = 12  # characters between a negation and what it denies
_CELL: Final = 30  # characters of a cell in a table's heading
_LIST: Final = 30  # lines of a list
_MOST: Final = 60


@dataclass(frozen=True, slots=True)
class _Sentence:
    """The phrases of a sentence, and where its clauses end; asides are in brackets. tried: in a list of such acts."""

    first: int
    last: int
    hits: Sequence[Hit]
    bounds: Sequence[int]
    asides: Sequence[tuple[int, int]]
    tried: bool

    def clause_of(self, place: int) -> int:
        """Return the number of the clause at a position: one in brackets has its own, below zero."""
        aside = next((at for at, (start, end) in enumerate(self.asides, 1) if start <= place < end), 0)
        return -aside or bisect_right(self.bounds, place)

    def clause(self, number: int) -> list[Hit]:
        """Return the phrases of a clause."""
        return [hit for hit in self.hits if self.clause_of(hit.start) == number]


def recognise(page: Page) -> Iterator[Experiment]:
    """Yield an experiment for each act, variable and command that was tried: in vain, or as the only cure."""
    yield from _told(page)
    if "echo" in page.words.places or "\n#" in page.text:
        from accel.facts.readers.mechanisms._failed_sessions import failed  # few sessions show a status or a remark

        yield from failed(page)


def _told(page: Page) -> Iterator[Experiment]:
    sentences = _sentences(page)
    seen: set[tuple[str, int]] = set()
    for before, sentence, after in zip([None, *sentences], sentences, [*sentences[1:], None], strict=False):
        before = before if before is not None and before.last == sentence.first else None
        after = after if after is not None and after.first == sentence.last else None
        for condition, hits, is_state in (*_acts(sentence, before, after, page), *_typed(sentence, page)):
            outcome = _outcome(hits, sentence, after, is_state, page)
            if outcome is None or len(seen) >= _MOST:
                continue
            where = page.placed(hits[0].start, hits[-1].end)
            if (condition, where["line"]) not in seen:
                seen.add((condition, where["line"]))
                place = {key: where[key] for key in ("text", "line", "last_line")}
                yield Experiment(condition=condition, outcome=outcome, **place)


def _typed(sentence: _Sentence, page: Page) -> Iterator[tuple[str, list[Hit], bool]]:
    """Yield the variables and commands of a sentence. A variable that "is set" needs no word of failure."""
    for hit in sentence.hits:
        if hit.typed and page.placed(hit.start, hit.end).get("status", "negated") in _OWN:
            around = sentence.clause(sentence.clause_of(hit.start))
            sets = any(one.done and "set" in one.families for one in around)
            yield hit.typed, [replace(hit, done=sets)], sets


def _sentences(page: Page) -> list[_Sentence]:
    """Return the sentences with any of the words, in order."""
    prose = page.prose
    hits: list[Hit] = []
    for number, line in enumerate(page.lines, 1):
        kind = prose.segments.kind(number)
        told = kind == "prose" or (kind == "output" and (line[:1] == "#" or prose.segments.run_at(number) is None))
        if line and len(line) <= _LONGEST and (told or (kind == "document" and _BOX.match(line))):
            start, end = prose.line_start(number), prose.line_end(number)
            every = (*page.attempts.find(page.words, start, end), *_written(page, start, end))
            hits += (hit for hit in every if prose.masked[hit.start] != "\x02")
    hits.sort(key=lambda hit: hit.start)
    tried, untried = _listed(page, hits)
    found: list[_Sentence] = []
    for (first, last), group in groupby(hits, lambda hit: prose.sentence(hit.start)):
        inside = list(group)
        number = prose.line_at(inside[0].start)
        if number not in untried:
            marks = [(mark.start(), mark.end()) for mark in _CLAUSE.finditer(page.text, first, last)]
            ends = [start for start, end in marks if end - start <= len("...")]
            ends += [hit.start for hit in inside if "but" in hit.families]
            asides = [(start, end) for start, end in marks if end - start > len("...")]
            found.append(_Sentence(first, last, inside, sorted(ends), asides, number in tried))
    return found


def _written(page: Page, start: int, end: int) -> Iterator[Hit]:
    """Yield the variables of a line, the commands in its code spans, and the command that an item of a list is."""
    for found in _VARIABLE.finditer(page.text, start, end):
        value = found[0].replace(found["to"], "=", 1) if found["to"] else found[0]
        yield Hit(found.start(), found.end(), frozenset(), typed=value.rstrip(".,:"))
    item = _ITEM_COMMAND.match(page.text, start, end)
    for found in (*_SPAN.finditer(page.text, start, end), *((item,) if item is not None else ())):
        if found["command"].removeprefix("sudo ").split(" ", 1)[0] in page.specs.commands:
            yield Hit(found.start("command"), found.end("command"), frozenset(), typed=found["command"])


def _listed(page: Page, hits: Sequence[Hit]) -> tuple[set[int], set[int]]:
    """Return the lines of lists and tables of what was tried, and those whose box is not ticked."""
    tried, untried = set[int](), set[int]()
    of_lines = {
        number: families_of(group) for number, group in groupby(hits, lambda hit: page.prose.line_at(hit.start))
    }
    lines = page.lines
    for number, line in enumerate(lines, 1):
        words = of_lines.get(number, frozenset())
        if box := _BOX.match(line):
            (untried if box["mark"] == " " else tried).add(number)
        elif "|" in line:
            if words & _HEADS and max(map(len, line.split("|"))) <= _CELL:
                tried.update(takewhile(lambda at: "|" in lines[at - 1], range(number + 1, len(lines) + 1)))
        elif "list" in words:
            tried.update(_below(lines, number))
    return tried, untried


def _below(lines: Sequence[str], number: int) -> Iterator[int]:
    """Yield the lines that a heading introduces: the rest of its own line, a list, the answer to a form's question."""
    line = lines[number - 1].rstrip()
    lead, _, rest = line.replace("：", ":").partition(":")
    if _ITEM.match(line):
        return
    if len(lead.rpartition(". ")[2]) <= _FARTHEST and rest.strip(" *"):
        yield number
        return
    asks = _HEADING.match(line) is not None or line.endswith(("?", "？"))
    found = False
    for at in range(number + 1, min(number + _LIST, len(lines) + 1)) if len(line) <= _FARTHEST else ():
        here = lines[at - 1]
        if (
            _ITEM.match(here)
            or _VARIABLE.search(here)
            or (here.strip() and asks and not found and not _HEADING.match(here))
        ):
            found = True
            yield at
        elif here.strip() and not (found and here.startswith(("  ", "\t"))):
            return


def _acts(
    sentence: _Sentence, before: _Sentence | None, after: _Sentence | None, page: Page
) -> Iterator[tuple[str, list[Hit], bool]]:
    """Yield each act that a sentence names, with its words in order, and whether it describes a state."""
    lexicon = page.attempts
    wide = _WIDE & families_of((*sentence.hits, *(after.hits if after is not None else ())))
    last = frozenset[str]() if before is None else families_of(before.hits) - lexicon.verbs
    for number in dict.fromkeys(sentence.clause_of(hit.start) for hit in sentence.hits):
        hits = sentence.clause(number)
        hits += _moved(sentence, number, hits, page)
        here = families_of(hits)
        named = list(lexicon.acts(here, wide))
        if not any(needs & lexicon.verbs for _, needs in named) and ("it" in here or not here & lexicon.things):
            carried = lexicon.acts(here | last)
            named += ((name, needs) for name, needs in carried if needs & here and needs & lexicon.verbs)
        for name, needs in named:
            words = [hit for hit in hits if hit.families & needs] or hits
            yield name if " " in name else f"act {name}", words, name in lexicon.states
        last = here - lexicon.verbs if here - {"it"} else last


def _moved(sentence: _Sentence, number: int, hits: Sequence[Hit], page: Page) -> Iterator[Hit]:
    """Yield the update or downgrade that two versions of the same thing show: "from 535 to 570"."""
    families = families_of(hits)
    if not families & _VERSIONED or families & {"update", "downgrade"}:
        return
    edges = [sentence.first, *sentence.bounds, sentence.last]
    first, last = sentence.asides[-number - 1] if number < 0 else (edges[number], edges[number + 1])
    if not families & _CHANGES and not _ARROW.search(page.text, first, last):
        return
    found = (order_of(mark[1]) for mark in _VERSION.finditer(page.text, first, last))
    versions = [one for one in found if one is not None]
    if len(versions) >= 2 and versions[0] != versions[-1]:
        family = "update" if (versions[0] < versions[-1]) is not ("instead" in families) else "downgrade"
        yield Hit(hits[-1].start, hits[-1].end, frozenset({family}), any(hit.done for hit in hits))


def _outcome(
    hits: Sequence[Hit], sentence: _Sentence, after: _Sentence | None, is_state: bool, page: Page
) -> Outcome | None:
    """Return how an act went that the writer has done; None if it was not done, or nothing says how it went."""
    around = sentence.clause(sentence.clause_of(hits[-1].start))
    clause, every = families_of(around), families_of(sentence.hits)
    following = families_of(after.hits if after is not None else ())
    if "before" in every | following or (page.text[sentence.first : sentence.last].rstrip().endswith(("?", "？"))):
        return None
    if "cure" in clause:
        return "works"
    for sign in around:
        follows = "others" in sign.families and any("did" in one.families and one.start < sign.start for one in around)
        if sign.families & _BLOCKS and not follows and (sign.start < hits[-1].end or page.text[sign.start] >= _EAST):
            return None
        if "not" in sign.families and any(0 <= hit.start - sign.end <= _DENIED for hit in hits):
            return None
    if any("succeeds" in hit.families and hit.start >= hits[-1].end for hit in around) and "vain" not in clause:
        return None
    if "works" not in families_of(hits) and ("fixed" in clause or ("fixed" in every and "vain" not in every)):
        return None
    # "After the update it cannot …" tells of a cause, and "shared memory: cannot …" of a fault.
    named = not families_of(hits) & page.attempts.verbs
    clause -= {"after"} if "reboot" in families_of(hits) else set()  # whatever then fails, it did not help
    vain = {"vain", "unsupported"} if "after" in clause or named else {"vain", "broken", "unsupported"}
    done = any(hit.done for hit in hits) or "did" in clause
    signs = every & (vain | {"tried", "also", "need"} if done else vain | {"tried"}) or (done and "vain" in following)
    return "fails" if sentence.tried or signs or (done and is_state) else None
