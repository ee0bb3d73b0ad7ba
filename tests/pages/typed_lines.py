"""What the pages tell people to type, and what they show of the answer.

A block says in its first line what its commands need:

    ```sh                       a command a line, what stands behind "#" is a remark
    ```console                  a line "$ …" is typed; what stands below must be printed ("…" stands for anything)
       exit=1                   what the block's last command ends with; exit=0,1: each of them
       on=mi300x-mesh           a machine of tests/machines that it is typed on
       also="--count 1"         words that the test adds, so that an end is reached
       record=watched           answered from a record made for the test, drawn as on a terminal; figures may differ
       stop="http://"           where this is printed, Ctrl-C is typed
       answers=acme-smi         what stands left of a pipe: a text of tests/pages/given
       only-named="…"           why it is not run; its commands and options are looked up all the same

A command in prose cannot say so; prose.yaml does it for those that need it. Words in capitals are replaced.
"""

import re
import shlex
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from pathlib import Path

ROOT = Path(__file__).parents[2]
PAGES = sorted(
    [
        *ROOT.glob("*.md"),
        *(page for page in (ROOT / "docs").rglob("*.md") if page.parent.name != "reference"),
        *(ROOT / "benchmarks").glob("*.md"),
        *ROOT.glob("plugins/*/README.md"),
    ]
)
_FENCE = re.compile(r"^```(?P<info>[^\n]*)\n(?P<text>.*?)^```$", re.MULTILINE | re.DOTALL)
_PROSE = re.compile(r"`(?P<code>[^`\n]+(?:\n[^`\n]+)?)`")
_COMMAND = re.compile(r"(?:[A-Z_]+=\S+ )*(?:eval \"\$\()?accel (?=-|[a-z])")
_INDENTED = re.compile(r"^    (?:\$ )?(?:accel [a-z]+|python -m |pip install ).*$", re.MULTILINE)
_ENDS = {"&&", ";", "||", "|"}


@dataclass(frozen=True)
class Typed:
    """One line that somebody types."""

    page: str
    line: int
    text: str
    printed: str = ""
    code: int = 0
    marks: Mapping[str, str] = field(default_factory=dict)

    def __str__(self) -> str:
        return f"{self.page}:{self.line}: {self.text}"


@dataclass(frozen=True)
class Simple:
    """One command of a line. before: what stands left of its pipe."""

    words: tuple[str, ...]
    variables: Mapping[str, str]
    before: "Simple | None" = None


def blocks(page: Path) -> Iterator[tuple[int, str, dict[str, str], str]]:
    """Yield (line, language, marks, text) of each block."""
    text = page.read_text(encoding="utf-8")
    for block in _FENCE.finditer(text):
        language, *marks = shlex.split(block["info"]) or [""]
        said = dict(mark.partition("=")[::2] for mark in marks)
        yield text.count("\n", 0, block.start()) + 1, language, said, block["text"]


def in_blocks(page: Path) -> Iterator[Typed]:
    """Yield what is typed in the blocks of a page."""
    name = str(page.relative_to(ROOT))
    for line, language, marks, text in blocks(page):
        if language == "sh":
            typed = [(n, one.strip(), "") for n, one in enumerate(_joined(text), line + 1) if one.strip()]
        elif language == "console":
            typed = list(_consoles(text, line + 1))
        else:
            continue
        codes = [int(code) for code in marks.get("exit", "0").split(",")]
        codes = codes if len(codes) > 1 else [0] * (len(typed) - 1) + codes
        for (number, command, printed), code in zip(typed, codes, strict=True):
            yield Typed(page=name, line=number, text=command, printed=printed, code=code, marks=marks)


def in_prose(page: Path) -> Iterator[Typed]:
    """Yield the commands that stand in a page's sentences and tables."""
    text = _without_blocks(page)
    for found in _PROSE.finditer(text):
        command = " ".join(found["code"].split())
        if _COMMAND.match(command):
            line = text.count("\n", 0, found.start()) + 1
            yield Typed(
                page=str(page.relative_to(ROOT)),
                line=line,
                text=command.replace('eval "$(', "").rstrip(')"') + _closed(command),
            )


def options_in_prose(page: Path) -> Iterator[tuple[str, str]]:
    """Yield (place, option) of each option that a sentence or table names alone."""
    text = _without_blocks(page)
    for found in re.finditer(r"`(--?[a-z][a-z-]*)(?:[ =][^`\n]*)?`", text):
        yield f"{page.relative_to(ROOT)}:{text.count(chr(10), 0, found.start()) + 1}", found[1]


def unmarked(page: Path) -> list[str]:
    """Return the lines that show a command in a block that does not say so."""
    text = _without_blocks(page)
    found = [one[0].strip() for one in _INDENTED.finditer(text)]
    for _, language, _, block in blocks(page):
        if language not in ("sh", "console"):
            found += re.findall(r"^(?:\$ )?accel (?:[a-z]+).*$|^\$ .*$", block, re.MULTILINE)
    return found


def simples(text: str) -> Iterator[Simple]:
    """Yield the commands of a line, each with the variables before it and what is piped into it."""
    lexer = shlex.shlex(text, posix=True, punctuation_chars="&|;")
    lexer.whitespace_split, lexer.commenters = True, "#"
    words: list[str] = []
    before: Simple | None = None
    for word in (*lexer, ";"):
        if word not in _ENDS:
            words.append(word)
            continue
        named = 0
        while named < len(words) and re.match(r"[A-Z_]+=", words[named]):
            named += 1
        if words[named:]:
            variables = dict(one.partition("=")[::2] for one in words[:named])
            one = Simple(words=tuple(words[named:]), variables=variables, before=before)
            if word != "|":
                yield one
            before = one if word == "|" else None
        words = []


def _closed(command: str) -> str:
    """Return the quote or bracket that belongs to the command and was cut off with those of  eval "$( … )"."""
    return "" if command.startswith("eval") else command[len(command.rstrip(')"')) :]


def _without_blocks(page: Path) -> str:
    text = page.read_text(encoding="utf-8")
    return _FENCE.sub(lambda block: "\n" * block[0].count("\n"), text)


def _joined(text: str) -> list[str]:
    """Return the lines, one that ends with a backslash with the next."""
    return text.replace("\\\n", " ").split("\n")


def _consoles(text: str, line: int) -> Iterator[tuple[int, str, str]]:
    parts = re.split(r"^\$ ", text, flags=re.MULTILINE)
    for part in parts[1:]:
        command, _, printed = part.partition("\n")
        yield line, command, printed
        line += part.count("\n")
