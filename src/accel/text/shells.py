"""Parse commands as a POSIX shell does, and translate them for other shells. Pure.

    for_shell("export A=1 && sudo pip install 'numpy<2'", "cmd", tools=("pip",))
    # set "A=1" && pip install "numpy<2"
    for_shell("unset A; nvidia-smi -L", "fish")
    # set -e A; nvidia-smi -L

The result is None if there is no counterpart: on Windows for a pipe to grep, $(…), a Linux tool or path; in fish for
${NAME}, a group or an assignment of its own.
"""

import re
import shlex
from collections.abc import Collection, Iterable, Sequence
from typing import TYPE_CHECKING, Final

from accel.model.dataclass import dataclass
from accel.text.pattern import pattern

if TYPE_CHECKING:
    from accel.text.assignments import Shell

_OPERATORS: Final = ("&&", "||", "|", ";")
_LONGEST: Final = 2000  # characters of a command that a person copies
_ASSIGNED: Final = pattern(r"(?P<name>[A-Za-z_]\w{0,80})=(?P<value>.{0,400})", re.DOTALL, exact_case=True)
_PLAIN: Final = pattern(r"[A-Za-z0-9_./:=+\\-]{1,400}", exact_case=True)
_RUN: Final = pattern(r"[A-Za-z0-9_./:=+,@%-]{1,400}", exact_case=True)  # signs that no shell reads otherwise
_POSIX_PATH: Final = pattern(r"(?:^|[=:])/(?:usr|opt|dev|etc|proc|sys|tmp|home|var|lib|root|mnt)\b", exact_case=True)
_ONLY_POSIX: Final = pattern(r"\$\{|`|\$\?|(?<!\$)\((?!\))|\[\[|^[A-Za-z_]\w*=\$\(|<\(", exact_case=True)  # not in fish
_EXPANDED: Final = pattern(r"\$(?!\()|`|\\", exact_case=True)  # by PowerShell as another variable
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


def for_shell(command: str, shell: "Shell", tools: Collection[str] | None = None) -> str | None:
    """Translate a command for another shell; None if that is impossible.

    tools  programs that Windows has under the same name; None: the system is not Windows, and has them all
    """
    steps = steps_of(command)
    if tools is None:
        plain = steps is None and shell == "fish" and not _ONLY_POSIX.search(command)
        return command if shell == "bash" or plain else _on_posix(steps or (), shell)
    if steps is None or any(step.by in ("|", "||") for step in steps):
        return None
    lines: list[str] = []
    for step in steps:
        written_anew = _step(step, shell, tools)
        if written_anew is None:
            return None
        lines += written_anew
    if shell != "powershell":
        return " && ".join(lines)
    return lines[0] + "".join(f"; if ($?) {{ {line} }}" for line in lines[1:])


def _on_posix(steps: Sequence[Step], shell: "Shell") -> str | None:
    """Return steps for fish, or for PowerShell on Linux or macOS; None if it cannot write one of them."""
    from accel.text.assignments import removed

    known: list[Step] = []
    for step in steps:
        bare = without_variables(step)
        name, *rest = bare or (Token("", ""),)
        if name.raw == "source" and shell == "powershell":
            return None
        sets = [token.raw for token in rest] if name.raw == "export" else []
        if name.raw != "export" and (shell == "powershell" or not bare):
            sets = [token.raw for token in step.words[: len(step.words) - len(bare)]]
        lines = [_set_anew(raw, shell) for raw in sets]
        lines += [removed(token.raw, shell) for token in rest] if name.raw == "unset" else []
        words = () if name.raw in ("export", "unset", "") else bare if shell == "powershell" else step.words
        typed = [_word(token, shell) for token in words]
        if None in lines or None in typed:
            return None
        raw = [*(line for line in lines if line is not None), " ".join(word for word in typed if word)]
        link = ";" if shell == "powershell" else "&&"  # there an assignment reaches over "&&"
        by = link if known and known[-1].words[0].raw.startswith("$env:") else step.by
        known += [Step(link if at else by, (Token(one, one),)) for at, one in enumerate(filter(None, raw))]
    return written(known) if known else None


def _set_anew(assignment: str, shell: "Shell") -> str | None:
    found = _ASSIGNED.fullmatch(assignment)
    value = found["value"] if found is not None else "`"
    inside = value[1:-1] if value[:1] in ("'", '"') else value
    if found is None or _ONLY_POSIX.search(inside) or ("$" in inside and (shell == "powershell" or value[:1] == "'")):
        return None
    from accel.text.assignments import assigned  # for the shells of Windows, and fish

    return assigned(found["name"], inside, shell)


def _word(token: Token, shell: "Shell") -> str | None:
    """Return a word as this shell reads it; None if only a POSIX shell does."""
    if shell == "fish":
        return (
            None
            if _ONLY_POSIX.search(token.raw)
            else f"{token.raw}.fish" * token.raw.endswith("/activate") or token.raw
        )
    if token.value is None:
        return None if _EXPANDED.search(token.raw) else token.raw
    return _quoted(token.value, "powershell")


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


def _step(step: Step, shell: "Shell", tools: Collection[str]) -> list[str] | None:
    from accel.text.assignments import removed

    words = list(step.words)
    powershell = shell == "powershell"
    if powershell and words[0].raw.lower() == "set":  # cmd's: in PowerShell it is another command
        return _all(_variable(token, False, shell) for token in words[1:])
    if words[0].raw.lower() in _OF_WINDOWS or words[0].raw.startswith("System"):
        return [" ".join(token.raw for token in words)]
    if words[0].raw == "sudo":
        words = words[1:]
    lines: list[str] = []
    name = words[0].raw if words else ""
    if name in ("export", "unset"):
        return _all(_variable(token, name == "unset", shell) for token in words[1:])
    if name == "env":
        words = words[1:]
        while len(words) > 1 and words[0].raw == "-u":
            lines.append(removed(words[1].raw, shell))
            words = words[2:]
    while words and _ASSIGNED.fullmatch(words[0].raw):
        line = _variable(words.pop(0), False, shell)
        if line is None:
            return None
        lines.append(line)
    if not words or any(token.value is None for token in words):
        return None
    values = [token.value or "" for token in words]
    tool = "python" if values[0] == "python3" else values[0]
    plain = tool.rsplit("\\", 1)[-1].removesuffix(".exe").lower()
    of_windows = "\\" in words[0].raw or words[0].raw.endswith(".exe")
    if not of_windows and not {plain, values[0]}.intersection(tools):
        return None
    if plain not in _TAKES_PATHS and any(_POSIX_PATH.search(value) for value in values):
        return None
    first: str | None = words[0].raw if "\\" in words[0].raw else tool
    if words[0].raw.startswith("'"):
        path = _quoted(values[0], shell)
        first = f"& {path}" if powershell and path is not None else path
    quoted = _all((first, *(_quoted(value, shell) for value in values[1:])))
    return None if quoted is None else [*lines, " ".join(quoted)]


def _all(lines: "Iterable[str | None]") -> list[str] | None:
    known = list(lines)
    return None if None in known else [line for line in known if line is not None]


def _variable(token: Token, away: bool, shell: "Shell") -> str | None:
    if away:
        from accel.text.assignments import removed

        return removed(token.raw, shell)
    found = _ASSIGNED.fullmatch(token.value or "")
    if found is None or _POSIX_PATH.search(found["value"]) or re.search(r'["%$`\n]', found["value"]):
        return None
    if found["name"].startswith("LD_"):
        return None
    from accel.text.assignments import assigned

    return assigned(found["name"], found["value"], shell)


def _quoted(value: str, shell: "Shell") -> str | None:
    """Quote a word for the shell; None if no quoting preserves it."""
    if _PLAIN.fullmatch(value):
        return value
    if '"' in value and "'" not in value:
        value = value.replace('"', "'")  # a line of Python, where both quote marks are equivalent
    if '"' in value or "\n" in value or value.endswith("\\"):
        return None
    if shell == "bash":
        return shlex.quote(value)
    if shell == "powershell":
        escaped = value.replace("'", "''")
        return f"'{escaped}'" if "'" in value or "$" in value or "`" in value else f'"{value}"'
    return None if "%" in value else f'"{value}"'
