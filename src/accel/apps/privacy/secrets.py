"""Secrets in a text: credentials of known format, values of keys that say so, key blocks, URLs. Pure."""

import re
from collections.abc import Callable, Iterable
from typing import Final

from accel.apps.privacy.continued import without_cut_tokens, without_rests
from accel.apps.privacy.keys import Assigned, assigned, starts_line
from accel.apps.privacy.near import Lines, replaced
from accel.apps.privacy.pairs import headed, paired, spoken
from accel.apps.privacy.shapes import unnamed
from accel.apps.privacy.tables import pattern, tables
from accel.apps.privacy.values import GONE, Place, can_be_secret, looks_secret, value_at

Seen = Callable[[str], None]  # called with each secret
_ENCODED: Final = re.compile(r"(?=[A-Za-z+/]{0,40}\d)[A-Za-z0-9+/=]{24}")  # a line of a block
_URL: Final = re.compile(r"\b[a-z][a-z0-9+.-]{1,20}://(?P<value>[^\s/@\"'<>]{1,500})@", re.IGNORECASE)
_NETRC: Final = re.compile(r"\blogin\s{1,4}(?P<user>\S{1,200})\s{1,8}password\s{1,4}(?P<value>\S{1,400})")
_SURE_LENGTH: Final = 12  # of the word after "bearer": shorter ones are prose unless they look like a secret
_BLOCK_SCALAR: Final = re.compile(r"[|>][+-]?\d?[ \t]{0,80}\n(?P<indent>[ \t]{1,80})(?=\S)")
_MOST_LINES: Final = 200  # in a block
_SHORTEST_SET: Final = 4  # characters of the value of a variable that may be a secret
_MOST_ITEMS: Final = 200
_LONGEST_LEARNED, _SHORTEST_LEARNED = 400, 6  # characters of a secret that is searched for everywhere


def without_secrets(text: str, seen: Seen = lambda secret: None) -> str:
    """Return the text with each secret as "<redacted>"; keys and line breaks are kept."""
    if not text:
        return text
    hide = _Hide(seen)
    if "-----BEGIN" in text:
        text = pattern("key_block").sub(hide.lines, text)
    text = replaced(_URL, ("://",), hide, text)
    text = _without_tokens(text, hide)
    text = replaced(pattern("auth_header"), ("authorization", "cookie", "x-"), hide.header, text)
    text = replaced(pattern("auth_scheme"), ("bearer", "basic", "digest", "token"), hide.scheme, text)
    text = replaced(_NETRC, ("login",), hide.both, text)
    text = _without(text, _of_programs(text), hide)
    text = replaced(pattern("url_query"), ("?",), hide, text)
    text = _without(text, paired(text), hide)
    text = _without(text, _assigned(text), hide)
    text = _without(text, spoken(text), hide)
    text = _without(text, headed(text), hide)
    text = _without(text, unnamed(text), hide)
    text = pattern("long_hex").sub(hide.unless_commit, text)
    return without_rests(without_cut_tokens(text, seen), seen)


class _Hide:
    """Returns the replacement of a match: the match without its secret."""

    def __init__(self, seen: Seen) -> None:
        self._seen = seen

    def secret(self, value: str) -> str:
        self._seen(value)
        return GONE

    def __call__(self, match: "re.Match[str]") -> str:
        if "value" not in match.re.groupindex:
            return self.secret(match[0]) if GONE not in match[0] else match[0]
        return self.group(match, "value") if GONE not in match["value"] else match[0]

    def group(self, match: "re.Match[str]", name: str) -> str:
        begin, end = (place - match.start() for place in match.span(name))
        return f"{match[0][:begin]}{self.secret(match[name])}{match[0][end:]}"

    def header(self, match: "re.Match[str]") -> str:
        value = match["value"]
        return self(match) if can_be_secret(value.split()[-1] if value.split() else "") else match[0]

    def scheme(self, match: "re.Match[str]") -> str:
        value = match["value"]
        sure = len(value) >= _SURE_LENGTH and any(c.isdecimal() for c in value)
        return self(match) if sure or (looks_secret(value) and any(c.isdecimal() for c in value)) else match[0]

    def unless_commit(self, match: "re.Match[str]") -> str:
        before = match.string[max(0, match.start() - 24) : match.start()]
        return match[0] if len(match[0]) == 40 and pattern("commit_before").search(before) else self(match)

    def both(self, match: "re.Match[str]") -> str:
        if GONE in match[0]:
            return match[0]
        begin, end = (place - match.start() for place in match.span("user"))
        start = match.start("value") - match.start()
        return f"{match[0][:begin]}{self.secret(match['user'])}{match[0][end:start]}{self.secret(match['value'])}"

    def lines(self, match: "re.Match[str]") -> str:
        """Replace a block of lines by the same number of lines."""
        lines = match["value"].split("\n")
        begin, end = (place - match.start() for place in match.span("value"))
        is_cut, is_over = end == len(match[0]), False
        for place, line in enumerate(lines):
            told = place > 0 and _is_sentence(line)
            is_over = is_over or (is_cut and told)
            if line.strip() and GONE not in line and not told and not (is_over and not _ENCODED.search(line)):
                for word in line.split():
                    self._seen(word)
                lines[place] = GONE
        return match[0][:begin] + "\n".join(lines) + match[0][end:]


def _is_sentence(line: str) -> bool:
    """Return whether a line inside a block is a program's message."""
    return len(line.split()) > 1 and not _ENCODED.search(line)


def _without_tokens(text: str, hide: _Hide) -> str:
    for row in tables().tokens:
        if any(word in text for word in row.near):
            text = row.form.sub(hide, text)
    return text


def _without(text: str, places: Iterable[Place], hide: _Hide) -> str:
    pieces, rest = [], 0
    for begin, end in sorted(places):
        if begin < rest or end <= begin or GONE in text[begin:end]:
            continue
        value = text[begin:end]
        made = "\n".join(hide.secret(line) if line.strip() else line for line in value.split("\n"))
        lead = value[: len(value) - len(value.lstrip())] if "\n" in value else ""
        pieces += [text[rest:begin], lead, made]
        rest = end
    return "".join([*pieces, text[rest:]])


def _of_programs(text: str) -> Iterable[Place]:
    lines = Lines(text)
    for row in tables().programs:
        for match in lines.found(row.form, row.near):
            if can_be_secret(match["value"]):
                yield match.span("value")


def _assigned(text: str) -> Iterable[Place]:
    for one in assigned(text):
        if one.meaning in ("secret", "maybe"):
            yield from _values_of(text, one)


def _values_of(text: str, one: Assigned) -> Iterable[Place]:
    if one.mark in (":", "：") and (block := _block_scalar(text, one.at)):
        yield block
        return
    first = text[one.at : one.at + 1]
    if first in ("[", "(", "\n") or (first == "" and one.mark == ":"):
        yield from _items(text, one)
        return
    at_start = starts_line(text, one.begin)
    place = value_at(
        text,
        one.at,
        whole_line=at_start and one.mark in ("=", ":", "：") and one.is_variable,
        words=at_start and one.meaning == "secret" and one.mark in (":", "："),
    )
    if place is None:
        return
    value = text[slice(*place)]
    if can_be_secret(value) if one.meaning == "secret" or _is_set(one, value) else looks_secret(value):
        yield place


def _is_set(one: Assigned, value: str) -> bool:
    """Return whether a variable that may be a secret has a real value: not a path, and not a setting's keyword."""
    return one.is_variable and "_" in one.key and not value.startswith(("/", "~", ".")) and len(value) >= _SHORTEST_SET


def _items(text: str, one: Assigned) -> Iterable[Place]:
    """Yield the items of a list."""
    at = one.at
    for _ in range(_MOST_ITEMS):
        item = pattern("listed_value").match(text, at)
        if item is None or not (can_be_secret if one.meaning == "secret" else looks_secret)(item["value"]):
            return
        yield item.span("value")
        at = item.end() + (text[item.end() : item.end() + 1] in "\"'" and item.end() < len(text))


def is_distinct(secret: str) -> bool:
    """Return whether a secret is distinctive enough to be removed wherever it occurs."""
    return _SHORTEST_LEARNED <= len(secret) <= _LONGEST_LEARNED and "\n" not in secret and looks_secret(secret.strip())


def _block_scalar(text: str, at: int) -> tuple[int, int] | None:
    """Return the place of a YAML block scalar's value (| or >): the lines below with its first line's indentation."""
    head = _BLOCK_SCALAR.match(text, at)
    if head is None:
        return None
    ends = _end_of_line(text, head.end())
    for _ in range(_MOST_LINES):
        if not text.startswith(head["indent"], ends + 1):
            break
        ends = _end_of_line(text, ends + 1)
    return head.end(), ends


def _end_of_line(text: str, at: int) -> int:
    end = text.find("\n", at)
    return len(text) if end < 0 else end
