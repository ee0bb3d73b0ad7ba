"""Detect documentation: manuals, FAQs, release notes, tables of errors. It says what may happen to anybody. Pure.

A region of documentation begins at a typical heading ("NOTES", "Known issues", "常见问题"), at a row of a table of
errors and fixes, or at a general sentence ("A message such as … means that …"). A text that begins this way and never
uses the first person is documentation throughout. A region ends at "I have it now", at a prompt with a command, or at
a log line with a time: from there on the text reports on a machine again.
"""

from collections.abc import Iterator, Sequence
from typing import Final

from accel.text.code_tables import example_marks, explaining_rows
from accel.text.genres import guide_marks, has_change_title, is_change, is_in_steps, is_request, underlined_titles
from accel.text.pattern import pattern

_SECTION: Final = pattern(
    r"[ \t]{0,4}(?:#{1,6}[ ]*|\*{2}|={1,3}[ ])?(?:\d{1,2}(?:\.\d{1,2}){0,2}[.)]?[ ])?(?:"
    r"(?:(?:known|common|frequent) (?:issues?|problems?|errors?|limitations?)|release notes?"
    r"|change ?log|what'?s (?:new|changed)|frequently asked questions"
    r"|faqs?|troubleshooting(?: guide)?|error (?:codes|reference)|bug ?fixes|highlights|deprecations?"
    r"|breaking changes|upgrade notes"
    r"|runbook|playbook|glossary|appendix|errata|advisory"
    r"|常见(?:问题|错误|报错)|故障(?:排查|排除|处理|码)|错误码|疑难解答|更新日志|发布说明|版本说明|使用手册|操作手册|已知问题|附录"
    r"|よくある質問|トラブルシューティング|リリースノート|既知の問題|자주 묻는 질문|문제 해결|릴리스 노트"
    r"|häufige (?:fragen|fehler)|fehlerbehebung"
    r"|устранение неполадок|известные проблемы|часто задаваемые вопросы|dépannage|problèmes connus"
    r"|solución de problemas|preguntas frecuentes)"
    r"(?:[ :：(,（–—-](?!\s{0,3}https?:)[^\n]{0,60})?)[ ]{0,3}(?:\*{2})?[:：]?[ ]{0,3}$"
)
_USAGE: Final = pattern(r"usage: \S|(?:options|positional arguments|optional arguments|subcommands|flags):[ ]*$")
_MARKUP: Final = pattern(r"\.\. (?:_[\w-]{2,60}:|[\w-]{3,30}::)")
_WIKI_TITLE: Final = pattern(r"={2,4} ?[^=\n]{2,60} ?={2,4}[ ]*$")
_WIKI: Final = pattern(r"\{\|(?:[ ]|$)|\|-[ ]*$|(?:\*[ ])?\[\[[^\]\n]{2,80}\]\][ ]*$")  # a table, a link to a page
_MANUAL: Final = pattern(
    r"(?:NAME|SYNOPSIS|DESCRIPTION|OPTIONS|NOTES|EXAMPLES?|DIAGNOSTICS|EXIT STATUS|FILES|BUGS|SEE ALSO"
    r"|ENVIRONMENT VARIABLES|RETURN VALUES?)[ ]*$",
    exact_case=True,
)
_HEADED: Final = pattern(
    r"[ \t]{0,4}#{1,6}[ ][^\n]{0,80}\b(?:release notes|migration (?:notes|guide)|change ?log"
    r"|upgrade (?:notes|guide)|troubleshooting|known issues|runbook|faq|changes in|"
    r"what does this (?:pr|pull request|change|patch)|summary of changes|test plan|type of change"
    r"|checklist)|[ \t]{0,4}#{1,6}[ ][^\n]{0,40}(?:说明|手册|指南|常见问题|排查|变更|更新内容)"
    r"|[ \t]{0,4}#{1,6}[ ][^\n]{0,40}(?:절차서|설명서|매뉴얼|가이드|手順書|マニュアル|ガイド|anleitung\b|handbuch\b"
    r"|leitfaden\b|manuel\b|mode d'emploi|procédure\b|manual de\b|guía\b|procedimiento\b|инструкция|руководство"
    r"|регламент)"
)
_NUMBERED: Final = pattern(r"\d{1,2}(?:\.\d{1,2}){1,3}[ ]{1,4}[A-Za-z\u4e00-\u9fff][^\n.:]{1,60}$")
_NOTES: Final = pattern(
    r"[^\n]{0,60}(?:发行说明|发布说明|更新日志|版本说明|release notes|change ?log)[ ]?(?:v?\d[\w.-]{0,20})?[ ]*$"
    r"|【(?:修复|新增|已知问题|优化|变更)】"
)
_CHANGE: Final = pattern(  # of a pull request, a patch, a review
    r"[^\n]{5,120} \(#\d{1,6}\)(?:\*\*)?$|(?:PR|MR)(?: ?#\d{1,6})?[:：】]|【PR"
    r"|(?:\[\w[\w ./-]{0,30}\] ?)?(?:feat|fix|chore|build|ci|docs|refactor|perf"
    r"|test)(?:\([^()\n]{1,40}\))?!?: "
    r"|/(?:lgtm|approve|retest)\b|LGTM|(?:Fixes|Closes|Resolves|Refs?|Ref)\b[:. ]|(?:Fixes|Summary"
    r"|Motivation|Changes)[:：]?$|Reviewer|Reviewed-by|Signed-off-by|Merged|Unit tests?\b|单测|(?:改动|变更"
    r"|修改)(?:说明|内容)|请 ?@?\w{0,20} ?(?:review|合入)|nit:"
)
_ANNOUNCED: Final = pattern(  # addressed to others, about a quoted message; without a quotation it may be a log level
    r"(?:notice|psa|announcement|公告|通知)[:：][^\n\"“`]{8,200}[\"“`][^\n\"”`]{4,300}[\"”`][^\n\"“`]{0,80}$"
)
_QUESTION: Final = pattern(r"[ \t*#-]{0,6}Q\d{0,2}[.:：] ", exact_case=True)
_SHOUTED: Final = pattern(r"[A-Z][A-Z0-9_-]{2,40}\(\d\w?\)", exact_case=True)  # a manual page's title
_ROW: Final = pattern(r"[ \t]{0,4}\|[^|\n]{2,}\|[^|\n]{2,}\|")
_ROW_HEAD: Final = pattern(
    r"[ \t]{0,4}\|[^\n]{0,200}(?:\berrors?|messages?|symptoms?|code|problem|exception|报错|错误|现象|症状"
    r"|提示)[^\n]{0,200}\|[^\n]{0,200}"
    r"(?:causes?|fix(?:es)?|solutions?|remed|meaning|action|what to do|reason|explanation|原因|处理|解决|措施"
    r"|说明|含义)[^\n]{0,200}\|"
)
_GENERAL: Final = pattern(
    r"\b(?:means? that|indicates? that|is (?:printed|raised|shown|returned|reported|logged) (?:when|if"
    r"|by)|occurs? (?:when|if)|appears? (?:when|if)"
    r"|a message such as|messages? like|you (?:may|might|can|will|should) (?:see|get|encounter|need"
    r"|also)|if you (?:see|get|encounter|run into|hit)"
    r"|this (?:error|message|warning|usually|typically) (?:usually |typically |often )?(?:means"
    r"|happens|occurs|indicates|appears)|users? (?:may|might|should|can|who)"
    r"|see (?:the |also )?(?:section|\d|chapter|appendix|table)|refer to)\b|多为|一般是|通常是"
    r"|请(?:检查|执行|确认|参考|先)|表示|含义"
)
_FIRST_PERSON: Final = pattern(
    r"\b(?:I|I'm|I've|I'd|I'll|my|mine|me|we're|our)\b|我(?!们?建议)|我们(?:的|这)|咱"
    r"|\b(?:ich|mein|meine|meinem|wir haben|je|j'ai|mon|ma|mes|yo|tengo|mi)\b|(?:^|[ ,.])(?:я|мы"
    r"|у меня|у нас|мой|моя|наш)(?=[ ,.])|私|僕|うちの|저는|제가"
)
_SHELLS: Final = frozenset(("bash", "sh", "shell", "zsh"))
_TIMED: Final = pattern(
    r"[ \t]{0,4}\[?(?:\d{4}[-/]\d\d[-/]\d\d[T ]\d\d:\d\d|(?:(?:Mon|Tue|Wed|Thu|Fri|Sat|Sun) )?"
    r"(?:Jan|Feb|Mar|Apr|May|Jun|Jul|Aug|Sep|Oct"
    r"|Nov|Dec) {1,2}\d{1,2} \d\d:\d\d|[IWEF]\d{4} \d\d:\d\d|[ ]{0,6}\d{1,7}\.\d{6}\])"
)


def document_lines(lines: Sequence[str], kinds: Sequence[str], languages: Sequence[str | None]) -> Iterator[int]:
    """Yield the indices of lines of documentation. kinds: the kinds of the lines as far as they are known."""
    if is_change(lines, kinds) or is_request(lines, kinds):
        yield from range(len(lines))
        return
    shown: Sequence[str] = [
        "source" if kind == "command" and language in _SHELLS else kind
        for kind, language in zip(kinds, languages, strict=True)
    ]
    inside = _begins_as_one(lines, kinds)
    if not inside and "command" in kinds and _begins_as_one(lines, shown, shows=True):
        inside, kinds = True, shown
    table = False
    explained = frozenset(number for number, headed in explaining_rows(lines) if headed)
    for number, line in enumerate(lines):
        kind = kinds[number]
        if kind == "blank":
            table = False
            continue
        if _ROW_HEAD.search(line) and _ROW.match(line):
            table = True
        elif not _ROW.match(line):
            table = False
        is_told = kind == "command" or _TIMED.match(line) or (languages[number] is None and _is_personal(line))
        if is_told or (_USAGE.match(line) and _refuses(lines, number)):
            inside = False
        elif _is_heading(line) or _SHOUTED.match(line.strip()):
            inside = _goes_on_generally(lines, kinds, number)
        if inside or table or number in explained or _ANNOUNCED.match(line):
            yield number


def _is_heading(line: str) -> bool:
    return bool(
        _USAGE.match(line)
        or _QUESTION.match(line)
        or _SECTION.match(line)
        or _MANUAL.match(line)
        or _HEADED.match(line)
        or _NOTES.match(line)
    )


def _refuses(lines: Sequence[str], start: int) -> bool:
    """Return whether a usage text is a program's response to a wrong argument: it then ends with an error."""
    return any(_REFUSAL.match(line) for line in lines[start + 1 : start + _LONGEST_USAGE])


_REFUSAL: Final = pattern(r"[\w./ -]{1,80}: (?:error|fatal|unrecognized option|invalid option|unknown option)\b")
_LONGEST_USAGE: Final = 80  # lines


def _is_personal(line: str) -> bool:
    return bool(_FIRST_PERSON.search(_without_strings(line))) and not _ASKED.match(line)


_ASKED: Final = pattern(r"[ \t*#-]{0,6}(?:Q ?\d{0,2}|问)[:：]")  # the questioner in a FAQ is no real person


def _without_strings(line: str) -> str:
    return _STRINGS.sub("", line)


_STRINGS: Final = pattern(r"`[^`\n]{0,300}`|\"[^\"\n]{0,300}\"|“[^”\n]{0,300}”|«[^»\n]{0,300}»|「[^」\n]{0,300}」")


def _begins_as_one(lines: Sequence[str], kinds: Sequence[str], *, shows: bool = False) -> bool:
    """Return whether the text opens as documentation: in general terms, with no person and no machine speaking.

    shows  it has commands in a fence of shell code: only general terms then prove that nobody has typed them
    """
    told = [(line, kind) for line, kind in zip(lines, kinds, strict=True) if kind != "blank"]
    in_steps = is_in_steps([line for line, kind in told if kind == "prose"])  # with commands for its reader to type
    if any(
        (kind == "command" and not in_steps)
        or _TIMED.match(line)
        or line.startswith("Traceback")
        or _REFUSAL.match(line)
        or _is_personal(line)
        for line, kind in told
    ):
        return False
    changes = sum(bool(_CHANGE.match(line.strip())) for line, _ in told) + any(kind == "diff" for _, kind in told)
    wiki = any(_WIKI_TITLE.match(line) for line, _ in told) and any(_WIKI.match(line) for line, _ in told)
    if wiki or sum(bool(_MARKUP.match(line)) for line, _ in told) >= 2:
        return True
    if changes + has_change_title(lines, kinds) >= 2 or guide_marks(lines, kinds) >= 2 or underlined_titles(lines) >= 2:
        return True
    marks = sum(bool(_is_heading(line) or _SHOUTED.match(line.strip())) for line, _ in told)
    numbered = sum(bool(_NUMBERED.match(line)) for line, _ in told)
    marks += numbered + max((example_marks(line) for line, _ in told), default=0)
    if any(explaining_rows(lines)) and not any(line.rstrip().endswith(("?", "？")) for line, _ in told):
        return True
    general = sum(bool(_GENERAL.search(_without_strings(line))) for line, _ in told)
    if shows:
        return general >= 2
    return marks + min(general, 2) >= 2 or (marks >= 1 and len(told) >= 3)


def _goes_on_generally(lines: Sequence[str], kinds: Sequence[str], start: int) -> bool:
    """Return whether a section's first lines are not a machine's output: issue forms use the same headings."""
    looked = 0
    for number in range(start + 1, len(lines)):
        if kinds[number] == "blank":
            continue
        if (
            kinds[number] == "command"
            or _TIMED.match(lines[number])
            or lines[number].startswith("Traceback")
            or _is_personal(lines[number])
        ):
            return False
        looked += 1
        if looked >= 4 or _is_heading(lines[number]):
            return True
    return looked > 0
