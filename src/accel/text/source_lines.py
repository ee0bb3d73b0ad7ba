"""Detect source code, patches, and search results in code. Faults that they mention did not happen. Pure.

    ./setup.py:212:    # undefined symbol: …          a search result: file, line, contents
    raise RuntimeError("Failed to find any NPU")      code that contains the words as a string
    # workaround for: fallen off the bus               a comment
    if "CUDA error" in str(e): retry()
A traceback quotes code too, but its exception line says what happened, so its code lines are not included.
"""

from collections.abc import Iterator, Sequence
from itertools import groupby, pairwise
from typing import Final

from accel.text.pattern import pattern

_EXTENSION: Final = (
    r"(?:py|pyi|pyx|c|cc|cpp|cxx|cu|cuh|hip|h|hpp|rs|go|java|js|ts|sh|bash|md|rst|txt|ya?ml|toml|cfg"
    r"|ini|cmake|proto|tf|j2|json|po|ipynb)"
)
_FOUND: Final = pattern(
    rf"[ \t]{{0,4}}[\w./@+-]{{1,160}}\.{_EXTENSION}(?::\d{{1,7}}(?::\d{{1,5}})?:|-\d{{1,7}}-"
    rf"|:(?=[ \t#\"'/]))"
)
_FRAME: Final = pattern(r"[ \t]{1,12}File \"|[ \t]{0,8}[\w./-]{1,160}:\d{1,7}: in ")
_STATEMENT: Final = pattern(
    r"(?:raise|assert|throw|return|if|elif|else if|for|while|def|class|import|from|with|try|except"
    r"|catch|switch|case|const|static|let|var"
    r"|public|private|fn|func|void|int|auto|char|bool|std::|TORCH_CHECK|PADDLE_ENFORCE|CHECK|EXPECT_"
    r"|ASSERT_|LOG|print|printf|fprintf|echo|logger|logging|log|self|expect|warnings"
    r"|(?:errors?|msg|message)(?=[ ]?[.(=+\[]|: [\"']))\b",
    exact_case=True,
)
_ASSIGNED: Final = pattern(
    r"[A-Za-z_][\w.]{0,60}(?:: [\w\[\], |]{1,60})? = [\[({\"'fr]"
    r"|[\"'\d][^\s:]{0,40}: ?[\"'fr][^\n]{0,300}[,}]$|[)\]}]{1,3}[;,]?$|#include|#!/|(?:fi|done|esac"
    r"|else|default:|end)$"
    r"|[(\[{].{0,300}[)\]}],?$|(?:import|from) [\w.]{1,60}(?: import .{1,200})?$"
)
_FILLED: Final = pattern(  # "KNOWN = {", "static const char *NAMES[] = {"
    r"[A-Za-z_][^\n=\"']{0,100}=[ ]?(?:new )?[\w.<>]{0,40}[\[({][ ]?(?:$|[\"'\d{(\[])"
)
_CALL: Final = pattern(  # a call, an assignment or a comparison with a message as a string: by its signs alone
    r"[\w.:>@$*&!-]{1,80}(?:\[[^\]\n]{0,60}\])?[ ]?(?:\(|[:+]?=(?!=)|==|~)[^\n]{0,160}(?<=[(=,\[{~ ])[rfbuL]{0,2}"
    r"(?:\"[^\"\n ]{1,80} [^\"\n]{2,}\"|'[^'\n ]{1,80} [^'\n]{2,}'|/[^/\n]{4,}/\w?)[ ]?"
    r"(?:[)\],;:}{]|\.\w{1,30}\(|[ ](?:in|then|else|if|do)\b)[^\n]{0,120}$"
)
_THROWN: Final = pattern(r"[\w.]{0,80}(?:Error|Exception|Warning|Exit)\(")
_SYNTAX: Final = pattern(
    r"[;{}]$|:$|\)$|\);|\(.*[\"']|[=!]=|[\"'][ ]?(?:in|==|:|,|\))|\w\(|[:=][ ]?[fr]?[\"']|&&|\|\||->"
    r"|=>|\[\"",
    exact_case=True,
)
_SENTENCES: Final = pattern(r"[a-z]{2}[.!?] [A-Z][a-z']{0,15} [a-z]", exact_case=True)
_QUOTED: Final = pattern(r"\"[^\"]{0,400}\"|'[^']{0,400}'")
_STRING: Final = pattern(r"[\"'][^\"']{4,}")
_COMMENT: Final = pattern(
    r"[ \t]{0,40}(?:#(?![!#])[ ]{0,4}|//+[ ]?|/\*+[ ]?|\*[ ](?=.{0,300}\*/)|--[ ](?=\w)|<!--)(?=\w"
    r"|['\"`])"
)
_RAISES: Final = pattern(r"(?:raise|throw)\b", exact_case=True)  # alone, it is what is left of a traceback
_DEFINES: Final = pattern(r"[ \t]{0,40}(?:def|class|async def) \w", exact_case=True)
_TEXT: Final = pattern(r"[ \t]{0,40}[A-Za-z_][\w.]{0,60} ?= ?[rfbu]{0,2}\"{3}")  # of a constant: SAMPLE = """
_TEXT_LINES: Final = 200
_SEARCHES: Final = pattern(r"\b(?:grep|rg|ag|ack|git grep)\b")
_CODE_FENCES: Final = frozenset(
    [
        *("python", "py", "python3", "c", "cpp", "c++", "cuda", "cc", "rust", "rs", "go", "java", "js", "javascript"),
        *("ts", "typescript", "cmake", "makefile", "dockerfile", "hcl", "starlark", "lua"),
    ]
)
_WARNED: Final = pattern(r"\S{1,300}:\d{1,7}: \w{0,60}(?:Warning|Error|Exception)\b")
_RAW: Final = pattern(
    r"[\w.]{0,80}(?:Error|Exception|Warning|Exit|Interrupt)\b(?::|$)|Traceback|[EWIF]\d{4} "
    r"|(?:time|level|msg|source)=(?:\"[^\"\n]{0,300}\"|[^\s\"]{1,80}) \w{2,40}=\S"  # a record of key=value
    r"|msg=\"[^\"\n]{20,300}\"$"  # its message alone
)


_YAML: Final = pattern(
    r"(?:- )?(?:run|name|uses|image|env|with|script|steps|stage|command|args|on|if|resources|limits"
    r"|volumes|services): ?"
)


_BUILT: Final = pattern(  # what compilers and make print, whatever a writer calls the fence around it
    r"\S{1,200}:\d{1,6}(?::\d{1,4})?: (?:fatal )?(?:error|warning|note): |make(?:\[\d\])?: |"
    r"[ ]{1,4}(?:CC|LD|AR|MODPOST|CXX)(?: \[M\])?[ ]{1,4}\S|compilation terminated|ninja: |FAILED: "
)


def source_lines(lines: Sequence[str], languages: Sequence[str | None]) -> Iterator[int]:
    """Yield the indices of lines of code, comments in code, or search results. languages: of the fences."""
    languages = _without_builds(lines, languages)
    found = set(_single_lines(lines, languages))
    alone = {
        n for n in found if not found.intersection(range(n - 3, n)) and not found.intersection(range(n + 1, n + 4))
    }
    found -= {n for n in alone if _RAISES.match(lines[n].strip()) and languages[n] not in _CODE_FENCES}
    found |= set(_docstrings(lines))
    yield from sorted(found | _around(found, lines))


def _without_builds(lines: Sequence[str], languages: Sequence[str | None]) -> Sequence[str | None]:
    """Return the languages of the fences, with "" for fences that contain build output rather than code."""
    told = list(languages)
    start = 0
    for end in range(len(told) + 1):
        if end < len(told) and told[end] == told[start]:
            continue
        if told[start] in _CODE_FENCES and any(_BUILT.match(line) for line in lines[start:end]):
            told[start:end] = [""] * (end - start)
        start = end
    return told


def _docstrings(lines: Sequence[str]) -> Iterator[int]:
    """Yield the lines of docstrings and of a constant's text: their examples ran on no machine here."""
    inside = False
    for number, line in enumerate(lines):
        marks = line.count('"""')
        defined = marks > 0 and (
            any(_DEFINES.match(before) for before in lines[max(0, number - 2) : number])
            or (bool(_TEXT.match(line)) and any('"""' in below for below in lines[number + 1 : number + _TEXT_LINES]))
        )
        if inside or (marks and defined):
            yield number
        if marks % 2 and (inside or defined):
            inside = not inside


def _around(found: set[int], lines: Sequence[str]) -> set[int]:
    """Return the other lines of blocks in which at least two fifths are code: they contain the code's error texts."""
    more: set[int] = set()
    start = 0
    for end in range(len(lines) + 1):
        if end < len(lines) and lines[end].strip():
            continue
        block = range(start, end)
        code = [n for n in block if n in found or _ASSIGNED.match(lines[n].strip())]
        is_told = any(n in found or _FILLED.match(lines[n].strip()) for n in block)
        if len(code) >= 3 and len(code) * 5 >= 2 * len(block) and is_told:
            more.update(block)
        start = end + 1
    return more


def _single_lines(lines: Sequence[str], languages: Sequence[str | None]) -> Iterator[int]:
    traceback = -10
    searched = _searched(lines)
    for number, line in enumerate(lines):
        body = line.strip()
        if not body:
            continue
        if _FRAME.match(line) or body.startswith("Traceback"):
            traceback = number
            continue
        if _RAW.match(body) or _WARNED.match(body) or number - traceback <= 3:
            traceback = number if number - traceback <= 3 and line[:1] in " \t" else traceback
            continue
        if number in searched or _is_code(line, body, languages[number], _neighbour(lines, number)):
            yield number


def _searched(lines: Sequence[str]) -> frozenset[int]:
    """Return the results of a file search: adjacent lines that name several files. A compiler names only one."""
    found: set[int] = set()
    block: dict[int, str] = {}
    for number in range(len(lines) + 1):
        hit = _FOUND.match(lines[number]) if number < len(lines) else None
        if hit:
            block[number] = hit[0].split(":")[0].strip()
            continue
        if len(set(block.values())) > 1 or (block and _SEARCHES.search(lines[min(block) - 1] if min(block) else "")):
            found.update(block)
        block = {}
    return frozenset(found)


def _is_code(line: str, body: str, language: str | None, neighbour: str) -> bool:
    if language in _CODE_FENCES:
        return bool(_SYNTAX.search(body) or _COMMENT.match(line) or _STATEMENT.match(body) or line[:1] in " \t")
    if _COMMENT.match(line):
        return _is_statement(neighbour) or bool(_YAML.match(neighbour))
    return _is_statement(body)


def _is_statement(body: str) -> bool:
    """Return whether a line begins like code, has code punctuation, and has a string or a call."""
    if _CALL.match(body) and body[-1] in ")]},;:{" and not _THROWN.match(body):
        return True
    if _SENTENCES.search(_QUOTED.sub("", body)):
        return False  # "with Health "Alarm" in npu-smi. We did not find out why": a keyword is a word, too
    return bool(_STATEMENT.match(body) and _SYNTAX.search(body) and (_STRING.search(body) or "(" in body))


def _neighbour(lines: Sequence[str], number: int) -> str:
    """Return the next non-comment line, otherwise the previous one: a comment is part of code only if code follows."""
    for line in lines[number + 1 : number + 4]:
        if line.strip() and not _COMMENT.match(line):
            return line.strip()
    return lines[number - 1].strip() if number else ""


_FEWEST: Final = 3  # lines of a patch without a header
_LIKE: Final = 14  # characters of a line
_DIFF_START: Final = pattern(
    r"diff --git |@@ -\d{1,7}(?:,\d{1,7})? \+\d{1,7}|--- (?:a/|/dev/null)|Index: \S+$", exact_case=True
)
_COMMIT: Final = pattern(
    r"commit [0-9a-f]{7,40}(?: \([^()\n]{1,80}\))?$|From [0-9a-f]{40} |Subject: \[PATCH"
    r"|Author: [^\n]{1,80}$",
    exact_case=True,
)
_COMMITTED: Final = pattern(
    r"[ \t]{2,}|(?:Author|AuthorDate|Commit|CommitDate|Date|Merge|From|To|Cc|Subject|Fixes|Closes"
    r"|Resolves|Refs|Link|Change-Id|[A-Z][a-z]{2,12}-(?:off-)?by|Co-authored-by): "
    r"|commit [0-9a-f]{7,40}|[ ]?\d{1,5} files? changed|---$|[+-](?=[^+-])|[+]$",
    exact_case=True,
)
_MAIL_END: Final = pattern(r"---$|[A-Z][a-z]{2,12}-(?:off-)?by: |diff --git ", exact_case=True)
_HEADER: Final = pattern(r"\S{1,14}[:：][ ]")
_DIFF_LINE: Final = pattern(
    r"[+-]|@@ |\\ No newline|index [0-9a-f]{4,}|(?:new|deleted) file mode|similarity |rename "
    r"|diff --git ",
    exact_case=True,
)


def _without_header(bodies: Sequence[str]) -> Iterator[int]:
    """Yield the lines of patches without a header: several signed lines in a row, with code behind the signs."""
    for signed, group in groupby(range(len(bodies)), lambda number: bodies[number][:1] in ("+", "-")):
        numbers = list(group) if signed else []
        code = [bodies[number][1:] for number in numbers]
        listed = all(len(line) > 1 and line[0] == " " and line[1] != " " for line in code)  # "- an item", "+ a command"
        if len(code) < _FEWEST or (listed and not _is_replaced(bodies, numbers)):
            continue
        if any(True for _ in source_lines(code, [None] * len(code))):
            yield from numbers


def _is_replaced(bodies: Sequence[str], numbers: Sequence[int]) -> bool:
    """Return whether a line is removed and the next one, which begins like it, is added."""
    pairs = ((bodies[one], bodies[other]) for one, other in pairwise(numbers))
    return any(one[0] == "-" and other[0] == "+" and one[1:_LIKE] == other[1:_LIKE] for one, other in pairs)


def diff_lines(bodies: Sequence[str], languages: Sequence[str | None]) -> Iterator[int]:
    """Yield the lines of unified diffs; context lines begin with a blank, and blank lines do not end a hunk."""
    yield from _without_header(bodies)
    inside = committed = mailed = False
    headers = 0  # lines below "commit …" that may be its headers, in any language
    for number, body in enumerate(bodies):
        if _COMMIT.match(body):
            committed, headers = True, 3
        elif committed and headers and _HEADER.match(body):
            headers -= 1
        elif committed and body.strip():
            committed = bool(_COMMITTED.match(body)) or bool(_DIFF_START.match(body))
        if mailed and _MAIL_END.match(body):
            mailed, committed = False, True
        mailed |= body.startswith("Subject: [PATCH")
        if (committed or mailed) and body.strip():
            yield number
        if languages[number] in ("diff", "patch"):
            yield number
        elif _DIFF_START.match(body):
            inside = True
            yield number
        elif inside and body.strip():
            inside = bool(_DIFF_LINE.match(body)) or body.startswith((" ", "\t"))
            if inside:
                yield number
