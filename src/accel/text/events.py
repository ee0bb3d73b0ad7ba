"""Find what the writer says happened to a fault: solved, persisting, fine, repaired. Pure."""

from collections.abc import Iterator
from typing import Final

from accel.text.clauses import ASKING, DOUBT
from accel.text.cues import Prose
from accel.text.pattern import pattern
from accel.text.records import is_record
from accel.text.ruling import Cue, Event

_STILL: Final = ("ask", "unsolved", "recurring")
_STATED: Final = (
    "recurring",
    "unsolved",
    "shared",
    "bare",
    "wanted",
    "ask",
    "present",
    "well",
    "repaired",
    "closed",
    "now",
)
_LETTERS: Final = pattern(
    r"[^\w\n]{0,4}[\u3040-\u30ff\u4e00-\u9fff\uac00-\ud7af]{2}"
)  # languages that programs seldom print
_COUNTED: Final = pattern(  # a log search, described in words, that found nothing
    r"\b(?:dmesg|journalctl|grep)\b[^\n]{0,200}?(?:grep -\w{0,4}c|wc -l)[^\n`]{0,80}`?[^\n\d`]{0,9} 0(?=$|[ ,.;])"
)
_SHARE: Final = pattern(  # how many of them: "12/12", "7 of 8"
    r"(?<![\w/.])(?P<some>\d{1,4}) ?(?:/|\b[^\W\d]{2,3}\b) ?(?P<all>\d{1,4})(?![\w/.])"
)
_COUNTED_OF: Final = pattern(
    r"(?P<all>\d{1,4}) ?(?P<unit>[^\W\d])[里中]\D{0,8}?(?P<some>\d{1,4}) ?(?P=unit)"
)  # "12 台里好了 9 台"
_SHARED: Final = 32  # characters behind a share in which it is said what it is of
_RELEASE: Final = pattern(r"(?<![\d.])(\d{1,4}(?:\.\d{1,4}){1,3})(?![\w.]*\d)(?! ?(?:[KMG]i?B|%|[smh]\b))")
_DEVICE: Final = pattern(  # a device's name, or a framework's answer
    r"\bTrue\b|\b(?:Cuda|Tpu|Rocm|Xpu)Device\b|\bgfx\d{3,4}|\b[A-Z]{1,3}\d{1,4}[A-Z]{0,2}\b"
    r"|\b(?:RTX|GTX|Arc|Radeon|Instinct|Tesla|Quadro) [A-Z]{0,2}\d{2,5}",
    exact_case=True,
)
TOOL: Final = pattern(  # it lists devices, or a program uses them
    r"\b(?:(?P<lists>[a-z]{2,10}[ -]?(?:smi|gmi)|[a-z]{2,8}info|[a-z]{2,6}top|lspci|lsmod)"
    r"|[a-z]\w{1,20}(?:\.\w{1,30}){0,3}\.(?:\w{0,10}is_available|\w{0,16}devices?|device_count|get_\w{0,10}providers)"
    r"(?:\(\))?|torch|pytorch|jax|tensorflow|ollama|llama\.cpp|vllm|blender|openvino|ffmpeg)(?![\w-])"
)
_CLAUSE_END: Final = pattern(r"[,;:，；：、()（）。]|[.!?](?:\s|$)")
_SIGHT: Final = 90  # characters of a clause in which something is looked for and seen
_AFTER_ALONE: Final = pattern(r"[.!:\]。！]|[ ]{0,2}(?:\n\s{0,4}\n|\s{0,4}$(?!\n))")
_PLAIN: Final = pattern(r"[^\W\d_]+(?:[,;:]? [^\W\d_]+(?:['’-][^\W\d_]+)?){1,11} ?[.!?]{0,3}")
_FIRST_WORD: Final = 9  # characters of a sentence's first word
_JUST_BEFORE: Final = 12  # characters in which a word denies what follows, or what is before it: "tampoco arrancó"
_AFTER_THROUGH: Final = pattern(r"[.!,;]|[ ](?:on|now|without)\b")
_BEFORE_ALONE: Final = pattern(r"(?:^|[.!?;:,\n] ?|\[)$(?!\n)")


def events_of(prose: Prose) -> tuple[Event, ...]:
    """Return the events of a text in order, without solutions that are doubted, asked about or denied."""
    title_line = _title_line(prose)
    found = [Event(prose.line_at(place.start()), "well", place.start()) for place in _COUNTED.finditer(prose.text)]
    found += _shares(prose)
    found += _alone(prose)
    found += _sights(prose)
    for cue in prose.cues:
        line = prose.line_at(cue.start)
        title = line == title_line and cue.kind == "solved"
        if prose.segments.kind(line) == "output" and not (
            title
            or cue.kind == "closed"
            or is_record(prose.line_text(line))
            or (cue.kind == "outcome" and prose.segments.run_at(line) is None)
            or (cue.kind in _STILL and _is_own_sentence(prose, cue))
            or (cue.kind in ("solved", "works", "unsolved", "now") and _stands_alone(prose, line))
        ):
            continue
        if cue.kind in ("present", "recurring") and _is_supposed(prose, cue):
            continue
        if cue.kind == "recurring" and _is_of_the_past(prose, cue):
            continue
        if cue.kind == "well" and (
            any(prose.is_marked(kind, *prose.sentence(cue.start)) for kind in ("off", "apart", "other"))
            or _is_limited(prose, cue)
            or prose.is_marked("measured", prose.sentence(cue.start)[0], cue.start)
        ):
            continue
        if cue.kind == "unsolved" and (_is_onset(prose, cue) or prose.is_marked("denies", *prose.sentence(cue.start))):
            continue
        if cue.kind == "repaired" and prose.is_marked("undone", cue.end, cue.end + _JUST_BEFORE):
            continue  # 再起動はできません
        if cue.kind == "closed" and DOUBT.search(prose.masked[max(0, cue.start - 2) : cue.start]):
            continue
        if cue.kind in _STATED or (cue.kind in ("solved", "works", "outcome") and _is_certain(prose, cue)):
            found.append(Event(line, cue.kind, cue.start))
    return tuple(sorted(found, key=lambda event: event.place))


def _alone(prose: Prose) -> Iterator[Event]:
    """Yield solutions that are sentences of their own, or the end of one: "Swapped the riser, works.".

    Behind a repair in the same sentence nothing has to part them: "After setting the path it works."
    """
    end = len(prose.masked)
    for cue in (*prose.marks("alone", 0, end), *prose.marks("through", 0, end)):
        line = prose.line_at(cue.start)
        first = prose.sentence(cue.start)[0]
        parted = _BEFORE_ALONE.search(prose.masked[max(0, cue.start - 2) : cue.start]) is not None
        said = {one.kind for one in prose.cues_in(first, cue.start)}
        if parted and said.isdisjoint(("repaired", "now", "solved")):
            parted = not prose.has_word("under", first, min(cue.start, first + _FIRST_WORD))  # "On the host, it works"
        begins = (cue.kind == "through" or parted) or (
            "repaired" in said
            and said.isdisjoint(("negated", "turn", "unsolved", "hypothetical", "quoted"))
            and not any(prose.is_marked(kind, first, cue.end) for kind in ("other", "apart", "back"))
            and not prose.has_word("denying", max(first, cue.start - _JUST_BEFORE), cue.start)
            and not TOOL.search(prose.text, max(first, cue.start - _JUST_BEFORE), cue.start)
        )
        if prose.is_marked("rarely", *prose.sentence(cue.start)):
            continue
        ends = (_AFTER_THROUGH if cue.kind == "through" else _AFTER_ALONE).match(prose.masked, cue.end)
        if not (begins and ends):
            continue
        doubtful = DOUBT.search(prose.masked, max(0, cue.start - 40), cue.start)
        if (prose.segments.kind(line) == "prose" or _stands_alone(prose, line)) and not doubtful:
            yield Event(line, "solved", cue.start)


def _sights(prose: Prose) -> Iterator[Event]:
    """Yield what the writer sees now, in a clause of any language: a tool, a verb of seeing, a device.

    "rocminfo zeigt gfx1100", "jax.devices() gives me all eight", "nvidia-smi 能看到两张 L40S": "listed" if a tool
    lists it, and "works" if the framework does.
    """
    for tool in TOOL.finditer(prose.text):
        place, line = tool.start(), prose.line_at(tool.start())
        first, last = prose.sentence(place)
        if prose.segments.kind(line) != "prose" or prose.text[first:last].rstrip().endswith(("?", "？")):
            continue
        end = min(last, tool.end() + _SIGHT, prose.line_end(line))
        ends = _CLAUSE_END.search(prose.text, tool.end(), end)
        end = ends.start() if ends else end
        start = max((one.end() for one in _CLAUSE_END.finditer(prose.text, first, place)), default=first)
        seen = _DEVICE.search(prose.text, tool.end(), end) or prose.has_word("counted", tool.end(), end)
        if not seen or not prose.has_word("sees", start, end) or prose.has_word("denying", start, end):
            continue
        supposed = any(
            one.kind in ("hypothetical", "quoted", "elsewhere", "expected", "turn") and one.reach != "text"
            for one in prose.cues_in(first, place)
        )
        limited = any(prose.is_marked(limit, first, end) for limit in ("other", "apart", "before"))
        if not (supposed or limited or DOUBT.search(prose.masked, start, place)):
            yield Event(line, "listed" if tool["lists"] else "works", place)


def _is_limited(prose: Prose, cue: Cue) -> bool:
    """Return whether good news holds for a while or under a condition only: "works until the next boot"."""
    return any(limit.start <= cue.end + 3 for limit in prose.marks("limited", cue.end, cue.end + 40))


def _is_undone(prose: Prose, cue: Cue) -> bool:
    """Return whether a denial follows good news in the same clause: "das war's leider nicht"."""
    return any(not prose.masked[cue.end : one.start].strip() for one in prose.marks("undone", cue.end, cue.end + 24))


def _shares(prose: Prose) -> Iterator[Event]:
    """Yield the meaning of shares in the text: all of them are well, or some are missing."""
    for share in (*_SHARE.finditer(prose.masked), *_COUNTED_OF.finditer(prose.masked)):
        line = prose.line_at(share.start())
        some, every = int(share["some"]), int(share["all"])
        is_up = share.re is _COUNTED_OF.compiled or prose.is_marked(
            "up", share.end(), min(share.end() + _SHARED, prose.line_end(line))
        )
        if some <= every and is_up and prose.segments.kind(line) == "prose":
            yield Event(line, "well" if some == every else "unsolved", share.start())


def _goes_back(prose: Prose, first: int, last: int) -> bool:
    """Whether a sentence says that a previous version works: an older kernel, or a lower release than one above."""
    if prose.is_marked("final", first, last) or any(cue.kind == "now" for cue in prose.cues_in(first, last)):
        return False
    if prose.is_marked("back", first, last):
        return True
    for release in map(_parts, _RELEASE.findall(prose.masked[first:last])):
        above = map(_parts, _RELEASE.findall(prose.text[:first]))
        if any(len(one) == len(release) and one[0] == release[0] and one > release for one in above):
            return True
    return False


def _parts(release: str) -> tuple[int, ...]:
    return tuple(map(int, release.split(".")))


def _title_line(prose: Prose) -> int:
    kinds = prose.segments.kinds
    return next((number for number, kind in enumerate(kinds, 1) if kind != "blank"), 0)


def _is_own_sentence(prose: Prose, cue: Cue) -> bool:
    """Return whether a cue is a person's sentence on a line that also has a message: "ImportError: …。请问怎么办"."""
    first, last = prose.sentence(cue.start)
    sentence = prose.masked[first:last]
    start = prose.text.rfind("\n", 0, cue.start) + 1
    return "\x02" not in sentence and bool(_LETTERS.match(prose.masked, max(first, start)))


def _stands_alone(prose: Prose, line: int) -> bool:
    """Return whether a line is a paragraph of a few plain words below the text's first line: "Listo, ya compila."."""
    around = (prose.segments.kind(n) for n in (line - 1, line + 1) if 0 < n <= len(prose.segments.kinds))
    plain = line > 1 and _PLAIN.fullmatch(prose.line_text(line).strip()) is not None
    return plain and prose.segments.run_at(line) is None and all(kind == "blank" for kind in around)


def _is_onset(prose: Prose, cue: Cue) -> bool:
    """Return whether a cue only gives the start of a solved state: "since the update it is gone"."""
    _, last = prose.sentence(cue.start)
    if not prose.masked[cue.start : cue.end].lower().startswith("since"):
        return False
    return any(one.kind == "solved" and cue.end <= one.start for one in prose.cues_in(cue.start, last))


def _is_supposed(prose: Prose, cue: Cue) -> bool:
    """Return whether an assertion is part of a supposition, or of a question about a possibility."""
    first, last = prose.sentence(cue.start)
    supposed = any(one.kind == "hypothetical" and first <= one.start < cue.start for one in prose.cues)
    asked = prose.masked[first:last].rstrip().endswith(("?", "？")) and bool(ASKING.match(prose.masked, first))
    return supposed or asked


def _is_of_the_past(prose: Prose, cue: Cue) -> bool:
    """Return whether a sentence about a recurring fault is in the past: "it used to hang at every boot"."""
    first, last = prose.sentence(cue.start)
    return any(one.kind in ("past", "quoted", "negated") and first <= one.start < last for one in prose.cues)


def _is_certain(prose: Prose, cue: Cue) -> bool:
    """Return whether a solution is stated as certain: not asked, hoped for, denied, reported of others or temporary."""
    first, last = prose.sentence(cue.start)
    before = prose.masked[first : cue.start]
    clause = before[max(before.rfind(","), before.rfind("，"), before.rfind(" and "), before.rfind("("), 0) :]
    if DOUBT.search(" ".join(clause.split()[-6:]) if " " in clause.strip() else clause[-8:]):
        return False
    if any(prose.is_marked(kind, first, last) for kind in ("apart", "rarely")) or _goes_back(prose, first, last):
        return False
    asked = prose.masked[first:last].rstrip().endswith(("?", "？"))
    if cue.kind == "works" and any(
        one.kind in ("past", "turn", "unsolved") and first <= one.start < last for one in prose.cues
    ):
        return False
    if _is_limited(prose, cue) or prose.is_marked("other", first, last) or _is_undone(prose, cue):
        return False
    done = max((one.end for one in prose.cues_in(first, cue.start) if one.kind == "repaired"), default=first)
    inside = [
        one for one in prose.cues_in(first, last) if one is not cue and (one.start >= done or one.kind == "unsolved")
    ]
    return not asked and not any(
        one.kind in ("unsolved", "hypothetical", "quoted") and one.start < cue.end
        for one in inside
        if one.reach != "text" and not _is_onset(prose, one)
    )
