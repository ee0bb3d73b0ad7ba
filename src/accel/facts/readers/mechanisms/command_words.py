"""Split the words of a command into program, subcommand, options, operands and variables."""

import re
from collections.abc import Iterator, Mapping, Sequence
from typing import Any, Final

from accel.text.pattern import pattern

_SETS: Final = pattern(
    r"(?:export|setx?|declare -x|typeset -x|%env|env)\s{1,4}"
    r"(?P<name>[A-Za-z_]\w{0,80})(?P<sign>\s?=\s?|\s)(?P<value>.{0,400})$"
    r"|\$env:(?P<power>[A-Za-z_]\w{0,80})\s{0,3}=\s{0,3}(?P<said>.{0,400})$",
    re.IGNORECASE,
)
_NUMBERED: Final = pattern(r"^(pip|python)[\d.]{0,6}$", exact_case=True)
_WORD: Final = pattern(r"\w", exact_case=True)
ASSIGNMENT: Final = pattern(r"([A-Za-z_]\w{0,80})=(.*)", re.DOTALL, exact_case=True)
PATH: Final = pattern(r"(?:\.{0,2}/|~/|[A-Za-z]:\\)\S", exact_case=True)
PROSE: Final = frozenset(  # words that continue a sentence about a command: "docker run without --gpus"
    (
        *("without", "with", "and", "or", "but", "then", "the", "a", "an", "in", "on", "to", "of", "for", "from", "by"),
        *("is", "was", "does", "fails", "failed", "says", "shows", "works", "worked", "gives", "hangs", "command"),
        *("inside", "doesn't", "didn't", "not", "when", "where", "if", "as", "also", "still", "again", "it", "my"),
        *("this", "that"),
    )
)
_BEFORE_TOOL: Final = frozenset(("sudo", "time", "nohup", "exec", "env", "command", "doas"))


def is_set(text: str) -> bool:
    """Return whether a line sets a variable: "set CUDA_VISIBLE_DEVICES=0" does, "set the variable" does not."""
    found = _SETS.match(text)
    if found is None:
        return False
    if found["power"]:
        return True
    if "=" in found["sign"]:
        return True
    return text.lower().startswith("setx") and found["name"].isupper()


def first_tool(text: str) -> str:
    for word in text.split(maxsplit=6)[:6]:
        if word.lower() in _BEFORE_TOOL or ASSIGNMENT.match(word) or word.startswith("-"):
            continue
        return _plain(word)
    return ""


def _plain(word: str) -> str:
    """Return a program's name without folder and extension: "pip" for "C:\\x\\pip.exe" and for "pip3.11"."""
    name = word.replace("\\", "/").rsplit("/", 1)[-1].lower().removesuffix(".exe")
    return _NUMBERED.sub(r"\1", name)


def looks_run(text: str, table: Mapping[str, Any], *, strict: bool = False) -> bool:
    """Return whether a line that begins with a known tool is a command rather than prose about it."""
    words = [word for word in text.split() if word.lower() not in _BEFORE_TOOL and not ASSIGNMENT.match(word)]
    if len(words) > 2 and words[1].lower() in table.get("skip", ()):  # "uv pip install"
        del words[1]
    if len(words) < 2:
        return not strict and bool(table.get("alone"))
    second = words[1].strip("`'\"")
    if second.startswith("-") and len(second) > 1 and not second[1:2].isspace():
        return second not in ("-", "--", "->") or bool(words[2:])
    if second.lower() in table.get("verbs", ()):
        return True
    if second in ("|", "&&", "2>&1", ";"):
        return bool(table.get("alone"))
    return not strict and (bool(table.get("operands")) or bool(PATH.match(second) or second.startswith("$")))


def taken_apart(words: list[str], tables: Mapping[str, Any], asked: bool) -> dict[str, Any] | None:
    """Return the fields of a Command; None if the words are not a command.

    asked  whether a prompt or similar shows that it was run; otherwise the words after a tool's name may be prose
    """
    line = " ".join(words)
    if (found := _SETS.match(line)) and is_set(line):
        return {"tool": "export", "variables": tuple(_set(found, words))}
    variables: list[tuple[str, str]] = []
    while words and (words[0].lower() in _BEFORE_TOOL or words[0].startswith("-") or ASSIGNMENT.fullmatch(words[0])):
        if assigned := ASSIGNMENT.fullmatch(words[0]):
            variables.append((assigned[1], assigned[2]))
        words = words[1:]
    if not words:
        return {"tool": "export", "variables": tuple(variables)} if variables and asked else None
    tool, rest = _plain(words[0]), words[1:]
    if tool in ("python", "py") and (module := _module_at(rest)) is not None:
        tool, rest = _plain(rest[module]), rest[module + 1 :]
    if not _WORD.search(tool):
        return None
    table = tables.get(tool, {})
    rest = [word for at, word in enumerate(rest) if at or word.lower() not in table.get("skip", ())]
    verb, options, operands = _parts(rest, table)
    if table.get("image") and operands and operands[0].lower().rstrip(".,:;") in PROSE:
        return None
    if not asked and not (table.get("operands") or table.get("image") or table.get("keeps")):
        operands = []  # prose after the command: "npu-smi info prints the cards"
    return {
        "tool": tool,
        "verb": verb,
        "options": tuple(options),
        "operands": tuple(operands),
        "variables": tuple(variables),
    }


def _module_at(rest: Sequence[str]) -> int | None:
    """Return the position of the module that Python runs: after -m, preceded only by flags ("-s -m pip")."""
    for at, word in enumerate(rest[:-1]):
        if word.lower() == "-m":
            return at + 1
        if not word.startswith("-") or len(word) > 6:
            return None
    return None


def _parts(rest: Sequence[str], table: Mapping[str, Any]) -> tuple[str, list[str], list[str]]:
    """Return the verb, the options and the operands."""
    verbs, nested, valued = table.get("verbs", ()), table.get("nested", ()), frozenset(table.get("valued", ()))
    verb: list[str] = []
    options: list[str] = []
    operands: list[str] = []
    at = 0
    while at < len(rest):
        word = rest[at]
        at += 1
        if operands and (table.get("image") or table.get("program")) and not (verb and verb[-1] in nested):
            operands.append(word)  # words after an image belong to the program
        elif word in ("...", "…"):  # what the writer left out
            continue
        elif word.startswith("-") and word.strip("-"):
            name, equals, value = word.partition("=")
            plain = name.lower() if name.startswith("--") else name
            takes = not equals and (plain in valued or plain.lower() in valued)
            if takes and at < len(rest) and not (rest[at].startswith("-") and not rest[at][1:2].isdecimal()):
                value, equals, at = rest[at], "=", at + 1
            options.append(f"{plain}{equals}{value}")
        elif word.lower() in verbs and not operands and (not verb or verb[-1] in nested):
            verb.append(word.lower())
        else:  # a requirement at the end of a sentence has its full stop
            operands.append(word.rstrip(".") if "==" in word else word)
    return " ".join(verb), options, operands


def _set(found: "re.Match[str]", words: Sequence[str]) -> Iterator[tuple[str, str]]:
    """Yield the variables that a line sets: "export A=1 B=2" sets two."""
    if found["power"]:
        yield found["power"], found["said"].strip().strip("\"'")
        return
    if words[0].lower().startswith("set"):  # in cmd the value extends to the end of the line
        yield found["name"], found["value"].strip().strip("\"'")
        return
    several = [assigned for word in words[1:] if (assigned := ASSIGNMENT.fullmatch(word))]
    if several:
        yield from ((assigned[1], assigned[2]) for assigned in several)
    else:
        yield found["name"], found["value"].strip().strip("\"'")
