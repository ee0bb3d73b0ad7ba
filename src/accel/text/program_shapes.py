"""Match shapes of program text: statements of source code, configuration files and command lines. Pure; nothing runs.

    os.environ[CUDA_VISIBLE_DEVICES] = {mask}
    docker run ... <neuron|neuronx*> !device !privileged

    word, sign      the same word, in any case and also as a string, or the same sign
    word*           any word or string with this beginning
    <a|b*>          one of these words
    ...             any tokens, as few as possible
    {name:type}     a value: "int", "number", "string" (in quotation marks), "second" (the name of a device
                    after the first: "cuda:1"), "mask" (a variable that hides devices), or any word, number or string
    !word           at the end: the statement does not hold this word

A statement is a line; it continues while brackets are open, or after a backslash. A comment is no part of it. Each
state of a match is tried once, so the time is at most the product of the lengths of statement and shape.
"""

import re
from collections.abc import Iterator, Mapping, Sequence
from typing import Any, Final

from accel.model.dataclass import dataclass
from accel.text.pattern import pattern

_TOKEN: Final = pattern(
    r"\"(?P<double>[^\"\n]{0,300})\"|'(?P<single>[^'\n]{0,300})'"
    r"|(?P<path>[a-z0-9][\w.-]{0,80}(?:/[\w.-]{1,80}){1,6})|(?P<number>\d{1,20}(?:\.\d{1,9})?)"
    r"|(?P<word>[a-z_][a-z0-9_]{0,80})|(?P<sign>[!-/:-@\[-`{-~])"
)
_PART: Final = pattern(r"\{(?P<slot>\w+)(?::(?P<type>\w+))?\}|(?P<gap>\.\.\.)|<(?P<any>[^>]+)>|!(?P<not>\w+)")
_WORD: Final = re.compile(r"\w{1,80}")
_COMMENT: Final = pattern(r"(?:^|\s)#(?!SBATCH|PBS|!).*$")
_TYPES: Final = {
    "int": pattern(r"\d{1,20}"),
    "number": pattern(r"\d{1,20}(?:\.\d{1,9})?"),
    "second": pattern(r"(?:cuda|hip|xpu|npu):[1-9]\d{0,2}"),
    "mask": pattern(r"\w{1,40}_visible_(?:devices|cores|modules|chips)"),
}
_OPENING, _CLOSING, _MOST_LINES, _MOST_TOKENS = "([{", ")]}", 12, 300


@dataclass(frozen=True, slots=True)
class Statement:
    """The tokens of a statement as (kind, text in lower case, text), and the numbers of its lines."""

    tokens: Sequence[tuple[str, str, str]]
    words: frozenset[str]
    line: int
    last_line: int


def statements(lines: Sequence[str]) -> Iterator[Statement]:
    """Yield the statements of a text that may hold program text, in order."""
    number = 0
    while number < len(lines):
        first, depth, tokens = number, 0, list[tuple[str, str, str]]()
        while number < min(len(lines), first + _MOST_LINES):
            code = _COMMENT.compiled.sub("", lines[number][:1000]).rstrip()
            number += 1
            found = list(_tokens(code.removesuffix("\\")))
            tokens += found
            depth += sum((text in _OPENING) - (text in _CLOSING) for kind, text, _ in found if kind == "sign")
            if not found or (depth <= 0 and not code.endswith("\\")):
                break
        if depth > 0 and number > first + 1:  # a bracket of prose that nobody closes
            number, tokens = first + 1, list(_tokens(_COMMENT.compiled.sub("", lines[first][:1000])))
        if tokens:
            words = {
                word
                for kind, text, _ in tokens
                for word in (text, *(_WORD.findall(text) if kind in ("string", "path") else ()))
            }
            yield Statement(tokens[:_MOST_TOKENS], frozenset(words), first + 1, max(first + 1, number))


def _tokens(code: str) -> Iterator[tuple[str, str, str]]:
    for found in _TOKEN.finditer(code):
        kind = found.lastgroup or "sign"
        text = found[kind]
        yield ("string" if kind in ("double", "single") else kind), text.lower(), text


@dataclass(frozen=True, slots=True)
class Shape:
    """A compiled shape.

    parts    (kind, value) of each
    without  words that the statement must not hold
    anchor   a word of it, or ""
    """

    parts: Sequence[tuple[str, Any]]
    without: frozenset[str]
    anchor: str


def compile_shape(text: str) -> Shape:
    """Compile a shape."""
    parts, without, at = list[tuple[str, Any]](), set[str](), 0
    while at < len(text):
        special = _PART.match(text, at)
        token = special or _TOKEN.match(text, at)
        if token is None:
            at += 1
            continue
        at = token.end()
        if special is None:
            word = next(part for part in token.groups() if part is not None).lower()
            ends = token.lastgroup == "word" and text[at : at + 1] == "*"
            parts.append(("words", (word + "*" * ends,)))
            at += ends
        elif special["not"]:
            without.add(special["not"].lower())
        elif special["slot"]:
            parts.append(("slot", (special["slot"], special["type"] or "")))
        elif special["gap"]:
            parts.append(("gap", None))
        else:
            parts.append(("words", tuple(special["any"].lower().split("|"))))
    fixed = [value[0] for kind, value in parts if kind == "words" and len(value) == 1 and value[0].isidentifier()]
    return Shape(parts, frozenset(without), max(fixed, key=len, default=""))


def matched(shape: Shape, statement: Statement, known: Mapping[str, str]) -> Iterator[dict[str, str]]:
    """Yield the values of a shape's slots for each place where it begins; a slot that is known has to be the same."""
    if (shape.anchor and shape.anchor not in statement.words) or not shape.without.isdisjoint(statement.words):
        return
    failed: set[tuple[int, int]] = set()
    for start in range(len(statement.tokens)):
        found = dict(known)
        if _match(shape.parts, 0, statement.tokens, start, found, failed):
            yield found


def _match(
    parts: Sequence[tuple[str, Any]],
    part: int,
    tokens: Sequence[tuple[str, str, str]],
    at: int,
    found: dict[str, str],
    failed: set[tuple[int, int]],
) -> bool:
    if part == len(parts):
        return True
    if (part, at) in failed:
        return False
    kind, value = parts[part]
    if kind == "gap":
        if any(_match(parts, part + 1, tokens, later, found, failed) for later in range(at, len(tokens) + 1)):
            return True
    elif at < len(tokens) and _is(kind, value, tokens[at], found):
        before = found.get(value[0]) if kind == "slot" else None
        if kind == "slot":
            found[value[0]] = tokens[at][2]
        if _match(parts, part + 1, tokens, at + 1, found, failed):
            return True
        if kind == "slot" and before is None:
            del found[value[0]]
    failed.add((part, at))
    return False


def _is(kind: str, value: Any, token: tuple[str, str, str], found: Mapping[str, str]) -> bool:
    of, text, written = token
    if kind == "words":
        return any(text.startswith(word[:-1]) if word.endswith("*") and word != "*" else text == word for word in value)
    name, wanted = value
    if name in found and found[name] != written:
        return False
    if wanted in _TYPES:
        return bool(_TYPES[wanted].fullmatch(text))
    return of == "string" if wanted == "string" else of != "sign"
