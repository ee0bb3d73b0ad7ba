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
from collections.abc import Iterator, Mapping, Sequence
from typing import Any, Final

from accel.facts.readers.page import Page
from accel.model.dataclass import dataclass, replace
from accel.model.observation import Experiment, Outcome
from accel.text.lexicon import Hit
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
_VARIABLE_HIT: Final = frozenset({"a variable"})
_COMMAND_HIT: Final = frozenset({"a command"})
_OWN: Final = ("negated", "quoted")
_EAST: Final = "\u2e80"
_READ: Final = ("prose", "output")
_VERSIONED: Final = frozenset({"driver", "torch", "bios", "numpy", "kernel", "python", "toolkit"})
_WIDE: Final = frozenset({"only", "other"})  # may be in the next sentence
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

    @property
    def families(self) -> frozenset[str]:
        return frozenset().union(*(hit.families for hit in self.hits))

    def clause_of(self, place: int) -> int:
        """Return the number of the clause at a position: one in brackets has its own, below zero."""
        aside = next((at for at, (start, end) in enumerate(self.asides, 1) if start <= place < end), 0)
        return -aside or bisect_right(self.bounds, place)

    def clauses(self) -> Iterator[tuple[int, list[Hit]]]:
        """Yield the phrases of each clause that has any, in order."""
        found: dict[int, list[Hit]] = {}
        for hit in self.hits:
            found.setdefault(self.clause_of(hit.start), []).append(hit)
        yield from found.items()


def recognise(page: Page) -> Iterator[Experiment]:
    """Yield an experiment for each act, variable and command that was tried: in vain, or as the only cure."""
    table = page.specs.attempts[1]
    ways, states = _ways(table["acts"]), frozenset(table["states"])
    sentences = _sentences(page)
    seen: set[tuple[str, int]] = set()
    for at, sentence in enumerate(sentences):
        before = sentences[at - 1] if at and sentences[at - 1].last == sentence.first else None
        after = sentences[at + 1] if at + 1 < len(sentences) and sentences[at + 1].first == sentence.last else None
        acts = [
            (name if " " in name else f"act {name}", hits, name in states)
            for name, hits in _acts(sentence, before, after, ways, table, page)
        ]
        for condition, hits, is_state in (*acts, *_typed(sentence, page)):
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
        if hit.families == _VARIABLE_HIT and page.placed(hit.start, hit.end).get("status", "negated") in _OWN:
            number = sentence.clause_of(hit.start)
            sets = any(
                one.done and "set" in one.families and sentence.clause_of(one.start) == number for one in sentence.hits
            )
            found = _VARIABLE.match(page.text, hit.start)
            if found is not None:
                value = found[0].replace(found["to"], "=", 1) if found["to"] else found[0]
                yield value.rstrip(".,:"), [replace(hit, done=sets)], sets
        elif hit.families == _COMMAND_HIT:
            yield page.text[hit.start : hit.end].strip("`$ "), [hit], False


def acts_named(page: Page, number: int) -> Iterator[str]:
    """Yield the acts that the words of a command on a line name, whatever else it says."""
    lexicon, table = page.specs.attempts
    start = page.prose.line_start(number)
    here = frozenset().union(
        *(hit.families for hit in lexicon.find(page.words, start, start + len(page.lines[number - 1])))
    )
    names = (name for name, needs, never in _ways(table["acts"]) if needs <= here and not never & here)
    yield from dict.fromkeys(names)


def _ways(acts: Mapping[str, str]) -> list[tuple[str, frozenset[str], frozenset[str]]]:
    """Return (act, families that it needs, families that rule it out) for each way to say it."""
    return [
        (
            name,
            frozenset(word for word in way.split() if word[0] != "-"),
            frozenset(word[1:] for word in way.split() if word[0] == "-"),
        )
        for name, ways in acts.items()
        for way in ways.split(",")
    ]


def _sentences(page: Page) -> list[_Sentence]:
    """Return the sentences with any of the words, in order."""
    lexicon, prose = page.specs.attempts[0], page.prose
    hits: list[Hit] = []
    for number, line in enumerate(page.lines, 1):
        kind = prose.segments.kind(number)
        if line and len(line) <= _LONGEST and (kind in _READ or (kind == "document" and _BOX.match(line))):
            start = prose.line_start(number)
            end = start + len(line)
            hits += (hit for hit in lexicon.find(page.words, start, end) if prose.masked[hit.start] != "\x02")
            hits += (hit for hit in _written(page, start, end) if prose.masked[hit.start] != "\x02")
    hits.sort(key=lambda hit: hit.start)
    tried, untried = _listed(page, hits)
    found: list[_Sentence] = []
    at = 0
    while at < len(hits):
        first, last = prose.sentence(hits[at].start)
        inside = [hit for hit in hits[at : at + 200] if hit.start < last]
        at += len(inside) or 1
        number = prose.line_at(inside[0].start) if inside else 0
        if number and number not in untried:
            marks = [(mark.start(), mark.end()) for mark in _CLAUSE.finditer(page.text, first, last)]
            ends = [start for start, end in marks if end - start <= len("...")]
            ends += [hit.start for hit in inside if "but" in hit.families]
            aside = [(start, end) for start, end in marks if end - start > len("...")]
            found.append(_Sentence(first, last, inside, sorted(ends), aside, number in tried))
    return found


def _written(page: Page, start: int, end: int) -> Iterator[Hit]:
    """Yield the variables of a line, the commands in its code spans, and the command that an item of a list is."""
    for found in _VARIABLE.finditer(page.text, start, end):
        yield Hit(found.start(), found.end(), _VARIABLE_HIT, False)
    for form in (_SPAN, _ITEM_COMMAND):
        for found in form.finditer(page.text, start, end):
            if found["command"].removeprefix("sudo ").split(" ", 1)[0] in page.specs.commands:
                yield Hit(found.start("command"), found.end("command"), _COMMAND_HIT, False)


def _listed(page: Page, hits: Sequence[Hit]) -> tuple[set[int], set[int]]:
    """Return the lines of lists and tables of what was tried, and those whose box is not ticked."""
    tried, untried = set[int](), set[int]()
    of_lines: dict[int, set[str]] = {}
    for hit in hits:
        of_lines.setdefault(page.prose.line_at(hit.start), set()).update(hit.families)
    lines = page.lines
    for number, line in enumerate(lines, 1):
        if box := _BOX.match(line):
            (untried if box["mark"] == " " else tried).add(number)
        elif "list" in of_lines.get(number, ()):
            tried.update(_below(lines, number))
        elif (
            number not in tried
            and "|" in line
            and max(map(len, line.split("|"))) <= _CELL
            and {"fixed", "tried", "did"} & of_lines.get(number, set())
        ):
            tried.update(_rows(lines, number))
    return tried, untried


def _below(lines: Sequence[str], number: int) -> Iterator[int]:
    """Yield the lines that a heading introduces: the rest of its own line, a list, the answer to a form's question."""
    line = lines[number - 1].rstrip()
    if "|" in line:
        yield from _rows(lines, number)
        return
    lead, _, rest = line.replace("：", ":").partition(":")
    if len(lead.rpartition(". ")[2]) <= _FARTHEST and rest.strip(" *") and not _ITEM.match(line):
        yield number
        return
    heading = _HEADING.match(line) is not None or line.endswith(("?", "？"))
    if len(line) > _FARTHEST or _ITEM.match(line) or not (heading or line.endswith((":", "：", "?", "？")) or not rest):
        return
    ended = heading or line.endswith((":", "：", "?", "？"))
    found = False
    for at in range(number + 1, min(number + _LIST, len(lines) + 1)):
        here = lines[at - 1]
        is_item = _ITEM.match(here) is not None
        if is_item or (here.strip() and heading and not found and not _HEADING.match(here)):
            found = True
            yield at
        elif not ended if not here.strip() else not (found and here.startswith(("  ", "\t"))):
            return


def _rows(lines: Sequence[str], number: int) -> Iterator[int]:
    for at in range(number + 1, min(number + _LIST, len(lines) + 1)):
        if "|" not in lines[at - 1]:
            if lines[at - 1].strip():
                return
            continue
        yield at


def _acts(
    sentence: _Sentence,
    before: _Sentence | None,
    after: _Sentence | None,
    ways: Sequence[tuple[str, frozenset[str], frozenset[str]]],
    table: Mapping[str, Any],
    page: Page,
) -> Iterator[tuple[str, list[Hit]]]:
    """Yield each act that a sentence names, with its words in order."""
    verbs, things = table["verbs"].keys(), table["things"].keys()
    wide = _WIDE & (sentence.families | (after.families if after else frozenset()))
    last: list[Hit] = list(before.hits) if before else []
    for number, hits in sentence.clauses():
        hits = [*hits, *_moved(sentence, number, hits, page)]
        here = frozenset().union(*(hit.families for hit in hits))
        own = False
        for name, needs, never in ways:
            if needs <= (here | wide) and not never & here:
                yield name, _words_of(needs, hits)
                own = own or bool(needs & verbs)
        if not own and last and ("it" in here or not here & things):
            earlier = frozenset().union(*(hit.families for hit in last)) - verbs
            for name, needs, never in ways:
                if needs & verbs and needs & verbs <= here and needs <= here | earlier and not never & (here | earlier):
                    yield name, _words_of(needs, hits)
        if here - {"it"}:
            last = hits


def _words_of(needs: frozenset[str], hits: Sequence[Hit]) -> list[Hit]:
    return [hit for hit in hits if hit.families & needs] or list(hits)


def _moved(sentence: _Sentence, number: int, hits: Sequence[Hit], page: Page) -> Iterator[Hit]:
    """Yield the update or downgrade that two versions of the same thing show: "from 535 to 570"."""
    families = frozenset().union(*(hit.families for hit in hits))
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
    number = sentence.clause_of(hits[-1].start)
    around = [hit for hit in sentence.hits if sentence.clause_of(hit.start) == number]
    clause = frozenset().union(*(hit.families for hit in around))
    every = sentence.families
    if "before" in every or (page.text[sentence.first : sentence.last].rstrip().endswith(("?", "？"))):
        return None
    if "cure" in clause:
        return "works"
    end = hits[-1].end
    for sign in around:
        if sign.families & _BLOCKS and (sign.start < end or page.text[sign.start] >= _EAST):
            return None
        if "not" in sign.families and any(0 <= hit.start - sign.end <= _DENIED for hit in hits):
            return None
    if any("succeeds" in hit.families and hit.start >= end for hit in around) and "vain" not in clause:
        return None
    if "fixed" in clause or ("fixed" in every and "vain" not in every):
        return None
    vain = (
        {"vain"} if "after" in clause else {"vain", "broken", "unsupported"}
    )  # "after the update it cannot …": a cause
    done = any(hit.done for hit in hits) or "did" in clause
    following = after.families if after is not None else frozenset()
    if sentence.tried or (done and (is_state or every & (vain | {"tried", "also", "need"}) or "vain" in following)):
        return "fails"
    return "fails" if not done and every & (vain | {"tried"}) else None
