"""Find what the writer says happened to a fault: solved, persisting, fine, repaired. Pure."""

from collections.abc import Iterator
from typing import Final

from accel.text.cues import ASKING, DOUBT, Prose
from accel.text.pattern import pattern
from accel.text.records import is_record
from accel.text.ruling import Cue, Event

_LOSS: Final = pattern(r"\b(?:gone|disappeared|vanished|went away)\b")
_LOST: Final = pattern(  # things whose absence is a fault, and whose presence is not
    r"\b(?:gpus?|npus?|tpus?|cards?|boards?|devices?|access|drivers?|modules?|nodes?|memory|/dev/\w{1,20})"
    r"(?: access| is| are| was| were| has| have| now| just| simply| then| all| suddenly){1,3}"
    r" (?:gone|disappeared|vanished|went away)\b"
)
_NOT_THIS: Final = pattern(  # about other things, other times, or under a condition
    r"\b(?:everything|anything|all) else\b|\ball other\b|\bin the past\b|\balways worked\b"
    r"|\bas long as\b[^.;]{0,80},|其他(?:都|的)"
)
_LIMITED: Final = pattern(
    r"[ ,]{0,2}(?:until|till|up to|for (?:a while|\w+ (?:minutes|hours|days|steps))|as long as"
    r"|only (?:if|when|with|on)|when|if|on (?:the )?(?:cpu|host|node))\b"
)
_OTHER: Final = pattern(
    r"\b(?:on|with|under|using) (?:the|my|an|a|our) (?:old|older|other|another|previous|second|host"
    r"|cpu)\b|\b(?:on|with) (?:cpu|windows|linux|wsl)\b|\bon the node itself\b"
    r"|宿主机|主机上|(?:单卡|别的|另一台|CPU ?上)"
)
_OFF: Final = pattern(  # what works under that condition proves nothing here
    r"\b(?:with|when|if|once|after|by|without|unless)\b[^.;!?\n]{0,60}\b(?:unset|disabled|(?:switched|turned) off"
    r"|is off|removed|uninstalled|without it|on the cpu)\b"
    r"|\b(?:disabling|unsetting|removing|turning off|switching off) \w"
)
_HANGS: Final = pattern(  # "it hangs: no error, no output"
    r"\b(?:hang(?:s|ing)?|hung|stuck|freez(?:es|ing)|killed)\b|卡住|卡死|挂起|固まる|зависа\w{0,6}"
)
_MEASURED: Final = pattern(  # something around it, in which nothing was found: that is no success of what fails
    r"\b(?:look(?:ed|ing)? (?:at|into)|check(?:ed|ing)|measur(?:ed|ing)|monitor(?:ed|ing)|watch(?:ed|ing)"
    r"|inspect(?:ed|ing)"
    r"|temperatures?|temps?|voltages?|power (?:draw|supply|usage|limit)|psu|cables?|bios|fans?)\b"
    r"|温度|功耗|电源|供电|电压|风扇|线缆|Temperatur|Netzteil|température|alimentation|temperatura|fuente|температур|питани"
)
_UNREMARKABLE: Final = pattern(
    r"\b(?:nothing|no|not|nichts|rien|nada)\b|正常|没有|无异常|异常なし|unauffällig|в норме|normale?s?\b"
)
_STILL: Final = ("ask", "unsolved", "recurring")
_ALONE: Final = pattern(  # a separate sentence, or its end
    r"(?:(?<=[.!?;,])[ ]|^|(?<=\n))(?:(?:it |that |now |all |everything |and )?"
    r"(?:works|worked|runs|fixed|solved|resolved|done)"
    r"(?: now| again| fine)?(?=[.!])|(?:läuft|geht|funktioniert|gelöst|erledigt|fonctionne|résolu|solucionado|resuelto"
    r"|решено|работает|всё работает|заработало)(?=[.!:])|\[(?:solved|resolved|fixed)\])"
    r"|\b(?:went through|did it)(?=[,.;!]| on\b| now\b| without\b)"
)
_LETTERS: Final = pattern(
    r"[^\w\n]{0,4}[\u3040-\u30ff\u4e00-\u9fff\uac00-\ud7af]{2}"
)  # languages that programs seldom print
_COUNTED: Final = pattern(  # a log search, described in words, that found nothing
    r"\b(?:dmesg|journalctl|grep)\b[^\n]{0,200}?(?:grep -\w{0,4}c|wc -l)[^\n`]{0,80}`? ?(?:gives"
    r"|prints|says|returns|shows|is|=|->|→|:)? {0,4}0(?=$|[ ,.;])"
)

_SHARE: Final = pattern(  # how many of them are well: "12/12 healthy", "7 of 8 cards listed"
    r"(?<![\w/.])(?P<some>\d{1,4}) ?(?:/|\bof\b|\bvon\b|\bsur\b|\bde\b|\bиз\b) ?(?P<all>\d{1,4})(?![\w/.])"
    r"(?: [^\W\d]{1,12})?"
    r" (?:healthy|listed|online|ready|up\b|back\b|green|reachable|gesund|bereit|en ligne|listas?|в строю)"
)
_GOES_BACK: Final = pattern(  # back to the previous version: the fault is present with the current one
    r"\b(?:boot\w{0,3}|go(?:es|ing)?|switch\w{0,3}|fall\w{0,3}) back (?:in)?to\b"
    r"|\b(?:on|with|under|using|into|back to|mit|auf|unter|avec|sous|con|на|с|под) (?:\w{1,8} )?"
    r"(?:(?:old|older|earlier|previous|ältere\w?|alte\w|vorige\w|ancien(?:ne)?|старо\w{1,2}|прежн\w{1,3})"
    r" (?:\w{1,20} )?(?:kernel|driver|version|release|build|treiber|noyau|pilote|ядр\w|верси\w|драйвер\w{0,2})"
    r"|(?:kernel|versión|controlador|noyau|version|pilote) (?:anterior|antigu[oa]|précédente?))"
    r"|(?:用|在|换回|退回|回到)(?:了)?(?:旧|老|之前的?|上一个?)(?:的)?(?:版本|内核|驱动)|古い(?:カーネル|バージョン|ドライバ)"
)
_UNDER: Final = pattern(
    r"(?:\b(?:on|with|under|using|into|mit|auf|unter|avec|sous|con|на|с|под)|用|在|换成)"
    r"[ ]?(?:[^\W\d]{2,12}[ ])?v?(?P<release>\d{1,4}(?:\.\d{1,4}){1,3})(?![\d.]*\d)"
)
_RELEASE: Final = pattern(r"(?<![\d.])(\d{1,4}(?:\.\d{1,4}){1,3})(?![\w.]*\d)")
_BY_NOW: Final = pattern(r"\b(?:now|finally|solved|fixed|resolved)\b|现在|解决|jetzt|maintenant|ahora|теперь")


def events_of(prose: Prose) -> tuple[Event, ...]:
    """Return the events of a text in order, without solutions that are doubted, asked about or denied."""
    title_line = _title_line(prose)
    found = [Event(prose.line_at(place.start()), "well", place.start()) for place in _COUNTED.finditer(prose.text)]
    found += _shares(prose)
    for alone in _ALONE.finditer(prose.masked):
        line = prose.line_at(alone.end() - 1)
        doubtful = DOUBT.search(prose.masked, max(0, alone.start() - 40), alone.start())
        if prose.segments.kind(line) == "prose" and not doubtful:
            found.append(Event(line, "solved", alone.start()))
    for cue in prose.cues:
        line = prose.line_at(cue.start)
        title = line == title_line and cue.kind == "solved"
        if prose.segments.kind(line) == "output" and not (
            title
            or cue.kind == "closed"
            or is_record(prose.line_text(line))
            or (cue.kind in _STILL and _is_own_sentence(prose, cue))
        ):
            continue
        if cue.kind in ("present", "recurring") and _is_supposed(prose, cue):
            continue
        if cue.kind == "recurring" and _is_of_the_past(prose, cue):
            continue
        if cue.kind == "well" and (
            any(sign.search(prose.masked, *prose.sentence(cue.start)) for sign in (_OFF, _HANGS, _NOT_THIS))
            or _LIMITED.match(prose.masked, cue.end)
            or _is_measured(prose, cue)
        ):
            continue
        if cue.kind == "unsolved" and _is_onset(prose, cue):
            continue
        if cue.kind in (
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
        ) or (cue.kind in ("solved", "works") and _is_certain(prose, cue)):
            found.append(Event(line, cue.kind, cue.start))
    return tuple(sorted(found, key=lambda event: event.place))


def _is_measured(prose: Prose, cue: Cue) -> bool:
    """Whether a sentence only reports that a measurement of something nearby showed nothing."""
    before = prose.masked[prose.sentence(cue.start)[0] : cue.start]
    found = list(_MEASURED.finditer(before))
    return bool(found) and bool(_UNREMARKABLE.match(prose.masked, cue.start, cue.end))


def _shares(prose: Prose) -> Iterator[Event]:
    """Yield the meaning of shares in the text: all of them are well, or some are missing."""
    for share in _SHARE.finditer(prose.masked):
        line = prose.line_at(share.start())
        some, every = int(share["some"]), int(share["all"])
        if some <= every and prose.segments.kind(line) == "prose":
            yield Event(line, "well" if some == every else "unsolved", share.start())


def _goes_back(prose: Prose, first: int, last: int) -> bool:
    """Whether a sentence says that a previous version works: an older kernel, or a lower release than one above."""
    if _BY_NOW.search(prose.masked, first, last):
        return False
    if _GOES_BACK.search(prose.masked, first, last):
        return True
    for under in _UNDER.finditer(prose.masked, first, last):
        release = _parts(under["release"])
        above = (_parts(found[1]) for found in _RELEASE.finditer(prose.text, 0, first))
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


def _is_onset(prose: Prose, cue: Cue) -> bool:
    """Return whether a cue only gives the start of a solved state: "since the update it is gone"."""
    _, last = prose.sentence(cue.start)
    if not prose.masked[cue.start : cue.end].lower().startswith("since"):
        return False
    over = (one for one in prose.cues if one.kind == "solved" and cue.end <= one.start < last)
    return any(not _LOSS.search(prose.masked, one.start, one.end) for one in over)


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
    if _NOT_THIS.search(prose.masked, first, last) or _goes_back(prose, first, last):
        return False
    asked = prose.masked[first:last].rstrip().endswith(("?", "？"))
    if cue.kind == "works" and any(
        one.kind in ("past", "turn", "unsolved") and first <= one.start < last for one in prose.cues
    ):
        return False
    if _LOSS.search(prose.masked, cue.start, cue.end) and _LOST.search(prose.masked, first, cue.end):
        return False
    if _LIMITED.match(prose.masked, cue.end) or _OTHER.search(prose.masked, first, last):
        return False
    inside = [one for one in prose.cues if first <= one.start < last and one is not cue]
    return not asked and not any(
        one.kind in ("unsolved", "hypothetical", "quoted") and one.start < cue.end
        for one in inside
        if one.reach != "text" and not _is_onset(prose, one)
    )
