"""Detect headings that begin another machine, system, run or environment.

    ## Server A        Machine 2 (works):        On my laptop:        服务器1：            a machine
    First run          Attempt #2:               Before the reboot:   重启后              a run
    conda env x:       In the broken env:        With Python 3.10:                        an environment
    In WSL:            On Windows:                                                        a system
A heading is marked as one, is underlined, ends in a colon, or follows a blank line. All of its words must be listed in
specs/language/parts.yaml, so "Server configuration" and "Before submitting" do not count.
"""

import re
from collections.abc import Iterator, Mapping, Sequence
from typing import Any, Final

from accel.model.dataclass import dataclass
from accel.text.pattern import pattern

_LONGEST: Final = 90
_LEAD: Final = pattern(r"[ \t#*=_>•~-]{0,12}(?:\d{1,2}[.)][ ])?[ \t*_`]{0,4}")
_LEVEL: Final = pattern(r"[ \t]{0,3}(?P<signs>#{1,6})[ ]")
_UNDERLINE: Final = pattern(r"[ \t]{0,3}[-=~*]{3,120}[ \t]*$")
_REMARK: Final = pattern(
    r"[ ](?:it[ ]|this[ ]|everything[ ])?"
    r"(?:works?|worked|fails?|failed|does not work|doesn't work|is (?:fine|broken|ok))(?:[ ]fine)?$"
    r"|[ ]?[(（\[][^()（）\[\]]{0,60}[)）\]]$|[ ](?:-{1,2}|,)[ ][^:]{0,40}$|,[ ][^:]{0,40}$"
)
_NAME: Final = pattern(r"#?\d{1,4}|[a-z]|[a-z][a-z_.-]{0,30}\d{1,4}[\w.-]{0,20}|(?:one|two|three)")
_GLUED: Final = pattern(r"[ ]?(?P<name>[0-9a-z一二三四甲乙丙]{1,3})")
_PYTHON: Final = pattern(r"python[ ]?(?P<version>\d\.\d{1,2}(?:\.\d{1,2})?)")
_QUOTES: Final = "\"'`*"
_BEFORE: Final = frozenset(("on", "in", "from", "at", "within", "inside", "with", "using", "under", "for", "during"))
_ARTICLES: Final = frozenset(("the", "my", "our", "a", "an", "this"))


@dataclass(frozen=True, slots=True)
class Opened:
    """A part that begins on a line. key: the same for all lines of one part; says: its name in findings."""

    kind: str
    key: str
    says: str


@dataclass(frozen=True, slots=True)
class Heading:
    """A heading. opened: None if it opens no part; it then ends the part of a heading at its level or below."""

    opened: Opened | None
    level: int  # the number of "#", 9 of a heading without


def headings(lines: Sequence[str], words: Mapping[str, Any]) -> Iterator[tuple[int, Heading]]:
    """Yield (index of the line, heading) of each line that opens a part or is marked as a heading."""
    known = _Words(words)
    for number, line in enumerate(lines):
        if len(line) > 400 or not line.strip():
            continue
        level = len(found["signs"]) if "#" in line[:8] and (found := _LEVEL.match(line)) else 9
        opened = _opened(line, lines, number, level, known)
        if opened is not None or level < 9:
            yield number, Heading(opened, level)


class _Words:
    def __init__(self, words: Mapping[str, Any]) -> None:
        self.machines = frozenset(words["machines"])
        self.alone = frozenset(words["machines_alone"])
        self.glued = tuple(words["machines_glued"])
        self.turns = frozenset(words["turns"])
        self.turns_glued = (*words["turns_glued"], *words["moments_glued"])
        self.ordinals = frozenset(words["ordinals"])
        self.adjectives = frozenset(words["adjectives"])
        self.moments = frozenset(words["moments"])
        self.events = frozenset(words["events"])
        self.environments = frozenset(words["environments"])
        self.systems = {name: row["says"] for row in words["systems"] for name in row["names"]}


def _opened(line: str, lines: Sequence[str], number: int, level: int, known: _Words) -> Opened | None:
    start = _LEAD.match(line)
    text = line[start.end() if start else 0 :].strip().rstrip("#*=-_~ ")
    head, colon, rest = _parted(text)
    if not head or len(head) > _LONGEST:
        return None
    following = lines[number + 1] if number + 1 < len(lines) else ""
    underlined = bool(_UNDERLINE.match(following))
    marked = level < 9 or underlined or bool(colon) or (start is not None and start.end() > 1)
    alone = (number == 0 or not lines[number - 1].strip()) and len(head.split()) < 6
    if not (marked or alone):
        return None
    remark = _REMARK.search(head)
    opened = _of_words((head[: remark.start()] if remark else head).strip(_QUOTES + " "), known)
    if opened is not None and rest and opened.kind in ("run", "system") and not _says_more(opened):
        return None
    if opened is not None and rest and opened.kind == "system" and _beside_another(lines, number, known):
        return None
    return opened


def _beside_another(lines: Sequence[str], number: int, known: _Words) -> bool:
    """Whether the line above or below is one of another system: "- Linux: …" and "- Windows: …" list what to do."""
    for line in (*lines[max(number - 1, 0) : number], *lines[number + 1 : number + 2]):
        start = _LEAD.match(line)
        head, colon, rest = _parted(line[start.end() if start else 0 :].strip())
        if colon and rest and _system([word.strip(_QUOTES).lower() for word in head.split()], known) is not None:
            return True
    return False


def _says_more(opened: Opened) -> bool:
    """Return whether the words are a heading even if a value follows them: "Run 2: …", but not "after: …"."""
    return opened.key.split()[0] not in ("before", "after") or " " in opened.key


def _parted(text: str) -> tuple[str, str, str]:
    place = min((at for at in (text.find(":"), text.find("："), text.find(" - ")) if at >= 0), default=-1)
    if place < 0:
        return text, "", ""
    return text[:place].strip(), text[place], text[place + 1 :].strip(" :-")


def _of_words(head: str, known: _Words) -> Opened | None:
    if not head:
        return None
    for noun in known.glued:
        if head.startswith(noun) and _GLUED.fullmatch(head[len(noun) :]):
            return Opened("machine", head, f"on {head}")
    for noun in known.turns_glued:
        if head.startswith(noun) and len(head) <= len(noun) + 4:
            return Opened("run", noun, f"in {noun}")
    words = head.split()
    before = words[0].lower() in _BEFORE and len(words) > 1
    words = words[before:]
    article = words[0].lower() if words[0].lower() in _ARTICLES and len(words) > 1 else ""
    words = words[bool(article) :]
    plain = [word.strip(_QUOTES).lower() for word in words]
    shown = " ".join(word.strip(_QUOTES) for word in words)
    return (
        _system(plain, known)
        or _run(plain, known)
        or _environment(plain, shown, known)
        or _machine(plain, shown, article, known)
    )


def _system(plain: Sequence[str], known: _Words) -> Opened | None:
    says = known.systems.get(" ".join(plain))
    return Opened("system", says, says) if says is not None else None


def _run(plain: Sequence[str], known: _Words) -> Opened | None:
    if plain[0] in known.moments:
        rest = [word for word in plain[1:] if word not in _ARTICLES]
        event = " ".join(rest)
        fits = not rest or event in known.events or (rest[0] in known.events and len(rest) < 6)
        said = f"{plain[0]} the {event}" if len(rest) == 1 and not event.endswith("ing") else " ".join(plain)
        return Opened("run", said, said) if fits else None
    if len(plain) == 2 and plain[0] in known.ordinals and plain[1] in known.turns:
        return Opened("run", " ".join(plain), f"in the {' '.join(plain)}")
    if len(plain) == 2 and plain[0] in known.turns and re.fullmatch(r"#?\d{1,3}|[a-d]|one|two|three", plain[1]):
        return Opened("run", " ".join(plain), f"in {' '.join(plain)}")
    return None


def _environment(plain: Sequence[str], shown: str, known: _Words) -> Opened | None:
    if found := _PYTHON.fullmatch(" ".join(plain)):
        return Opened("environment", f"python {found['version']}", f"in Python {found['version']}")
    if len(plain) > 1 and " ".join(plain[:-1]) in known.environments and re.fullmatch(r"[\w./+-]{1,60}", plain[-1]):
        name = shown.split()[-1]
        return Opened("environment", name.lower(), f"in the environment {name}")
    if plain[0] in known.adjectives and " ".join(plain[1:]) in known.environments:
        return Opened("environment", " ".join(plain), f"in the {' '.join(plain)}")
    return None


def _machine(plain: Sequence[str], shown: str, article: str, known: _Words) -> Opened | None:
    whole, first, last = " ".join(plain), " ".join(plain[:-1]), plain[-1]
    if len(plain) > 1 and first in known.machines and _NAME.fullmatch(last):
        return Opened("machine", whole, f"on {shown}")
    if plain[0] in known.adjectives and " ".join(plain[1:]) in known.machines:
        return Opened("machine", whole, f"on {article if article in ('my', 'our') else 'the'} {whole}")
    if whole in known.alone:
        return Opened("machine", whole, f"on {article or 'the'} {whole}")
    return None
