"""Clean pasted text for the readers. Pure. Each input line gives one output line, so line numbers stay valid.

Removed     terminal codes, carriage returns, byte-order marks, control bytes, zero-width characters, trailing blanks;
            the words of unticked boxes, if another box of the list is ticked;
            Markdown fences, quote marks ("> "), <details> and bold marks, indentation that every line has;
            prefixes with the source and time of a log line: see `log_prefix`; "# ", or the same level, on every line
Replaced    typographic quote marks, dashes and ellipses; Chinese and Japanese commas and colons; HTML entities
Kept        shell and Python prompts, bullets, "HOST:PID:TID [0] NCCL …", levels such as "ERROR"
"""

import re
from typing import Final

from accel.text.form_fields import without_unticked
from accel.text.pattern import pattern
from accel.text.scopes import sections

__all__ = ["clean", "sections"]

_TERMINAL: Final = pattern(
    r"\x1b\][^\x07\x1b\n]*(?:\x07|\x1b\\)?"  # OSC: window titles, links
    r"|\x1b[PX^_][^\x1b\n]*(?:\x1b\\)?"
    r"|(?:\x1b\[|\x9b)[0-?]*[ -/]*[@-~]"
    r"|\x1b[ -/]*[0-~]"
)
# Colour codes whose escape byte a web form has eaten.
_BARE_COLOUR: Final = pattern(r"(?<![\w\]])\[(?:\d{1,3};){0,4}\d{0,3}m(?![\w])|\[0m|\[(?:0?[01];)?3[0-7](?:;[01])?m")
_CONTROL: Final = pattern(
    "[\x00-\x08\x0e-\x1f\x7f\x80-\x84\x86-\x9f\u200b-\u200f\u2028-\u202e\u2060-\u2064\ufeff\ufffe]"
)
_BLANKS: Final = pattern("[\x0b\x0c\x85\u00a0\u2000-\u200a\u202f\u205f\u3000]")
_COLON: Final = pattern(r"(?<=[\w)\]`*])：[ \t]*|(?<=\.so):(?=[a-z])", exact_case=True)
_COMMA: Final = pattern(r"(?<=[\w)\]`*+])[，、][ \t]*")
_QUOTE: Final = pattern(r"[ \t]{0,3}>(?!>>|=)(?:[ \t]{0,4}>(?!>>|=))*(?:[ \t](?!>>>))?")
_FENCE: Final = pattern(r"([ \t]*)(?:[-*+][ \t]+)?(```+|~~~+)[ \t]*(?:[\w+.-]+[ \t]*)?$")
_TAG: Final = pattern(r"</?(?:details|summary|pre|code|br|p|b|div|span|sub|sup)\b[^<>\n]{0,200}/?>", re.IGNORECASE)
_MASKED: Final = pattern(r"<([A-Za-z][\w .-]{0,30})>(?=[\\/])")  # "<USER>\venv\...", the name was anonymised
_NOTEBOOK: Final = pattern(  # an exception as a notebook's file keeps it: {"name": "OSError", "message": "…"}
    r"^[ \t]{0,12}\{?\"(?:name|message|stack|ename|evalue|traceback)\": \".*$", re.MULTILINE
)
_BOLD: Final = pattern(r"\*\*([^*\n]{1,200}?)\*\*")
_SLANTED: Final = pattern(r"(?<![\w/\\.$%{-])_([a-z][^_\n`]{1,80}?[^_\s])_(?![\w./(])")
_ENTITY: Final = pattern(r"&(?:#\d{1,6}|#x[0-9a-f]{1,5}|[a-z]{2,8});")
_ESCAPE: Final = pattern(r"%(2[0-9a-f]|3[a-f]|40|5[bcdf]|7[b-e])")  # signs, no letters
_TYPOGRAPHIC: Final = pattern("[\u2010-\u2015\u2018-\u201f\u2026\u2212]")
_AS_TYPED: Final = str.maketrans(
    {
        **dict.fromkeys("\u2010\u2011\u2012\u2013\u2014\u2015\u2212", "-"),
        **dict.fromkeys("\u2018\u2019\u201a\u201b", "'"),
        **dict.fromkeys("\u201c\u201d\u201e\u201f", '"'),
        "\u2026": "...",
    }
)
_OPTION: Final = pattern(r"(?<=[ \t])[\u2013\u2014](?=[a-z])")  # "--gpus", as word processors correct it
_SHOUTED: Final = pattern(r"[A-Z]{2,} [A-Z]{2,} [A-Z]{2,}", exact_case=True)
_SINGLE: Final = pattern(r"(?<=\S) (?=\S)")
_SPACED: Final = pattern(  # two-byte text decoded as one byte per character: "e r r o r   1 2 6"
    r"(?:[!-~] (?:  )?){40,}[!-~]?", exact_case=True
)
_WORDS_APART: Final = pattern(r"[a-z]{2}  [a-z]{2,40}  [a-z]{2}")  # two blanks between words: no table's columns
_TWO_BLANKS: Final = pattern(r"(?<=\S)  (?=\S)")
_PROGRESS: Final = pattern(r"\d%|\d ?[kKMG]i?B/s|it/s")

_LEVELS: Final = r"TRACE|DEBUG|INFO|NOTICE|WARN(?:ING)?|ERR(?:OR)?|FATAL|CRITICAL"
_PREFIX: Final = pattern(
    r"[ \t]*(?:"
    r"\[(?:default|rank|local_rank|Rank ?)\d+\]:?[ ]?"  # torchrun --tee, torch.distributed
    r"|\[\d+,\d+\]<std(?:out|err)>:[ ]?"  # mpirun --tag-output
    r"|\([A-Za-z][\w .:/-]{0,60} pid=\w+(?:, ip=[\w.:]+)?\)[ ]?"  # ray, vLLM's workers
    r"|\[pod/[\w./-]+\][ ]"  # kubectl logs --prefix
    r"|(?:Jan|Feb|Mar|Apr|May|Jun|Jul|Aug|Sep|Oct|Nov|Dec) {1,2}\d{1,2} \d\d:\d\d:\d\d"
    r"(?:\.\d+)? [\w.-]+ [\w./@-]+(?:\[\d+\])?:(?: |$)"
    r"|E {3,}(?=\S)"  # pytest
    r"|#\d{1,4} \d{1,6}\.\d{1,3}(?: |$)"  # docker build
    r"|\[ {0,6}\d+\.\d{6}\](?:\[ *[TC]?\d+\])? "  # dmesg, with the caller's thread or CPU
    r"|\[(?:Mon|Tue|Wed|Thu|Fri|Sat|Sun) [A-Z][a-z]{2} [ \d]\d \d\d:\d\d:\d\d \d{4}\] "  # dmesg -T
    r"|\[?(?:\d{4}[-/]\d\d[-/]\d\d|\d\d[/.]\d\d[/.]\d{4})[T ]\d\d:\d\d:\d\d(?:[.,]\d{1,9})?(?:Z|[+-]\d\d:?\d\d)?\]?"
    rf"(?: - [\w.]{{1,80}} - (?:{_LEVELS}) -(?:[ ]|$)"  # Python's logging
    rf"| \| (?:{_LEVELS}) {{0,8}}\| [\w.:<>]{{1,120}} -(?:[ ]|$)"  # loguru
    rf"|:[ ]|[ ](?![ ]*(?:- |\| ?(?:{_LEVELS})))|$)"
    r"|(?:stdout|stderr) [FP] "  # containerd's own log files
    r"|<[0-7]>(?=\S)"  # kernel log levels
    r"|(?:DEBUG|INFO|WARNING|ERROR|CRITICAL) \d\d-\d\d \d\d:\d\d:\d\d \[?[\w./]{1,80}\.(?:py|cc|cpp|cu):\d+\] "  # vLLM
    r")"
)
_COMPOSE: Final = pattern(r"([A-Za-z0-9][\w.-]{0,60}?)[ ]+\|(?: |$)")
_COMMENT: Final = pattern(r"#(?:[ ]|$)")
_LEVEL: Final = pattern(rf"\[?(?:{_LEVELS})(?::[\w.]{{1,80}}:|(?:\]:?|:| -)?(?:[ ]|$))")
_FAILURE: Final = pattern(r"\[?(?:ERR|FATAL|CRITICAL)")
_ITSELF: Final = pattern(r"error|exception|fail|traceback|cannot|could not|not found")  # a line that needs no level
_SECONDS: Final = pattern(r" {0,4}(\d{1,6}\.\d{1,3}) ?(?= |[^\d ]|$)")  # docker build's excerpt of a failed step
_STEP: Final = pattern(r" ?(?:(?:=>|>) )?(?:ERROR )?\[[^\]\n]{0,40}\d/\d{1,3}\] (?:RUN|COPY|ADD) ")
_NUMBERED: Final = pattern(r"\d{1,4}: ?(?![0-9a-f]{2}\.[0-7] )")  # and not lspci's "00:1e.0 "


def log_prefix(line: str) -> int:
    """Return the length of the prefix of a line that says who logged it and when.

    >>> log_prefix("[rank7]: ImportError"), log_prefix("2024-05-01T10:00:00.123Z E ex"), log_prefix("gpu:1:2 [0] NCCL")
    (9, 25, 0)
    """
    at = 0
    for _ in range(4):
        found = _PREFIX.match(line, at)
        if found is None or found.end() == at:
            break
        at = found.end()
    return at


def clean(text: str) -> str:
    """Return the text as close as possible to what the tools printed, with the same number of lines."""
    return without_prefixes(legible(text))


def legible(text: str) -> str:
    """Return the text without what a terminal, a web form or a mail program added: codes, entities, quote marks."""
    return unmarked(plain(text))


def unmarked(text: str) -> str:
    """Return a plain text without quote marks and fences."""
    return "\n".join(_without_fences([_without_quote(line.rstrip()) for line in text.split("\n")]))


def plain(text: str) -> str:
    """Return the text without terminal codes and HTML entities, but with its quote marks and fences."""
    if "&" in text:  # first: they may encode any character that the next steps remove
        from html import unescape  # loading its table of entities takes as long as a tenth of the readers

        text = _ENTITY.sub(lambda found: " ".join(unescape(found[0]).splitlines()), text)
    if "%20" in text:
        text = "\n".join(_without_escapes(line) for line in text.split("\n"))
    if "\r" in text:
        text = text.replace("\r\n", "\n")
        if "\n" not in text:
            text = text.replace("\r", "\n")
    if "\x1b" in text or "\x9b" in text:
        text = _TERMINAL.sub("", text)
    if " : : " in text or " . . " in text or "o n n x" in text or "e r r o r" in text.lower():
        text = _SPACED.sub(lambda found: found[0][::2], text)
    text = _BARE_COLOUR.sub("", text)
    text = _BLANKS.sub(" ", _CONTROL.sub("", _ends_overwritten(text)))
    if _WORDS_APART.search(text) and not _SINGLE.search(text):  # every blank was doubled
        text = _TWO_BLANKS.sub(" ", text)
    if text.isupper() and _SHOUTED.search(text):  # its case was changed on the way
        text = text.lower()
    if "：" in text or ".so:" in text:
        text = _COLON.sub(": ", text)
    if "，" in text or "、" in text:
        text = _COMMA.sub(", ", text)
    if "<" in text:
        text = _TAG.sub("", text)
        text = _MASKED.sub(lambda found: found[0] if f"</{found[1]}>" in text else found[1].replace(" ", "_"), text)
    if not text.isascii() and _TYPOGRAPHIC.search(text):
        text = _OPTION.sub("--", text).translate(_AS_TYPED)
    if '\\"' in text:
        text = _NOTEBOOK.sub(lambda found: found[0].replace('\\"', '"').replace("\\\\", "\\"), text)
    if "**" in text:
        text = _BOLD.sub(r"\1", text)
    if "_" in text:
        text = _SLANTED.sub(r"\1", text)
    if "[ ]" in text or "[]" in text:
        text = without_unticked(text)
    return text


def without_prefixes(text: str) -> str:
    """Return a legible text without the prefixes of its lines: who logged them and when, and a common indentation."""
    lines = _without_seconds(_without_services(text.split("\n")))
    bare = [line[log_prefix(line) :].rstrip() for line in lines]
    least = 3 if bare == lines else 2  # minimum lines of a logger
    return "\n".join(_dedented(_without_marks(_without_numbers(bare), least)))


def _without_escapes(line: str) -> str:
    """Decode a percent-encoded line ("undefined%20symbol:%20x"); leave addresses unchanged."""
    return _ESCAPE.sub(lambda found: chr(int(found[1], 16)), line) if "%20" in line and "://" not in line else line


def _ends_overwritten(text: str) -> str:
    """Drop what a progress bar overwrote by a lone carriage return; keep other text before one."""
    if "\r" not in text:
        return text
    lines = []
    for line in text.split("\n"):
        parts = [part for part in line.split("\r") if part.strip()]
        kept = [part for i, part in enumerate(parts) if i == len(parts) - 1 or not _PROGRESS.search(part)]
        lines.append(" ".join(kept) if len(kept) > 1 else "".join(kept))
    return "\n".join(lines)


def _without_quote(line: str) -> str:
    found = _QUOTE.match(line) if ">" in line[:8] else None
    return line[found.end() :] if found else line


def _without_fences(lines: list[str]) -> list[str]:
    """Blank the fence lines, and remove a fence's own indentation from its contents."""
    out, indent, mark = [], "", ""
    for line in lines:
        fence = _FENCE.match(line) if "```" in line or "~~~" in line else None
        if fence and (not mark or fence[2].startswith(mark)):
            mark, indent = ("", "") if mark else (fence[2], fence[1])
            out.append("")
        else:
            out.append(line[len(indent) :] if indent and line.startswith(indent) else line)
    return out


def _without_services(lines: list[str]) -> list[str]:
    """Remove docker compose's "web_1  | ": a name with a number, or a name that precedes several lines."""
    heads = _heads(lines)
    services = {name for name, count in heads.items() if re.search(r"[_-]\d+$", name) or count >= 3}
    if not services:
        return lines
    out = []
    for line in lines:
        found = _COMPOSE.match(line)
        out.append(line[found.end() :] if found and found[1] in services else line)
    return out


def _without_seconds(lines: list[str]) -> list[str]:
    """Remove docker build's "14.87 " before the lines of a step, if steps are named or nearly all lines have it."""
    at = {i: float(found[1]) for i, line in enumerate(lines) if line[:5].strip() and (found := _SECONDS.match(line))}
    mostly = len(at) >= 4 and len(at) * 4 >= 3 * sum(1 for line in lines if line)
    if len(at) < 2 or not (mostly or any(_STEP.match(line) for line in lines)):
        return lines
    told = list(at.values())
    if told != sorted(told):
        return lines
    return [_SECONDS.sub("", line, count=1) if i in at else line for i, line in enumerate(lines)]


def has_services(text: str) -> bool:
    """Return whether at least two lines begin with a container name as in docker compose: "web_1  | ", "vllm-1  | "."""
    heads = _heads(text.split("\n")) if "1  |" in text or "1 |" in text else {}
    return any(count > 1 and re.search(r"[_-]\d{1,3}$", name) for name, count in heads.items())


def _heads(lines: list[str]) -> dict[str, int]:
    heads: dict[str, int] = {}
    for line in lines:
        if " |" in line and (found := _COMPOSE.match(line)):
            heads[found[1]] = heads.get(found[1], 0) + 1
    return heads


def _without_numbers(lines: list[str]) -> list[str]:
    """Remove srun's "3: " if every line has it."""
    filled = [line for line in lines if line]
    if len(filled) < 3 or not all(_NUMBERED.match(line) for line in filled):
        return lines
    return [_NUMBERED.sub("", line, count=1) for line in lines]


def _without_marks(lines: list[str], least: int) -> list[str]:
    """Remove "# ", or a log level, if every line has it, and at least `least` do: it then carries no information.

    If the level is the only sign of a failure in these lines, it is kept on the last of them.
    """
    filled = [line for line in lines if line]
    if len(filled) >= 3 and all(_COMMENT.match(line) for line in filled):
        lines = [line[2:] for line in lines]
    elif len(filled) >= least and (found := _LEVEL.match(filled[0])):
        level = found[0].rstrip()
        if all(line.startswith(level) for line in filled):
            bare = [line[len(level) + 1 :] for line in lines]
            alone = bool(_FAILURE.match(level)) and not any(_ITSELF.search(line) for line in bare)
            lines = [*bare[:-1], lines[-1]] if alone else bare
    return lines


def _dedented(lines: list[str]) -> list[str]:
    """Remove the indentation that all lines share."""
    widths = [len(line) - len(line.lstrip(" ")) for line in lines if line]
    width = min(widths, default=0)
    return [line[width:] for line in lines] if width else lines
