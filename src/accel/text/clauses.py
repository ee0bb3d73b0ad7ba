"""Where sentences and clauses end, and what puts one in doubt, in prose of several languages. Pure."""

from collections.abc import Iterator
from typing import Final

from accel.text.pattern import pattern

SENTENCE: Final = pattern(r"(?<=[.!?。！？;；])\s{1,4}|(?<=[。！？；])|\n", exact_case=True)
CLAUSE: Final = pattern(
    r"[,，、;；:：]\s?|\s(?:but|while|whereas|however|though|although|and then|aber|jedoch|mais|pero|mas|но|а)\s"
    r"|但是?|而|可是|却"
)
DOUBT: Final = pattern(
    r"\b(?:until|till|thought|think|hope|hopefully|hoping|should|would|could|might|may|if|when|once"
    r"|whether|how|need|needs|want|wants|try|trying"
    r"|tried|cannot|can't|not|never|isn't|wasn't|hasn't|won't|doesn't|didn't|to be|please|nobody"
    r"|no one|none of|neither|keiner|keines|aucun de|aucune de|ninguno|ninguna de|nenhum|nessuno|żaden"
    r"|no amount|no \w+ version|nada|niente|nulla|non|no (?:se|ha|han|he|hemos)"
    r"|must|muss|müssen|doit|doivent|debe|deben|deve|devem|musi|должн\w+"
    r"|claims?|claimed|says?|said|supposed|marked as|used to|(?:in order )?to (?:make|get|have)"
    r"|will|nothing|nicht|nie|kaum|noch|ob|falls|wenn|pas|jamais|nunca|não|ainda|aún|todavía|si|не|ли|если|нет)\b|没有?$|未$|不$|没法|无法|不能|必须|如何|怎么|是否|希望|应该|能否|请问|直到|以为|写的是|说是|据说|声称|号称"
)
ASKING: Final = pattern(
    r"[\s\x01\"'(]{0,4}(?:so |and |or |also |hi,? |q: ?)?(?:will|would|could|can|should|does|do|is|are"
    r"|am|may|might|what if|what happens)\b"
)
TROUBLE: Final = pattern(
    r"\b(?:fail\w*|errors?|cannot|can'?t|could ?n[o']t|unable|denied|refused|timed? ?out|timeout"
    r"|mismatch\w*|incompatible|undefined"
    r"|unsupported|invalid|corrupt\w*|missing|insufficient|out of memory|lost|xid|hang\w*|hung|stuck"
    r"|crash\w*|broken|fallen|killed"
    r"|exception|fatal|traceback|panic|segfault|not (?:found|available|supported|detected|compatible|recognized))\b"
    r"|报错|错误|失败|异常|崩溃|掉卡|ошибк|エラー|Fehler|erreur|에러|오류"
)
LONGEST: Final = 1200  # characters of a line that is read as prose
_END: Final = pattern(
    r"(?<!\be\.g)(?<!\bi\.e)(?<!\bvs)(?<!\betc)[.!?](?=[\"')\]*_]{0,3}(?:\s|$))"
    r"(?![ ]?(?:は(?!い)|が(?!ん)|を|という|と(?:出|表示)|も(?:出|発生)"
    r"|(?:와|과|는|은|을|를|라는|이라는)[ ]|오류|에러|메시지))"
    r"|[。！？]|[;；](?=\s|$)|(?<=[\u3000-\u9fff])[?!]"
)
_IN_MESSAGE: Final = pattern(r"[ ][a-z]", exact_case=True)
_EMBEDDED: Final = pattern(r"[\u3040-\u30ff\u4e00-\u9fff][^\u3040-\u30ff\u4e00-\u9fff\n]{1,120}$(?!\n)")
_LONGEST_MESSAGE: Final = 121  # characters of a message before its full stop


def sentence_ends(text: str) -> Iterator[int]:
    """Yield the positions at which sentences end.

    A full stop in a message that is embedded in Chinese or Japanese ends none, nor does one before a particle.

    >>> list(sentence_ends("没有出现 init failed. ret is -1。")), list(sentence_ends("It failed. Why?"))
    ([28], [10, 15])
    """
    for found in _END.finditer(text):
        end = found.end()
        if found[0] == "." and _IN_MESSAGE.match(text, end):
            before = text[max(0, end - 1 - _LONGEST_MESSAGE) : end - 1]
            if _EMBEDDED.search(before):
                continue
        yield end


def tells_of_trouble(line: str) -> bool:
    """Whether a line has a word of failure."""
    return TROUBLE.search(line) is not None
