"""Recognise devices named in prose: "my 3090 GPUs", "GPU: RTX2080Ti", "4x A100-SXM4-80GB", "TPU v4-32".

said      words around the name say that it is present: a label ("显卡"), a count, "my", "GPU", a list of parts
implied   it is named, but nothing says that it is present; or only the maker is named: "an NVIDIA GPU"
Left out  devices that the text says are absent, or compares, requires or supports ("no Radeon", "such as A100"); a
          number with a unit ("1080 MB"); a bare number without words that make it a card; lines that readers have read
"""

import re
from collections.abc import Iterator
from typing import Final

from accel.facts.readers.page import Page
from accel.model.observation import Product
from accel.names.products import NamedProduct
from accel.text.pattern import pattern

_CARD_WORDS: Final = (
    r"gpus?|graphics(?: cards?| adapter| processor)?|video ?cards?|vga|display|cards?|accelerators?|npus?|tpus?"
    r"|devices?|hardware|chips?|hw|model|显卡|显示卡|型号|硬件|加速卡|芯片|环境|grafikkarte|carte graphique"
    r"|tarjeta gráfica|видеокарта|グラフィックボード|그래픽 ?카드"
)
_LABEL: Final = pattern(
    r"^\W{0,20}(?:(?:my|our|the|cuda|nvidia|amd|info|torch|detected|found|using) ){0,3}"
    rf"(?:{_CARD_WORDS})"
    r"(?:[ ]?(?:types?|models?|names?|info|device|used|detected|in use|count|number|memory|and|名称|型号|#?\d{1,2}"
    r"|\(s\))){0,4}"
    r"(?:[】*)\]]{0,2}\s?[:：=|]+|\s(?:(?:i am|i'm|we are) using )?(?:is|are))\s{0,20}"
    r"(?:cuda:\d{1,2}\s|\d{1,2},\s|\(?\d{1,3}\s?[x×*]?\)?\s?|gfx[0-9a-f]{3,4}\s|(?:nvidia|amd|intel) gpu )?\W{0,4}$",
    re.IGNORECASE,
)
_PRINTED: Final = pattern(
    r"(?:(?:^|[\s{,(.])(?:get_)?(?:(?:device|model|gpu|chip|adapter)[ _]?)?name"
    r"(?:\((?:cuda:)?(?P<index>\d{0,2})\))?[\"']?\s?[:=]\s?|^\W{0,4}(?:True|False)[ ,]{1,3}"
    r"|\bget_device_name\(\d{0,2}\)\)?\s?#[ \w]{0,16}:?\s?)"
    r"[\"'\[(]{0,2}$",
    re.IGNORECASE,
)
_ROW: Final = pattern(r"^(?:\|\s{1,6}|\[|#\s?)(?P<index>\d{1,2})(?:\]|\.)?\s{1,4}$")
_NUMBERED: Final = pattern(r"\b(?:gpu|device|cuda|card)\s?[:#]?\s?(?P<index>\d{1,2})\b(?!\.\d)", re.IGNORECASE)
_BEFORE: Final = pattern(
    r"(?:\b(?:my|our|an?|one|two|dual|single|double|quad|four|eight|have|has|had|with|using|use|own|got|bought"
    r"|installed|running|run|rented|on|in|w/|via|to|new|old|local|plus|mixed|same|and|&|\+|e?gpus?|cards?|graphics|device"
    r"|it is|it's|mine is|which is|grafikkarte|carte graphique)"
    r"|видеокарт[аеуы]|显卡|卡|是|用|的|张|块|我|(?:^|[\s(\[,:])\d{1,3}\s?[x×*张块卡]?|\bgpu \d{1,2}|cuda:\d{1,2})"
    r"[\s(:,]{0,3}(?:the |my |an? |single |desktop |mobile |hgx |dgx )?$",
    re.IGNORECASE,
)
_BEHIND: Final = pattern(
    r"(?:s|'s)?[\s(,]{0,3}"
    r"(?:(?:laptop|mobile|desktop|\d{1,3} ?gi?b|\(\d{1,3} ?gi?b\)|vram|oc|founders edition) ?[),]{0,2} ?){0,3}"
    r"(?:gpus?|(?:graphics |video )?cards?|graphics|npus?|accelerators?|boards?|machines?|servers?|nodes?|instances?"
    r"|laptops?|workstations?|vms?|box(?:es)?|hosts?|显卡|卡|机器|服务器|环境)(?!\w)|[\s]{0,2}上",
    re.IGNORECASE,
)
_CARD: Final = pattern(
    r"(?:s|'s)?\s{0,2}(?:laptop |mobile )?(?:gpus?|(?:graphics |video )?cards?|显卡|卡)(?!\w)", re.IGNORECASE
)
_OWNED: Final = pattern(
    r"(?:\b(?:my|our|an?|have|has|dual|single|two|four)|(?:^|[\s(\[,])\d{1,2}\s?[x×*张块]?|\bgpus?|显卡)\s{0,3}$",
    re.IGNORECASE,
)
_SEGMENT_BEFORE: Final = pattern(r"(?:^|[,;|(/+&，、；（])\s{0,10}(?:\d{1,3}\s?[x×*]\s?|[-*•]\s)?$")
_SEGMENT_BEHIND: Final = pattern(
    r"(?:s|'s)?(?:\s?[x×*]\s?\d{1,3})?(?:\s?\(?\d{1,3} ?gi?b\)?)?(?:\s?\([^()\n]{1,30}\))?\s{0,10}"
    r"(?:$|[,;|)/+&，、；）。.]|\bw(?:ith|/)\b|driver:? v?\d|passed through)",
    re.IGNORECASE,
)
_SENTENCE_BEFORE: Final = pattern(r"(?:[.!?] |[:：]\s{0,2})$")
_SYSTEM: Final = pattern(
    r"\W{0,9}(?:os\s?[:=]\s?)?(?:ubuntu|debian|windows|win ?1[01]|centos|rhel|rocky|fedora|arch|wsl|linux|macos)"
    r"[^,\n]{0,40},",
    re.IGNORECASE,
)
_ALONE: Final = pattern(r"\W{0,12}(?:\d{1,3}\s?[x×*]\s?|gfx[0-9a-f]{3,4} |cloud )?$", re.IGNORECASE)
_REST_ALONE: Final = pattern(
    r"\s{0,3}(?:(?:laptop |mobile )?gpus?|cards?|graphics|\(?\d{1,3} ?gi?b\)?)?[\s.)\]]{0,4}$", re.IGNORECASE
)
_NOT_HERE: Final = pattern(
    r"\b(?:supports?|supported|requirements?|such as|e\.g|unlike|instead of|other than|recommend\w*"
    r"|requires?|required|minimum|works? (?:fine |well )?(?:on|with)|compared"
    r"|only available|buy|benchmarks?|equivalent"
    r"|would you|should (?:i|we) (?:get|buy|rent|take|choose|use)|worth (?:buying|renting|it)"
    r"|(?:considering|thinking (?:of|about)) (?:an?|the|getting|buying|renting|ordering)"
    r"|or (?:above|higher|newer|better)|compatible with|tested on|check that|make sure|ensure)\b"
    r"|支持|推荐|建议|要求|类似|例如|比如",
    re.IGNORECASE,
)
# Words that compare or limit only within their own clause: "like a 3090", but not "…, and it looks like".
_NOT_HERE_IN_CLAUSE: Final = pattern(
    r"\b(?:like|newer|older|at least|another|different|later|if you|similar|series|generation|up to)\b", re.IGNORECASE
)
_SENTENCE_END: Final = pattern(r"(?<!e\.g)[.!?](?=\s|$)|[。！？]")
_CLAUSE_END: Final = pattern(r"[,.;:!?)](?=\s|$)|[。！？，；]")
_DENIED: Final = pattern(
    r"(?:\b(?:no|not|non|without|nor|isn'?t|aren'?t|neither|lacks?|missing|find)\b|n't\b|没有|无)[\s\w]{0,16}$",
    re.IGNORECASE,
)
_UNIT: Final = pattern(
    r"\s{0,2}(?:[kmgtp]i?b(?:/s)?|bytes?|tokens?|[mun]?s|sec|seconds?|minutes?|hours?|[mk]?w|watts?|[mkg]?hz|fps|%|it/s"
    r"|px|p|°c?|c|iterations?|steps?|samples?|lines?|words?|times|epochs?|[x×]\s?\d|dollars?|usd|euros?|drivers?"
    r"|version)(?!\w)",
    re.IGNORECASE,
)
_COUNT_BEFORE: Final = pattern(
    r"(?<![\w.:#-])(?P<count>\d{1,3})\s?(?:[x×*]|[张块卡](?!\w))\s{0,2}(?:of )?$", re.IGNORECASE
)
_COUNT_PLAIN: Final = pattern(r"(?<![\w.:#-])(?P<count>\d{1,2}) $")
_COUNT_BEHIND: Final = pattern(
    r"(?:s|'s)?\s?(?:[x×*]\s?(?P<count>\d{1,3})(?![\w.])"
    r"|\(?(?P<cards>\d{1,2}|[两双四八]) ?(?:gpus|cards|张|块|卡))",
    re.IGNORECASE,
)
_COUNT_WORD: Final = pattern(r"(?:\b(two|dual|double|four|quad|eight)|(双)[卡张块]?)\s{0,2}$", re.IGNORECASE)
_WORDS: Final = {"two": 2, "dual": 2, "double": 2, "four": 4, "quad": 4, "eight": 8, "双": 2, "两": 2, "四": 4, "八": 8}
_MAKERS_CARD: Final = frozenset(
    ("gpu", "gpus", "card", "cards", "graphics", "npu", "npus", "accelerator", "accelerators")
)
_OF_OTHERS: Final = ("document", "source", "diff")
_LONGEST: Final = 600
_MOST: Final = 100
_MOST_CARDS: Final = 64


def recognise(page: Page) -> Iterator[Product]:
    """Yield each product once per line."""
    words, names = page.words, page.specs.product_names
    seen: set[tuple[str, str | None, int]] = set()
    taken: set[int] = set()
    for named in page.products:
        number = words.line_at(named.start)
        taken.add(number)
        if number in page.read_lines:
            continue
        line = page.lines[number - 1]
        if len(line) > _LONGEST:
            continue
        begin = named.start - (page.text.rfind("\n", 0, named.start) + 1)
        before, behind = names.without_maker(line[:begin]), line[begin + named.end - named.start :]
        grade = _grade(named, before, behind)
        if grade is not None and page.prose.segments.kind(number) in _OF_OTHERS and grade == "said":
            grade = "implied"  # a manual, a change to a program or its source names devices of any machine
        if grade is None or (named.vendor, named.name, number) in seen:
            continue
        seen.add((named.vendor, named.name, number))
        index = _ROW.match(before) or _NUMBERED.search(before) or _PRINTED.search(before)
        yield Product(
            vendor=named.vendor,
            name=named.name,
            count=_count(before, behind),
            index=int(index["index"]) if index and index["index"] else None,
            stated=grade == "stated",
            **{**page.on_line(number), "grade": "said" if grade == "stated" else grade},
        )
        if len(seen) >= _MOST:
            return
    yield from _makers(page, taken)


def _grade(named: NamedProduct, before: str, behind: str) -> str | None:
    """Return "stated", "said" or "implied"; None if it is not a product, or is not present."""
    if _UNIT.match(behind) and not (named.branded or named.certain):
        return None
    if _DENIED.search(before):
        return None
    known = named.branded or named.certain
    labelled = bool(_LABEL.match(before)) or (known and bool(_PRINTED.search(before) or _ROW.match(before)))
    alone = known and bool(_ALONE.fullmatch(before)) and bool(_REST_ALONE.match(behind))
    if labelled or alone:
        return "stated"
    if _not_here(before, behind):
        return None
    listed = bool(_SEGMENT_BEFORE.search(before) and _SEGMENT_BEHIND.match(behind))
    if named.bare:
        if _UNIT.match(behind) or named.digits < 4:
            return None
        of_parts = listed and _SYSTEM.match(before)
        owned = _OWNED.search(before) and (_SEGMENT_BEHIND.match(behind) or behind[:1] in (" ", "s"))
        return "said" if _CARD.match(behind) or owned or of_parts else None
    numbered = known and bool(_NUMBERED.search(before[-24:]))
    if numbered or _COUNT_BEFORE.search(before) or (listed and known):
        return "stated"
    apart = known and bool(_SENTENCE_BEFORE.search(before) and _SEGMENT_BEHIND.match(behind))
    begins = apart or (known and bool(_ALONE.fullmatch(before)))
    if begins or _BEHIND.match(behind) or _BEFORE.search(before) or listed:
        return "said"
    return "implied" if known else None


def _not_here(before: str, behind: str) -> bool:
    """Return whether the sentence or clause is about other machines: supported, compared or recommended ones."""
    sentence = _SENTENCE_END.split(before)[-1], _SENTENCE_END.split(behind, 1)[0]
    clause = _CLAUSE_END.split(before)[-1], _CLAUSE_END.split(behind, 1)[0]
    return any(map(_NOT_HERE.search, sentence)) or any(map(_NOT_HERE_IN_CLAUSE.search, clause))


def _count(before: str, behind: str) -> int:
    found = _COUNT_BEFORE.search(before)
    if (
        found is None
        and (plain := _COUNT_PLAIN.search(before))
        and (_BEHIND.match(behind) or not before[: plain.start()].strip())
    ):
        found = plain
    if found:
        count = int(found["count"])
    elif told := _COUNT_BEHIND.match(behind):
        said = told["count"] or told["cards"]
        count = _WORDS.get(said) or int(said)
    elif word := _COUNT_WORD.search(before):
        count = _WORDS[(word[1] or word[2]).lower()]
    else:
        count = 1
    return count if 0 < count <= _MOST_CARDS else 1


def _makers(page: Page, taken: set[int]) -> Iterator[Product]:
    """Yield makers whose devices a line mentions without naming one: "an NVIDIA GPU"."""
    words, names = page.words, page.specs.product_names
    seen: set[str] = set()
    for word in words.places.keys() & _MAKERS_CARD:
        for place in words.places[word]:
            vendor = names.brand(words.words[place - 1]) if place else None
            if vendor is None or vendor in seen or words.starts[place] - words.ends[place - 1] > 2:
                continue
            number = words.line_at(words.starts[place])
            line = page.lines[number - 1]
            begin = words.starts[place - 1] - (page.text.rfind("\n", 0, words.starts[place - 1]) + 1)
            behind = line[begin + words.ends[place] - words.starts[place - 1] :]
            if number in taken or number in page.read_lines or len(line) > _LONGEST or _DENIED.search(line[:begin]):
                continue
            if _NOT_HERE.search(line) or re.match(r"\s?(?:driver|drivers|cloud|operator)\b", behind, re.IGNORECASE):
                continue
            seen.add(vendor)
            yield Product(vendor=vendor, **{**page.on_line(number), "grade": "implied"})
