"""Where a text repeats what others wrote of a fault, and does not report one.

    Docs: "Failed to get global TPU topology" means that …       The manual says EJ0002 needs a new optical module.
    I read that Xid 79 is a dead board.                           if you see "libatb.so: cannot open …", source …
    # needed because of: cannot allocate memory in static TLS block             What is "ret is -8005"? Not here.
    This change treats "fallen off the bus" as an Xid.            fix(xid): tell "GPU is lost" apart
    - Fixed "undefined symbol: …" with torch 2.6
    On which cards is bf16 not supported?
    Expected: NCCL INFO NET/IB : Using [0]mlx5_0:1/RoCE                 预期结果：NET/IB
    文档里说 libatb.so: cannot open shared object file 要安装 NNAL       如果出现 -8020，请 …

Only what follows such an opening within its sentence is meant; "but", "still" or "I get" ends it: from there on the
writer speaks of the machine again ("the docs say that X is needed, but I get ImportError: …"). A program's own output
opens no such sentence that is told here: its advice ("If you still get this message, …") begins with other words.
"""

import re
from typing import Final

from accel.text.pattern import pattern

_OPENING: Final = pattern(
    r"\b(?:docs?|documentation|manual|guide|readme|faq|wiki|article|blog(?: post)?|tutorial|handbook|release notes"
    r"|forum|chatgpt|google)(?: page| post| thread| section| chapter)?[ ]"
    r"(?:also )?(?:says?|said|states?|mentions?|explains?|warns?|tells?|lists?|describes?)\b"
    r"|^[ \t>*-]{0,8}(?:docs?|documentation|manual|faq|readme)[ ]?:"
    r"|(?<=[.;] )(?:docs?|documentation|manual|faq|readme)[ ]?:"
    r"|\bI(?:'ve| have)? (?:also )?(?:read|heard|learned|learnt) (?:somewhere |online |elsewhere )?(?:that|about|of)\b"
    r"|^[ \t>*#-]{0,8}(?:expected|expected (?:result|output|log|line|behaviou?r)s?|it should (?:say|print|show|be))"
    r"[ ]?[:：]"
    r"|^[ \t>*#-]{0,8}(?:期望|预期|应该是)(?:结果|输出|行为|日志)?[ ]?[:：]"
    r"|\b(?:somebody|someone|others?|people|a colleague|colleagues|my admin) (?:else )?"
    r"(?:says?|said|reports?|reported|claims?|claimed|told me|report(?:ed)? seeing)\b"
    r"|^[ \t>*-]{0,8}(?:note|tip|hint|faq)[ ]?:[ ]?if you (?:see|get|encounter|run into|hit)\b"
    r"|^[ \t>]{0,8}[-*•+][ ](?:\*{2})?(?:fix(?:e[sd])?|resolve[sd]?|improve[sd]?|documented|added|bug ?fix)\b"
    r"|(?:^[ \t>*#-]{0,8}|(?<=[.;] ))if you (?:ever )?(?:see|encounter|run into) [\"'`“]"
    r"|^[ \t>*#-]{0,8}if (?:the |your )?[\w.-]{3,30}(?: command| log| output)? "
    r"(?:says|prints|reports|complains|returns)\b"
    r"|\bthis (?:pull request|pr|mr|merge request|patch|commit|change|feature|proposal) "
    r"(?:makes|adds|lets|teaches|detects|handles|treats|improves|fixes|updates|changes|introduces|extends|documents)\b"
    r"|^[ \t>*#-]{0,8}(?:feat|fix|docs?|chore|refactor|test)(?:\([^()\n]{0,60}\))?: "
    r"|^[ \t>*#-]{0,8}(?:notice|announcement|advisory|known issues?)[ ]?:"
    r"|\b(?:on|for|with|in) (?:which|what) (?:cards?|gpus?|devices?|chips?|hardware|architectures?|models?|systems?)\b"
    r"|\bfor (?:future )?reference\b|\bsee (?:also )?the [^.\n]{0,24}\b(?:table|catalogue|manual|documentation)\b"
    r"|(?:文档|手册|官网|教程|博客|网上|有人)[^，。,.\n]{0,8}(?:说|写|提到|讲)"
    r"|^[ \t>*#-]{0,8}(?:release notes?|changelog|change log|更新日志)[^:：\n]{0,30}[:：]"
    r"|^[ \t>*-]{0,8}如果(?:出现|遇到|看到)"
    r"|\b(?:forum|blog|earlier|other|old|similar|related|reddit|stack ?overflow)[ ]"
    r"(?:post|thread|issue|question|answer|report|topic)s?[ ]?[:：]"
    r"|^[ \t]{0,8}#[ ]?(?:this is )?(?:needed|required|workaround|works around|fix(?:es)?|avoids?|otherwise"
    r"|to (?:avoid|fix|prevent|work around)|against|because of)\b",
    re.IGNORECASE | re.MULTILINE,
)
_END: Final = pattern(
    r"\n|[.!?。！？][\"'”）)]?(?=\s|$)|\b(?:but|however|yet|although|though|whereas|still|instead|nevertheless|mine"
    r"|and my|here it|got|actual(?:ly)?|found|I (?:get|got|see|have|had|am getting|still)"
    r"|we (?:get|got|see|have)|it (?:fails|failed|crashes|prints)"
    r"|my (?:error|log|output|case|machine))\b|但|可是|然而|不过|还是|我这|我的|仍"
)


# What stands before it in the line was spoken of, and is not what the writer has.
_DENIAL: Final = pattern(
    r"[.?!][)\"'`]?[ ]this (?:pull request|pr|mr|patch) (?:adds|documents|explains|mentions|rewords)\b|"
    r"[.?!,;][)\"']?[ ](?:but |and )?(?:(?:it|that|this)(?:'s| is| was) )?not (?:here|mine|my case|our case|my problem"
    r"|our problem|the case here)\b|(?:不是我的(?:情况|问题)|我(?:这里)?没有(?:遇到|出现))",
    re.IGNORECASE,
)


def hearsay(text: str) -> tuple[tuple[int, int], ...]:
    """Return the places, from and to, in which the text repeats others' words; mostly none."""
    repeated = [(found.end(), _end(text, found.end())) for found in _OPENING.finditer(text)]
    repeated += [(text.rfind("\n", 0, found.start()) + 1, found.start()) for found in _DENIAL.finditer(text)]
    return tuple(repeated)


def _end(text: str, start: int) -> int:
    found = _END.search(text, start)
    return found.start() if found else len(text)
