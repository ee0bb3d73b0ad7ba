"""Classify a whole text by its form: a change to a program, a feature request, a guide. Pure.

Each genre has several kinds of marks, and a text needs marks of two kinds: a single title "Add X" or heading
"Motivation" proves nothing. Bug reports have marks of their own ("Steps to reproduce") and are in none of these genres.
"""

from collections.abc import Sequence
from itertools import pairwise
from typing import Final

from accel.text.pattern import Pattern, pattern

_VERBS: Final = (
    r"(?:add|allow|avoid|block|bump|check|clarify|clean up|correct|delete|deprecate|detect|disable|document|do not"
    r"|don't|drop|enable|ensure|expose|extend|fall back|fix|force|guard|handle|ignore|implement|improve|include"
    r"|increase|install|introduce|limit|log(?! (?:of|from|for|file|entry|book))|make|mark|mention|migrate|move"
    r"|optimi[sz]e|pass|patch(?! notes)|pin|prevent|print|provide|raise|reduce|refactor|reject|remove|rename|replace"
    r"|report(?! (?:of|from|for|on|by|no|number|\d))|require|restore|restrict|retry|revert|rework|set|show|simplify"
    r"|skip|split|stop|support(?! (?:chat|ticket|request|case|team|forum|call|mail))|switch|tell|treat|unify|unpin"
    r"|update(?! (?:on|from|of|broke|breaks|\d)|:)|upgrade(?! (?:to|from|broke|of))|use|validate|warn|work around|wrap)"
)
_DOING: Final = (
    r"(?:(?:add|fix|bump|support|allow|document|implement|refactor|clean|skip)(?:p?ed|p?ing|e?s)"
    r"|(?:remov|handl|improv|enabl|disabl|mov|renam|replac)(?:ed|ing|es))"
)
_CHANGE_TITLE: Final = pattern(
    rf"(?:\[[\w ./-]{{1,40}}\] ?){{0,3}}(?:[\w./ -]{{1,30}}(?:\([^()\n]{{1,40}}\))?!?: )?"
    rf"(?:{_VERBS}|{_DOING}) [^\n?]{{4,140}}$"
    r"|(?:feat|fix|chore|build|ci|docs?|refactor|perf|test|style)(?:\([^()\n]{1,60}\))?!?: \S"
)
_CHANGE: Final[tuple[Pattern, ...]] = (
    pattern(
        r"\bthis (?:pr|pull request|mr|merge request|patch|change|commit|diff|series) (?!does|is\b|was|has)"
        r"(?:\w{2,20}s|will|also|only|just)\b"
        r"|\b(?:without|before|after) this (?:pr|pull request|patch|change|fix|commit)\b"
        r"|本 ?(?:PR|MR|补丁|提交)"
    ),
    pattern(
        r"[ \t]{0,4}(?:#{1,6}[ ]*|\*{2})?(?:what (?:does )?this (?:pr|patch|change)|how (?:was|were|has) (?:this|these)"
        r"(?: \w+)? (?:been )?tested|test plan|testing done|types? of changes?|summary of changes|pr types?|pr changes"
        r"|changes made|does this pr|改动说明|变更说明|修改内容|测试情况)"
        r"|#{1,6}[ ]*(?:changes|what changed|implementation|修改|改动|变更|änderungen|changements|cambios|mudanças"
        r"|изменения|変更点|変更(?:点|内容)|변경 ?사항)[ ]?[:：]?[ ]*$"
    ),
    pattern(
        r"(?:\*{0,2})(?:fixes|closes|resolves|refs?|related to|part of|depends on|reverts|cherry.picked from)[: ]{1,2}"
        r"(?:[\w./-]{0,60}#\d|https?://\S+/(?:issues|pull)/\d)|[A-Z][a-z]{2,12}-(?:off-)?by: |LGTM\b|/lgtm\b|nit: "
        r"|[^\n]{5,120} \(#\d{1,6}\)(?:\*\*)?$"
    ),
)
_REQUEST_TITLE: Final = pattern(
    r"[#* \t]{0,6}[\[【(]?[ ]?(?:feature(?:[ -]request)?|FR|RFC|RFE|enhancement|proposal"
    r"|功能(?:请求|建议)|新功能|特性请求)"
    r"[ ]?[\]】):：]"
)
_REQUEST: Final = pattern(
    r"[ \t]{0,4}(?:#{1,6}[ ]*|\*{2})\W{0,4}(?:feature (?:summary|description|request)|(?:the )?feature,? motivation"
    r"|proposed (?:solution|change|feature|design|behaviou?r)|describe the solution|describe alternatives"
    r"|alternatives?(?: considered)?|problem ?/ ?use case|use[ -]cases?|motivation|acceptance criteria|user story"
    r"|is your feature request|why (?:is )?this|solution you'?d like|需求描述|使用场景|期望的(?:功能|方案)|建议的方案)"
)
_WISH: Final = pattern(  # a sentence of such a request
    r"\b(?:it )?would be (?:nice|great|useful|helpful|good)"
    r" (?:if (?!some|any|you|I\b|we\b)|to (?:have|support|allow|accept|run|use|be able|train|let))"
    r"|describe the solution|\bI(?:'m| am|'d be|'ll be)? (?:happy|can|willing|glad) (?:to )?"
    r"(?:send|open|contribute|submit|provide) (?:a |the )?(?:pr|pull request|patch)\b"
    r"|希望(?:能|可以)?(?:支持|增加|提供)|建议(?:支持|增加)|(?:対応|サポート)して(?:ほしい|いただけると)"
    r"|wäre (?:schön|toll|hilfreich),? wenn|serait (?:bien|utile|pratique) (?:de|que)"
    r"|sería (?:útil|bueno|genial) (?:que|poder)|было бы (?:удобно|хорошо|полезно)"
)
_WISH_TITLE: Final = pattern(
    r"(?:please )?(?:add|accept|allow|enable|implement|let|make|offer|provide|support)\b"
    r"(?![^\n]{0,140}\b(?:is|was|my|fail|crash|error|broken|not )\w{0,8})"
)
_OWN_TROUBLE: Final = pattern(
    r"\b(?:I|we)(?:'m| am| are|'re)?(?: now| just| also| always| still)?"
    r" (?:get|got|getting|see|seeing|saw|hit|hitting|facing"
    r"|stuck)\b|\b(?:how (?:can|do|to)|any) (?:I|we|ideas?|help)\b|我(?:这边|遇到|这里)|求助"
)
_GUIDE: Final = pattern(  # the headings of a guide to one fault
    r"[ \t]{0,4}(?:#{1,6}[ ]*|\*{2}|\d{1,2}[.)][ ]?)?(?:what (?:it|this) means|how to (?:diagnose|fix"
    r"|solve|resolve|recover|reproduce it)(?: it| this)?|what to do|do not|symptoms?|(?:possible "
    r"|common )?causes?|typical (?:line|message|output|error)|"
    r"resolutions?|remed(?:y|ies)|typical [\w -]{3,40}|when (?:it|this) happens|prevention"
    r"|solutions?|可能(?:的)?原因|原因分析|(?:解决|处理)(?:方法|办法|方案|步骤)|现象描述|排查步骤|含义|问题(?:描述|现象)?)"
    r"(?:\*{2})?[ ]?(?:[:：][^\n]{0,200})?[ ]*$"
)
_SOLUTION: Final = pattern(
    r"(?:#{1,6}[ ]*|\*{2}|\d{1,2}[.)][ ]?)?(?:solutions?|(?:how to )?fix"
    r"|(?:问题|报错)?解决(?:方法|办法|方案|步骤)?)"
    r"(?:\*{2})?[ ]?(?:[:：][^\n]{0,300})?[ ]*$"
)
_HOWTO: Final = pattern(
    r"(?:如何)?解决[ ]?[\"“「'`]|[^\n]{0,80}(?:报错|问题|错误)(?:的)?(?:解决(?:方案|方法|办法)|处理方法|排查)"
    r"|(?:how to (?:fix|solve|resolve)|fixing|solving|resolving)\b"
    r"(?![ ]?(?:it|this|that|(?:this|the|my) (?:problem|issue|error))?[ ?!.]{0,4}$)"
    r"|\[?(?:solved|guide|howto|tutorial)\]?[:：]"
)
_STEP: Final = pattern(
    r"[ \t]{0,4}(?:[#*>-]{1,6}[ ]*)?(?:第[一二三四五六七八九十\d]{1,2}步|步骤[ ]?[一二三四五六七八九十\d]{1,2}"
    r"|(?:step|schritt|[ée]tape|paso|passo|шаг)[ ]\d{1,2}\b|手順[ ]?\d{1,2}"
    r"|(?:(?:first|second|third|fourth|fifth|erster|zweiter|dritter|vierter|primer|segundo|tercer|cuarto|primeiro"
    r"|первый|второй|третий)[ ](?:step|schritt|paso|passo|шаг)|(?:premi|deuxi|seconde?|troisi|quatri)[èe]?(?:me|re)?"
    r"[ ][ée]tape)\b)"
)
_BUG_FORM: Final = pattern(  # the headings of a form for reports of faults
    r"[ \t]{0,4}(?:#{1,6}[ ]*(?:\d{1,2}[.)][ ]+)?|\*{2})(?:describe the (?:bug|issue|problem)"
    r"|issue or feature description|quick debug (?:checklist|information)|\[bug\]"
    r"|(?:actual|observed|current) (?:behaviou?r|results?)|what (?:happened|went wrong|is the (?:bug|issue|problem))"
    r"|steps to reproduce|(?:to|how to) reproduce|(?:minimal )?repro(?:duc(?:tion|er))?(?: steps)?(?:[ ]?[:*]|$)"
    r"|(?:your )?current environment|relevant log output"
    r"|bug description|issue description|问题描述|复现步骤|实际(?:行为|结果)|报错(?:信息|日志)?|错误(?:信息|日志))"
)
_BUG_TITLE: Final = pattern(r"[\w.# ]{0,20}[\[【(](?:bug|issue|error|报错)[\]】)]")
_REPRODUCED: Final = pattern(r"reproduc|repro steps|expected behaviou?r|复现|期望|再現")
_RELEASE_TITLE: Final = pattern(r"[\w\[\]() .-]{0,40}\bv?\d{1,4}(?:\.\d{1,4}){1,3}\]?[^\n]{0,30}$")
_LISTED: Final = pattern(r"[-*•] |\d{1,2}[.)] |#{1,4} ")
_ITEM: Final = pattern(r"[ \t]{0,8}\d{1,2}[.)][ ]")
_FEWEST_STEPS: Final = 3
_UNDERLINE: Final = pattern(r"[=~^-]{3,80}[ ]*$")
_MOST_TITLE: Final = 70  # characters of an underlined title


def is_change(lines: Sequence[str], kinds: Sequence[str]) -> bool:
    """Return whether a text describes a change to a program: a pull request, a commit, a patch series."""
    told = _written(lines, kinds)
    if not told:
        return False
    marks = sum(
        any(mark.search(line) if at == 0 else mark.match(line) for line in told) for at, mark in enumerate(_CHANGE)
    )
    return marks + has_change_title(lines, kinds) + ("diff" in kinds) >= 2


def has_change_title(lines: Sequence[str], kinds: Sequence[str]) -> bool:
    """Return whether the first line is the title of a change: "Pin libtpu", "fix(ci): …"."""
    told = _written(lines, kinds)
    return bool(told) and bool(_CHANGE_TITLE.match(_title(told)))


def is_request(lines: Sequence[str], kinds: Sequence[str]) -> bool:
    """Return whether a text requests a feature and its writer reports no fault of their own."""
    told = _written(lines, kinds)
    marks = sum(bool(_REQUEST.match(line)) for line in told) + any(_WISH.search(line) for line in told)
    titled = bool(told) and bool(_REQUEST_TITLE.match(told[0]) or _WISH_TITLE.match(_title(told)))
    if marks + titled < 2 or "command" in kinds:
        return False
    return not any(_OWN_TROUBLE.search(line) or line.startswith("Traceback") for line in told)


def has_mark(lines: Sequence[str], kinds: Sequence[str]) -> bool:
    """Return whether a text has a mark of a change, a request or a guide. A single mark decides nothing."""
    told = _written(lines, kinds)
    if not told:
        return False
    changes = any(
        mark.search(line) if at == 0 else mark.match(line) for at, mark in enumerate(_CHANGE) for line in told
    )
    asks = bool(_REQUEST_TITLE.match(told[0])) or any(_REQUEST.match(line) for line in told)
    listed = _RELEASE_TITLE.match(_title(told)) and all(_LISTED.match(line) for line in told[1:])
    guides = (
        bool(listed and len(told) > _FEWEST_STEPS) or bool(_HOWTO.match(_title(told))) or bool(underlined_titles(lines))
    )
    return changes or asks or guides or has_change_title(lines, kinds)


def bug_form_headings(lines: Sequence[str]) -> int:
    """Return how many headings of a bug report's form a text has: "### Describe the bug", or "[Bug]" in its title."""
    title = next((line for line in lines if line.strip()), "")
    return bool(_BUG_TITLE.match(title.lstrip("# "))) + sum(bool(_BUG_FORM.match(line)) for line in lines)


def guide_marks(lines: Sequence[str], kinds: Sequence[str]) -> int:
    """Return how many marks of a guide a text has: headings, a title that promises one, numbered steps, a solution."""
    told = _written(lines, kinds)
    if not told:
        return 0
    solved = any(_SOLUTION.match(line) for line in _paragraphs(lines)) and not any(
        line.endswith(("?", "？")) for line in told
    )
    headings = sum(bool(_GUIDE.match(line)) for line in lines)
    return headings + bool(_HOWTO.match(_title(told))) + 2 * solved + 2 * is_in_steps(told)


def is_in_steps(told: Sequence[str]) -> bool:
    """Return whether a text is a step-by-step guide with an error as its example, which nobody claims as their own.

    Steps may have numbered items, which may ask the reader something.
    """
    steps, items = sum(bool(_STEP.match(line)) for line in told), [bool(_ITEM.match(line)) for line in told]
    return steps + (steps > 1 and sum(items) > 1) >= _FEWEST_STEPS and not any(
        _OWN_TROUBLE.search(line) or _REPRODUCED.search(line) or (line.rstrip().endswith(("?", "？")) and not item)
        for line, item in zip(told, items, strict=True)
    )


def underlined_titles(lines: Sequence[str]) -> int:
    """Return how many titles are underlined, as in reStructuredText and README files."""
    return sum(
        bool(_UNDERLINE.match(line))
        and 3 <= len(above := lines[at].strip()) <= _MOST_TITLE
        and abs(len(above) - len(line.strip())) <= 3
        for at, line in enumerate(lines[1:])
    )


def _paragraphs(lines: Sequence[str]) -> list[str]:
    """Return the first lines of the paragraphs after the first, except an error's own "Solution: …"."""
    return [line for above, line in pairwise(lines) if line.strip() and not above.strip()]


def _written(lines: Sequence[str], kinds: Sequence[str]) -> list[str]:
    return [line.strip() for line, kind in zip(lines, kinds, strict=True) if kind != "blank"]


def _title(told: Sequence[str]) -> str:
    return told[0].strip("# *")
