"""Values next to a secret's name without an operator: pairs, arguments, words of a command, table columns. Pure.

- name: HF_TOKEN          os.putenv("HF_TOKEN", "x")      set -x HF_TOKEN x      | HF_TOKEN | x |
  value: x                --hf-token x                    ENV HF_TOKEN x         my password is x      密码是x

Secrets below a line that names them: a heading, a table header, a command that shows a file. Pure.

Password:          name,token              $ cat ~/.cache/huggingface/token
                   ci-runner,tulip77       hf_QwErTyUiOp
tulip77

Secrets in sentences, and values connected to a secret's name by words or brackets. Pure.

The password for the registry is tulip77.      my passphrase was "quartz pickle otter"      口令改成 tulip77 了
REGISTRY_PASSWORD is set to tulip77            ["REGISTRY_PASSWORD", "tulip77"]             [REGISTRY_PASSWORD] tulip77
what creds did you use? > admin with Tulip77aB"""

import re
from collections.abc import Iterator
from functools import cache
from typing import Final

from accel.apps.privacy.keys import meaning_of
from accel.apps.privacy.near import Lines, found
from accel.apps.privacy.tables import pattern, tables, word_list
from accel.apps.privacy.values import Place, can_be_secret, looks_secret, value_at

_HEADINGS: Final = re.compile(r"^[\w.\"' -]{1,40}(?:[,;|\t][\w.\"' -]{1,40}){1,20}$", re.MULTILINE)
_MOST_ROWS: Final = 400
_MOST_WORDS: Final = 5  # in a heading


def headed(text: str) -> Iterator[Place]:
    """Yield (begin, end) of each such value."""
    yield from _below_headings(text)
    yield from _of_files(text)
    yield from _in_sheets(text)


def _below_headings(text: str) -> Iterator[Place]:
    at = 0
    while match := pattern("secret_heading").search(text, at):
        at = match.start("value") if match.start("value") > match.start() else match.end()
        words = match["name"].replace("(", " ").replace(")", " ").split()
        if len(words) > _MOST_WORDS or not any(meaning_of(" ".join(words[n:])) == "secret" for n in range(len(words))):
            continue
        value = match["value"].strip("\"'`")
        if looks_secret(value) and not value.endswith(":"):
            begin = text.index(value, match.start("value"))
            yield begin, begin + len(value)


def _of_files(text: str) -> Iterator[Place]:
    """Yield the output of commands that show a file, or an entry, with a secret's name."""
    for match in pattern("shown_file").finditer(text):
        name = match["name"].strip("\"' ").rpartition("/")[2].rpartition("\\")[2].partition(".")[0]
        secret = (
            meaning_of(name) == "secret" or "pass" in match[0].split(None, 1)[0] or "secret" in match["name"].lower()
        )
        if secret and can_be_secret(match["value"]) and not match["value"].startswith(("$", "#", "-")):
            yield match.span("value")


def _in_sheets(text: str) -> Iterator[Place]:
    for begin, end, meaning in sheet_cells(text):
        if meaning == "secret" and can_be_secret(text[begin:end]):
            yield begin, end


def sheet_cells(text: str) -> Iterator[tuple[int, int, str]]:
    """Yield the cells below headers that identify them, in rows separated by commas, semicolons, bars or tabs."""
    at = 0
    while found := _HEADINGS.search(text, at):
        at = found.end()
        sign = next(c for c in ";|\t," if c in found[0])
        names = [cell.strip(" \"'") for cell in found[0].split(sign)]
        told = [(n, meaning) for n, name in enumerate(names) if name and (meaning := meaning_of(name))]
        start = found.end() + 1
        for _ in range(_MOST_ROWS if told else 0):
            end = text.find("\n", start)
            end = len(text) if end < 0 else end
            cells = text[start:end].split(sign)
            if len(cells) != len(names) or start >= len(text):
                break
            for number, meaning in told:
                begin = start + sum(len(cell) + 1 for cell in cells[:number])
                place = value_at(text, begin + len(cells[number]) - len(cells[number].lstrip()))
                if place and place[1] <= begin + len(cells[number]):
                    yield (*place, meaning)
            start = end + 1
            at = max(at, start - 1)


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
    for form in (_ARGUMENTS, pattern("set_by_command"), _OPTION, _TYPED, pattern("echoed_name")):
        yield from _following(text, form)
    yield from _calls(text)
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


_SAID: Final = (
    r"(?P<rest>[^\n=:：\"'`“?!;]{0,48}?)(?:[ \t]?[:：=] ?|[ \t]?[(（]"
    r"|[ \t](?:is|was|are|were|to|be|now|just|ist|lautet|war|est|era|es|es:|é|è|это"
    r"|—|–|->|like|says|being)[ \t:]{1,3}|(?:是|为|為|成|改为|改成|设为|设置为|はは|は|이|는|은)[ \t:：]{0,3})"
    r"(?:(?:now|just|still|simply|currently|literally)[ \t])?"
    r"(?:[\"'`“„«「] ?(?P<quoted>[^\n\"'`”“»」]{4,120}?) ?[\"'`”“»」]|(?P<value>[^\s\"'`<>,;，。；、）)]{5,200}))"
)
_STEM: Final = re.compile(r"[A-Za-z]{2,60}")
_IN_NAMES: Final = ("token", "secret", "passw", "pwd", "passphrase", "key", "cred", "psk", "pass_", "passcode")
_SHORTEST: Final = 8  # characters of a possible password in a line that only mentions one
_MOST_DIGITS_APART: Final = re.compile(r"\d+[xX*]\d+|\d[\d.,]*[a-zA-Z%]{0,3}")


def spoken(text: str) -> Iterator[Place]:
    """Yield (begin, end) of each such value; they may overlap."""
    lines = Lines(text)
    yield from _joined(lines)
    for match in lines.found(_nouns(), word_list("said_secrets")):
        if match["quoted"]:
            if can_be_secret(match["quoted"]) and (" " in match["quoted"] or looks_secret(match["quoted"])):
                yield match.span("quoted")
            continue
        value = match["value"].rstrip(".!?)]}")
        if _is_told(value, weak=match["noun"].lower() in word_list("weak_secret_words")) and not value.endswith(
            (":", "=", "(")
        ):
            yield match.start("value"), match.start("value") + len(value)
    for match in lines.found(pattern("secret_shape"), (*word_list("speaking_of_secrets"), *tables().foreign_secrets)):
        stem = _STEM.match(match[0])
        if (
            len(match[0]) >= _SHORTEST
            and stem
            and stem[0].lower() not in word_list("no_persons")
            and looks_secret(match[0])
        ):
            yield match.span()


def _joined(lines: Lines) -> Iterator[Place]:
    """Yield values that a word or a bracket connects to a variable's name."""
    known: dict[str, bool] = {}
    for match in lines.found(pattern("joined_by_words"), _IN_NAMES):
        name = match["name"]
        if name not in known:
            known[name] = ("_" in name or name != name.lower()) and meaning_of(name) == "secret"
        if known[name] and _is_told(match["value"].rstrip(".!?"), weak=False):
            yield match.start("value"), match.start("value") + len(match["value"].rstrip(".!?"))


def _is_told(value: str, *, weak: bool) -> bool:
    if not looks_secret(value) or _MOST_DIGITS_APART.fullmatch(value) or not any(map(str.isdecimal, value)):
        return False
    return not weak or (len(value) >= _SHORTEST and any(map(str.isalpha, value)) and "." not in value)


@cache
def _nouns() -> "re.Pattern[str]":
    words = "|".join(re.escape(word) for word in sorted(word_list("said_secrets"), key=len, reverse=True))
    return re.compile(rf"(?P<noun>{words})s?{_SAID}", re.IGNORECASE)
