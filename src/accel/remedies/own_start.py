"""What of the text's own "docker run" a remedy's command types again. Pure.

docker run -it --privileged -v /data:/data -e HF_TOKEN=hf_… app:1 serve --port 80
    -it -v /data:/data, serve --port 80: plain words that concern the container's inside and the user's own data
    --privileged, -e HF_TOKEN: named only, for they give the container more of the host, or change what it runs

A script for a text types none of it: the text may be somebody else's, and a script is read less closely than an answer.
The options are in specs/language/containers.yaml.
"""

from collections.abc import Iterator, Mapping, Sequence
from typing import Any, Final

from accel.facts.readers.mechanisms.command_words import PROSE
from accel.model.dataclass import dataclass
from accel.model.observation import Command
from accel.remedies.container_options import as_words, is_option, row_of
from accel.specs import Specs
from accel.text.pattern import pattern
from accel.text.shells import Step, Token

_WORD: Final = pattern(r"[A-Za-z0-9_.:=/,@+%-]{1,200}", exact_case=True)
_VALUE: Final = pattern(r"[A-Za-z0-9_.:=/-]{0,60}", exact_case=True)
_MOUNT: Final = pattern(r"(?:\$PWD|\$\(pwd\)|\$\{PWD\}|\$HOME|~)?[A-Za-z0-9_.:=/,@+-]{1,200}", exact_case=True)
_NAME: Final = pattern(r"-{1,2}[A-Za-z][A-Za-z0-9-]{0,40}", exact_case=True)
_VARIABLE: Final = pattern(r"[A-Za-z_][A-Za-z0-9_]{0,80}", exact_case=True)
_OF_SHELL: Final = pattern(r"\$\{?[A-Za-z_]\w{0,40}\}?", exact_case=True)
_KEY_LIKE: Final = pattern(r"(?=\w{0,40}\d)\w{24,}", exact_case=True)
_SOURCE: Final = pattern(r"(?:^|,)(?:source|src)=([^,]{1,200})", exact_case=True)
_FLAGS: Final = ("--rm", "-it", "-ti", "-i", "-t", "-d", "-itd", "-dit", "-tid", "-dt", "--init", "--detach")
_LONG_FLAGS: Final = ("--interactive", "--tty")


@dataclass(frozen=True, slots=True, kw_only=True)
class TypedAgain:
    """options: as Command stores them. left: names of those that are not. program: None if it is not typed again."""

    options: tuple[str, ...]
    left: tuple[str, ...]
    program: tuple[str, ...] | None


def typed_again(own: Command, options: Sequence[str], specs: Specs, on_windows: bool) -> TypedAgain:
    """Return what to type again of these options of a start, and of its program."""
    table = specs.table("language/containers") or {}
    kept = tuple(one for one in options if _is_kept(one, table) and not (on_windows and {"$", "~"} & set(one)))
    named = (_named(one) for one in options if one not in kept)
    program = own.operands[1:]
    whole = all(_WORD.fullmatch(word) and not _is_secret(word, table) for word in program)
    whole = whole and not PROSE.intersection(program) and not "".join(program[-1:]).endswith((".", ",", ":"))
    return TypedAgain(
        options=kept, left=tuple(dict.fromkeys(name for name in named if name)), program=program if whole else None
    )


def in_a_script(step: Step, starts: Sequence[Command], specs: Specs) -> Step:
    """Return the start of a container without what it repeats of the text's, and with a placeholder for its image."""
    raw = [token.raw for token in step.words]
    images = {own.operands[0] for own in starts if own.operands}
    at = next((at for at, word in enumerate(raw) if word in images), None)
    if at is None:
        return step
    rows = (specs.table("language/containers") or {}).get("options", ())
    if raw[1:2] not in (["run"], ["create"]):
        return Step(step.by, tuple(Token("IMAGE", "IMAGE") if t.raw in images else t for t in step.words))
    words = raw[:at]
    for option in dict.fromkeys(option for own in starts for option in own.options if not is_copied(option, rows)):
        words = _without(words, as_words([option]))
    program = next((own.operands[1:] for own in starts if own.operands[0:1] == (raw[at],)), ())
    behind = [] if tuple(raw[at + 1 :]) == program else raw[at + 1 :]
    return Step(step.by, tuple(Token(word, word) for word in (*words, "IMAGE", *behind)))


def is_copied(option: str, rows: Sequence[Mapping[str, Any]]) -> bool:
    """Return whether a script may have an option as well: its row allows it, and its value is a plain word."""
    row = row_of(option, rows)
    known = option in _FLAGS or (row is not None and bool(row.get("copied")))
    return known and _VALUE.fullmatch(option.partition("=")[2]) is not None


def _without(words: list[str], option: list[str]) -> list[str]:
    for at in range(len(words) - len(option) + 1):
        if words[at : at + len(option)] == option:
            return words[:at] + words[at + len(option) :]
    return words


def _is_kept(option: str, table: Mapping[str, Any]) -> bool:
    if is_copied(option, table.get("options", ())) or option in _LONG_FLAGS:
        return True
    name, _, value = option.partition("=")
    if name in table.get("mounts", ()):
        return _MOUNT.fullmatch(value) is not None and all(_is_own_data(one, table) for one in _sources(name, value))
    values = table.get("own_values", {}).get(name)
    known = is_option(value, values) or value.startswith(tuple(values)) if values else name in table.get("own", ())
    return bool(known and value and _WORD.fullmatch(value)) and not _is_secret(value, table)


def _sources(name: str, value: str) -> Iterator[str]:
    """Yield the folder of the host that a mount names."""
    yield from (hit[1] for hit in _SOURCE.finditer(value)) if name == "--mount" else (value.partition(":")[0],)


def _is_own_data(source: str, table: Mapping[str, Any]) -> bool:
    """Return whether a folder of the host holds data: not the system's, no whole home, nothing hidden but caches."""
    parts = [part for part in source.split("/") if part]
    hidden = any(part.startswith(".") and part not in table.get("caches", ()) for part in parts if part != ".")
    system = source.startswith("/") and (not parts or parts[0] in table.get("system_folders", ()))
    allowed = source.startswith(tuple(table.get("driver_folders", ())))
    if not parts or ".." in parts or len(parts) <= table.get("homes", {}).get(parts[0], 0):
        return False
    return allowed or not (hidden or system)


def _is_secret(word: str, table: Mapping[str, Any]) -> bool:
    upper = word.partition("=")[0].upper()
    return any(part in upper for part in table.get("secrets", ())) or _KEY_LIKE.search(word) is not None


def _named(option: str) -> str | None:
    """Return an option's name, and the variable that it sets or takes; None if it is not a name."""
    name, _, value = option.partition("=")
    variable = value.partition("=")[0] if name in ("-e", "--env") else ""
    if not _NAME.fullmatch(name):
        return None
    if _OF_SHELL.fullmatch(value):
        return f"{name} {value}"
    return f"{name} {variable}" if _VARIABLE.fullmatch(variable) else name
