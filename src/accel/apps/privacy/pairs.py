"""Values next to a secret's name without an operator: pairs, arguments, words of a command, table columns. Pure.

- name: HF_TOKEN          os.putenv("HF_TOKEN", "x")      set -x HF_TOKEN x      | HF_TOKEN | x |
  value: x                --hf-token x                    ENV HF_TOKEN x         my password is x      密码是x
"""

import re
from collections.abc import Iterator
from typing import Final

from accel.apps.privacy.keys import meaning_of
from accel.apps.privacy.near import found
from accel.apps.privacy.tables import pattern, tables, word_list
from accel.apps.privacy.values import Place, can_be_secret, looks_secret, value_at

_FIELD: Final = r"(?<![\w.-])(?:{words})\\?[\"']?\s{{0,3}}[:=>]\s{{0,3}}"
_NAMES: Final = "name|key|variable|env|property|Name|Key|NAME|KEY|id|option"
_VALUES: Final = "value|val|string|Value|VALUE|default|secretString"
_QUOTED_NAME: Final = r"\\?[\"']?(?P<name>[\w.-]{2,100})\\?[\"']?"
_PAIR: Final = re.compile(
    _FIELD.format(words=_NAMES)
    + _QUOTED_NAME
    + r"(?:</\w{1,20}>)?(?:[\s,]{1,40}[\"']?[A-Za-z]{2,20}[\"']?: ?[\"'\w.-]{1,60}(?=[\s,])){0,2}"
    + r"[\s,;/]{0,80}[<\\]?[\"']?"
    + _FIELD.format(words=_VALUES)
)
_ELEMENT: Final = re.compile(r"\b(?:key|name|id)=[\"'](?P<name>[\w.-]{2,100})[\"'][^<>\n]{0,80}>")
_BACKWARDS: Final = re.compile(
    _FIELD.format(words=_VALUES)
    + r"\\?(?P<value>\"[^\"\n]{1,400}|'[^'\n]{1,400}|[^\s\"',}]{1,400})[\"']?[\s,;]{1,80}[\"']?"
    + _FIELD.format(words=_NAMES)
    + _QUOTED_NAME
)
_ARGUMENTS: Final = re.compile(r"\(\s{0,20}[\"'](?P<name>[\w.-]{2,100})[\"'],\s{0,20}(?=[bru]?[\"'])")
_TYPED: Final = re.compile(r"(?<![\w.-])(?P<name>[\w.-]{2,60})(?:: ?| )[\w.\[\]*&<>]{1,40} = (?=[bru]?[\"'`])")
_OPTION: Final = re.compile(r"(?<![\w-])--?(?P<name>[A-Za-z][\w.-]{2,60})[ \t]{1,4}(?![-\s|>&])")
_COPULA: Final = r"(?:是|为|為|は|は、|이|는|은| est | es | ist | is | это | é | - | – |\s{1,4})[:： ]{0,3}"


def paired(text: str) -> Iterator[Place]:
    """Yield (begin, end) of each such value; they may overlap."""
    if "alue" in text or "string" in text or "VALUE" in text or "val" in text:
        yield from _following(text, _PAIR)
        yield from _backwards(text)
    if "=" in text and ">" in text:
        yield from _elements(text)
    yield from _following(text, _ARGUMENTS)
    yield from _following(text, pattern("set_by_command"))
    yield from _following(text, _OPTION)
    yield from _following(text, _TYPED)
    yield from _calls(text)
    yield from _following(text, pattern("echoed_name"))
    yield from _columns(text)
    yield from _in_prose(text)


def _following(text: str, form: "re.Pattern[str]") -> Iterator[Place]:
    for match in form.finditer(text):
        yield from _told(text, match["name"], match.end())


def _told(text: str, name: str, at: int) -> Iterator[Place]:
    meaning = meaning_of(name)
    if meaning in ("secret", "maybe") and (place := value_at(text, at)):
        value = text[slice(*place)]
        sure = meaning == "secret" or (name.isupper() and "_" in name and not value.startswith(("/", "~", ".")))
        if can_be_secret(value) if sure else looks_secret(value):
            yield place


def _backwards(text: str) -> Iterator[Place]:
    for match in _BACKWARDS.finditer(text):
        if meaning_of(match["name"]) in ("secret", "maybe") and can_be_secret(match["value"].lstrip("\"'")):
            begin, end = match.span("value")
            yield begin + (match["value"][0] in "\"'"), end


def _elements(text: str) -> Iterator[Place]:
    for match in _ELEMENT.finditer(text):
        end = text.find("<", match.end(), match.end() + 400)
        if end > match.end() and meaning_of(match["name"]) in ("secret", "maybe"):
            value = text[match.end() : end]
            if can_be_secret(value.strip()) and "\n" not in value.strip():
                yield match.end(), end


def _calls(text: str) -> Iterator[Place]:
    """Yield the last argument of calls that set a secret."""
    for match in pattern("secret_call").finditer(text):
        if meaning_of(match["name"]) == "secret" and looks_secret(match["value"]):
            yield match.span("value")


def _columns(text: str) -> Iterator[Place]:
    """Yield the values in the column after a secret's name, as in a table of variables."""
    for match in pattern("secret_column").finditer(text):
        name = match["name"]
        meaning = meaning_of(name)
        if meaning == "maybe" and "_" not in name and not name.isupper() and "|" not in match[0]:
            continue  # "key  value" of an ordinary table
        if (
            meaning in ("secret", "maybe")
            and (place := value_at(text, match.end()))
            and looks_secret(text[slice(*place)])
        ):
            yield place


def _in_prose(text: str) -> Iterator[Place]:
    low = text.lower()
    for match in found(pattern("secret_in_prose"), word_list("prose_secret_words"), text, low):
        value = match["value"].rstrip(".!?)")
        begin = match.start("value")
        told = match["verb"].strip()
        if looks_secret(value) and (told or any(c.isdecimal() for c in value)) and not value.endswith((":", "=")):
            yield begin, begin + len(value)
    if text.isascii():
        return
    words = [word for word, kind in tables().foreign if kind == "secret" and word in low]
    if not words:
        return
    form = re.compile(
        rf"(?:{'|'.join(map(re.escape, words))}){_COPULA}(?P<value>[^\s\"'<>,;，。；、]{{4,200}})", re.IGNORECASE
    )
    for match in form.finditer(text):
        if looks_secret(match["value"]) and any(c.isdecimal() or c.isupper() for c in match["value"]):
            yield match.span("value")
