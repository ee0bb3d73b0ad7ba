"""Parse commands as a POSIX shell does, and translate them for the Windows shells. Pure.

    for_windows("export A=1 && sudo pip install 'numpy<2'", powershell=False, tools=("pip",))
    # set "A=1" && pip install "numpy<2"

The result is None if there is no Windows counterpart: a pipe to grep, $(…), a Linux tool or path.
"""

import re
from collections.abc import Collection, Iterable, Sequence
from typing import Final

from accel.model.dataclass import dataclass
from accel.text.pattern import pattern

_OPERATORS: Final = ("&&", "||", "|", ";")
_LONGEST: Final = 2000  # characters of a command that a person copies
_ASSIGNED: Final = pattern(r"(?P<name>[A-Za-z_]\w{0,80})=(?P<value>.{0,400})", re.DOTALL, exact_case=True)
_PLAIN: Final = pattern(r"[A-Za-z0-9_./:=+\\-]{1,400}", exact_case=True)
_RUN: Final = pattern(r"[A-Za-z0-9_./:=+,@%-]{1,400}", exact_case=True)  # signs that no shell reads otherwise
_POSIX_PATH: Final = pattern(r"(?:^|[=:])/(?:usr|opt|dev|etc|proc|sys|tmp|home|var|lib|root|mnt)\b", exact_case=True)
_OF_WINDOWS: Final = (
    *("set", "setx", "reg", "winget", "winget.exe", "wsl", "wsl.exe", "cd", "powershell", "start", "sfc", "dism"),
    *("shutdown", "taskkill"),
)
_TAKES_PATHS: Final = ("docker", "podman", "kubectl", "wsl")  # programs whose arguments are Linux paths


@dataclass(frozen=True, slots=True)
class Token:
    """One word. raw: as written, including quote marks; value: what the program gets, None if the shell expands it."""

    raw: str
    value: str | None


@dataclass(frozen=True, slots=True)
class Step:
    """One program with its words. by: the operator before it: "", "&&", "||", "|" or ";"."""

    by: str
    words: tuple[Token, ...]


def is_printable(command: str) -> bool:
    """Return whether a command looks like what it is: no control characters, line breaks or bidirectional marks."""
    return command.isprintable() and 0 < len(command) <= _LONGEST


def steps_of(command: str) -> tuple[Step, ...] | None:
    """Split a command into steps; None if it has a group, a redirection or an unclosed quote mark."""
    steps: list[Step] = []
    words: list[Token] = []
    by, place = "", 0
    while place < len(command):
        if command[place].isspace():
            place += 1
            continue
        operator = next((o for o in _OPERATORS if command.startswith(o, place)), None)
        if operator is not None:
            if not words:
                return None
            steps.append(Step(by, tuple(words)))
            words, by, place = [], operator, place + len(operator)
            continue
        found = _token(command, place)
        if found is None:
            return None
        token, place = found
        words.append(token)
    if words:
        steps.append(Step(by, tuple(words)))
    return tuple(steps) if steps and words else None


def written(steps: Sequence[Step]) -> str:
    """Format steps as one line for a POSIX shell."""
    joints = {"": "", ";": "; "}
    return "".join(joints.get(s.by, f" {s.by} ") + " ".join(token.raw for token in s.words) for s in steps)


def without_variables(step: Step) -> tuple[Token, ...]:
    """Return a step's words without the assignments before its program."""
    at = next((at for at, token in enumerate(step.words) if not _ASSIGNED.fullmatch(token.raw)), len(step.words))
    return step.words[at:]


def for_windows(command: str, *, powershell: bool, tools: Collection[str]) -> str | None:
    """Translate a command for cmd or PowerShell; None if that is impossible. tools: programs that Windows has too."""
    steps = steps_of(command)
    if steps is None or any(step.by in ("|", "||") for step in steps):
        return None
    lines: list[str] = []
    for step in steps:
        written_anew = _step(step, powershell, tools)
        if written_anew is None:
            return None
        lines += written_anew
    if not powershell:
        return " && ".join(lines)
    return lines[0] + "".join(f"; if ($?) {{ {line} }}" for line in lines[1:])


def _token(command: str, place: int) -> tuple[Token, int] | None:
    """Return the word that begins at a position, and its end; None if it is not a plain word."""
    start, value, expands = place, "", False
    while place < len(command):
        plain = _RUN.match(command, place)
        if plain is not None:
            value, place = value + plain.group(), plain.end()
            continue
        sign = command[place]
        if sign.isspace() or command.startswith(_OPERATORS, place):
            break
        if sign in "()<>&`":
            return None
        if sign in "'\"":
            end = _closing(command, place)
            if end is None:
                return None
            inside = command[place + 1 : end]
            expands |= sign == '"' and ("$" in inside or "`" in inside)
            value += inside if sign == "'" else re.sub(r'\\(["\\$`])', r"\1", inside)
            place = end + 1
        elif sign == "\\" and place + 1 < len(command):
            value, place = value + command[place + 1], place + 2
        elif command.startswith("$(", place):
            end = _bracket(command, place + 1)
            if end is None:
                return None
            expands, place = True, end + 1
        else:
            expands |= sign in "$*?" or (sign == "~" and place == start)
            value, place = value + sign, place + 1
    return Token(command[start:place], None if expands else value), place


def _closing(command: str, place: int) -> int | None:
    """Return the end of the quotation that begins at a position."""
    mark, place = command[place], place + 1
    while place < len(command):
        if command[place] == "\\" and mark == '"':
            place += 2
        elif command[place] == mark:
            return place
        else:
            place += 1
    return None


def _bracket(command: str, place: int) -> int | None:
    """Return the position of the matching closing bracket, skipping quotations."""
    depth = 0
    while place < len(command):
        sign = command[place]
        if sign in "'\"":
            end = _closing(command, place)
            if end is None:
                return None
            place = end
        depth += (sign == "(") - (sign == ")")
        if depth == 0:
            return place
        place += 1
    return None


def _step(step: Step, powershell: bool, tools: Collection[str]) -> list[str] | None:
    words = list(step.words)
    if powershell and words[0].raw.lower() == "set":  # cmd's: in PowerShell it is another command
        return _all(_variable(token, False, powershell) for token in words[1:])
    if words[0].raw.lower() in _OF_WINDOWS or words[0].raw.startswith("System"):
        return [" ".join(token.raw for token in words)]
    if words[0].raw == "sudo":
        words = words[1:]
    lines: list[str] = []
    name = words[0].raw if words else ""
    if name in ("export", "unset"):
        return _all(_variable(token, name == "unset", powershell) for token in words[1:])
    if name == "env":
        words = words[1:]
        while len(words) > 1 and words[0].raw == "-u":
            lines.append(_cleared(words[1].raw, powershell))
            words = words[2:]
    while words and _ASSIGNED.fullmatch(words[0].raw):
        line = _variable(words.pop(0), False, powershell)
        if line is None:
            return None
        lines.append(line)
    if not words or any(token.value is None for token in words):
        return None
    values = [token.value or "" for token in words]
    tool = "python" if values[0] == "python3" else values[0]
    plain = tool.rsplit("\\", 1)[-1].removesuffix(".exe").lower()
    if not {plain, values[0]}.intersection(tools) and "\\" not in words[0].raw:
        return None
    if plain not in _TAKES_PATHS and any(_POSIX_PATH.search(value) for value in values):
        return None
    first: str | None = words[0].raw if "\\" in words[0].raw else tool
    if words[0].raw.startswith("'"):
        path = _quoted(values[0], powershell)
        first = f"& {path}" if powershell and path is not None else path
    quoted = _all((first, *(_quoted(value, powershell) for value in values[1:])))
    return None if quoted is None else [*lines, " ".join(quoted)]


def _all(lines: "Iterable[str | None]") -> list[str] | None:
    known = list(lines)
    return None if None in known else [line for line in known if line is not None]


def _variable(token: Token, away: bool, powershell: bool) -> str | None:
    if away:
        return _cleared(token.raw, powershell)
    found = _ASSIGNED.fullmatch(token.value or "")
    if found is None or _POSIX_PATH.search(found["value"]) or re.search(r'["%$`\n]', found["value"]):
        return None
    name, value = found["name"], found["value"]
    if name.startswith("LD_"):
        return None
    escaped = value.replace("'", "''")
    return f"$env:{name} = '{escaped}'" if powershell else f'set "{name}={value}"'


def _cleared(name: str, powershell: bool) -> str:
    return f"$env:{name} = $null" if powershell else f'set "{name}="'


def _quoted(value: str, powershell: bool) -> str | None:
    """Quote a word for the shell; None if no quoting preserves it."""
    if _PLAIN.fullmatch(value):
        return value
    if '"' in value and "'" not in value:
        value = value.replace('"', "'")  # a line of Python, where both quote marks are equivalent
    if '"' in value or "\n" in value or value.endswith("\\"):
        return None
    if powershell:
        escaped = value.replace("'", "''")
        return f"'{escaped}'" if "'" in value or "$" in value or "`" in value else f'"{value}"'
    return None if "%" in value else f'"{value}"'
