"""Ways in which people paste one and the same report: a fault that is named in one must be named in all.

    for rewriting in REWRITINGS:
        again = rewriting.run(report, Random(1))

A rewriting keeps what the report says. `cuts_a_line` does not: it stands for a report that somebody shortened.
"""

import re
from collections.abc import Callable
from dataclasses import dataclass
from html import escape
from random import Random
from textwrap import wrap
from typing import Final

Rewrite = Callable[[str, Random], str]

_PROSE: Final = (
    "Hello everybody, I have been at this for two days and do not know how to go on.",
    "Here is what I get on our machine, maybe somebody has seen the same.",
    "Any help is welcome. Thank you very much in advance!",
    "I have also asked a colleague, who had no idea either.",
    "By the way, the same happens after I closed the browser.",
)
_FINAL: Final = re.compile(r"[.,;:!?]+[ \t]*$", re.MULTILINE)
_BLANKS: Final = re.compile(r"(?<=\S)[ \t]{2,}")
_BLANK: Final = re.compile(r"(?<=\S) (?=\S)")
_INDENT: Final = re.compile(r"^[ \t]+", re.MULTILINE)
_PARAGRAPHS: Final = re.compile(r"\n[ \t]*\n")
_NESTED: Final = re.compile(
    r"\((?:host|container)\)|(?:host|container)[ \t]*[:#$%]|docker|podman|kubectl|[$#>]|:[ \t]*$"
)
_COLOURS: Final = ("\x1b[31m", "\x1b[1;33m", "\x1b[0;32m", "\x1b[38;5;208m", "\x1b[38;2;255;80;0m", "\x1b[91m")
_CHINESE: Final = "你好，运行的时候报错如下，请问应该怎么解决？\n"
_LATIN: Final = "Bonjour à tous, voilà l'erreur que je reçois, même après un redémarrage :\n"


@dataclass(frozen=True, slots=True, kw_only=True)
class Rewriting:
    """One way. encoding: how the file is written; None for UTF-8."""

    name: str
    run: Rewrite
    encoding: str | None = None

    def data(self, text: str, random: Random) -> bytes:
        """Return the file that somebody saves."""
        return self.run(text, random).encode(self.encoding or "utf-8", "replace")


def each_line(prefix: Callable[[int], str]) -> Rewrite:
    """Return a rewriting that puts something before each line that is not blank; it is given the line's number."""

    def run(text: str, random: Random) -> str:
        lines = text.rstrip("\n").split("\n")
        return "".join(f"{prefix(number)}{line}".rstrip() + "\n" for number, line in enumerate(lines))

    return run


def wrapped(width: int) -> Rewrite:
    """Return a rewriting that breaks lines at blanks, as mail programs and forms do."""

    def run(text: str, random: Random) -> str:
        out = []
        for line in text.split("\n"):
            parts = wrap(line, width, break_long_words=False, break_on_hyphens=False, drop_whitespace=True)
            out += parts if len(line) > width and parts else [line]
        return "\n".join(out)

    return run


def cuts_a_line(text: str, random: Random) -> str:
    """Return the text without one of its lines that are not blank; a text of one line stays."""
    lines = text.split("\n")
    filled = [number for number, line in enumerate(lines) if line.strip()]
    if len(filled) < 2:
        return text
    gone = random.choice(filled)
    return "\n".join(line for number, line in enumerate(lines) if number != gone)


def _paragraphs_moved(text: str, random: Random) -> str:
    """Move the paragraphs, where each is complete in itself: no prompts, no marks of a place, no headings."""
    parts = _PARAGRAPHS.split(text.strip("\n"))
    if len(parts) < 2 or any(_NESTED.search(part) or part[:1] in " \t" for part in parts):
        return text
    return "\n\n".join(reversed(parts)) + "\n"


def _prose_around(text: str, random: Random) -> str:
    before = " ".join(random.sample(_PROSE, 2))
    return f"{before}\n\n{text.rstrip()}\n\n{random.choice(_PROSE)}\n"


def _prose_between(text: str, random: Random) -> str:
    return _PARAGRAPHS.sub(lambda _: f"\n\n{random.choice(_PROSE)}\n\n", text)


def _coloured(text: str, random: Random) -> str:
    def one(line: str) -> str:
        words = line.split(" ")
        at = random.randrange(len(words))
        words[at] = f"{random.choice(_COLOURS)}{words[at]}\x1b[0m"
        return random.choice(_COLOURS) + " ".join(words) + "\x1b[0m\x1b[K"

    return "\n".join(one(line) if line.strip() else line for line in text.split("\n"))


def _typographic(text: str, random: Random) -> str:
    """Return the quote marks and dashes that word processors and web forms make of plain ones."""
    text = re.sub(r'(^|[\s(\[=])"', "\\1\u201c", text).replace('"', "\u201d")
    text = re.sub(r"(^|[\s(\[=])'", "\\1\u2018", text).replace("'", "\u2019")
    return text.replace("...", "\u2026").replace("  ", " \u00a0")


def _log(number: int) -> str:
    return f"2026-03-{1 + number // 3600 % 28:02d} 10:{number // 60 % 60:02d}:{number % 60:02d},{number % 1000:03d} "


REWRITINGS: Final[tuple[Rewriting, ...]] = (
    Rewriting(name="lower-case", run=lambda text, _: text.lower()),
    Rewriting(name="upper-case", run=lambda text, _: text.upper()),
    Rewriting(name="final-punctuation-dropped", run=lambda text, _: _FINAL.sub("", text)),
    Rewriting(name="blanks-collapsed", run=lambda text, _: _BLANKS.sub(" ", text)),
    Rewriting(name="blanks-doubled", run=lambda text, _: _BLANK.sub("  ", text)),
    Rewriting(name="indentation-lost", run=lambda text, _: _INDENT.sub("", text)),
    Rewriting(name="indented", run=each_line(lambda _: "    ")),
    *(Rewriting(name=f"wrapped-at-{width}", run=wrapped(width)) for width in (60, 70, 80, 100)),
    Rewriting(name="log-prefix", run=each_line(lambda number: _log(number) + "- app.main - ERROR - ")),
    Rewriting(name="level-prefix", run=each_line(lambda number: f"[{_log(number).strip()}] [ERROR] ")),
    Rewriting(
        name="actions-prefix", run=each_line(lambda n: f"2026-03-01T10:{n // 60 % 60:02d}:{n % 60:02d}.1234567Z ")
    ),
    Rewriting(
        name="journal-prefix", run=each_line(lambda n: f"Mar 01 10:{n // 60 % 60:02d}:{n % 60:02d} node7 serve[2211]: ")
    ),
    Rewriting(name="docker-build-prefix", run=each_line(lambda n: f"#12 {n / 10 + 1:.3f} ")),
    Rewriting(name="compose-prefix", run=each_line(lambda _: "server-1  | ")),
    Rewriting(name="rank-prefix", run=each_line(lambda _: "[rank3]: ")),
    Rewriting(name="worker-prefix", run=each_line(lambda _: "(RayWorkerWrapper pid=4711, ip=10.0.0.7) ")),
    Rewriting(name="pytest-prefix", run=each_line(lambda _: "E       ")),
    Rewriting(name="quoted", run=each_line(lambda _: "> ")),
    Rewriting(name="quoted-twice", run=each_line(lambda _: "> > ")),
    Rewriting(name="commented", run=each_line(lambda _: "# ")),
    Rewriting(name="coloured", run=_coloured),
    Rewriting(name="windows-line-ends", run=lambda text, _: text.replace("\n", "\r\n")),
    Rewriting(name="fenced", run=lambda text, _: f"```shell\n{text.rstrip()}\n```\n"),
    Rewriting(name="html", run=lambda text, _: f"<pre><code>{escape(text.rstrip())}\n</code></pre>\n"),
    Rewriting(name="paragraphs-moved", run=_paragraphs_moved),
    Rewriting(name="prose-around", run=_prose_around),
    Rewriting(name="prose-between", run=_prose_between),
    Rewriting(name="typographic", run=_typographic),
    Rewriting(name="gbk", run=lambda text, _: _CHINESE + text, encoding="gb18030"),
    Rewriting(name="big5", run=lambda text, _: "執行的時候出現錯誤，請問怎麼解決？\n" + text, encoding="big5"),
    Rewriting(name="latin-1", run=lambda text, _: _LATIN + text, encoding="cp1252"),
    Rewriting(name="utf-16", run=lambda text, _: text.replace("\n", "\r\n"), encoding="utf-16"),
    Rewriting(name="utf-16-without-mark", run=lambda text, _: text, encoding="utf-16-le"),
    Rewriting(name="utf-8-with-mark", run=lambda text, _: text, encoding="utf-8-sig"),
)
