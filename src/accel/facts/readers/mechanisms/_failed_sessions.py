"""Recognise the commands of a shell session after which it still fails, without another message that says so.

    $ sudo modprobe nvidia_uvm
    $ ./vectorAdd >/dev/null; echo $?
    1                                       or "exit=1", "# still broken", "… || echo no change" and its answer

Each command above is an attempt in vain: as it was typed, its variables, and its act (specs/language/attempts.yaml).
"""

from collections.abc import Iterator
from typing import Final

from accel.facts.readers.mechanisms.commands import commands_in
from accel.facts.readers.page import Page
from accel.model.observation import Command, Experiment
from accel.text.lexicon import families_of
from accel.text.pattern import pattern

_ASKS: Final = pattern(r"\$\?|%ERRORLEVEL%|\$LASTEXITCODE")
_STATUS: Final = pattern(r"(?:[\w ]{1,12}[=:] ?)?(?P<status>-?\d{1,10})", exact_case=True)
_REMARK: Final = pattern(r"(?:[^\n]{0,60}?[$#%>]\s{1,3})?\s{0,8}(?:#|//|rem\b|::)\s{0,3}(?P<remark>[^#\n]{3,80})$")
_STEP: Final = pattern(r"\s{0,3}(?:\|\|?|&&?|;|\d?&?>|#)", exact_case=True)


def failed(page: Page) -> Iterator[Experiment]:
    """Yield the commands before a sign of failure, with the act that each is."""
    commands = [one for one in commands_in(page) if one.line is not None and not one.advice]
    typed = {one.last_line: one.text for one in commands}
    first, asked = 0, ""
    for number in range(1, len(page.lines) + 1) if commands else ():
        if page.prose.segments.kind(number) == "prose" and _REMARK.match(page.lines[number - 1]) is None:
            first = number  # another session begins below it
        elif _says_failure(page, number, asked, answers=number - 1 in typed):
            for one in commands:
                if first < (one.line or 0) <= number:
                    for condition in _conditions(one, page):
                        yield Experiment(condition=condition, outcome="fails", **page.on_line(one.line or 1))
            first = number
        asked = typed.get(number, asked)


def _says_failure(page: Page, number: int, asked: str, *, answers: bool) -> bool:
    """Return whether a line is a failing exit status, the answer for failure of a command, or a remark."""
    line = page.lines[number - 1].strip()
    if page.prose.segments.kind(number) == "command" and " rem " not in line:
        return False
    if (status := _STATUS.fullmatch(line)) is not None and _ASKS.search(asked):
        return int(status["status"]) != 0
    remark = _REMARK.match(line)
    said = remark["remark"] if remark is not None else line if answers and line in asked else ""
    start = page.prose.line_start(number) + page.lines[number - 1].find(said)
    return bool(said) and "vain" in families_of(page.attempts.find(page.words, start, start + len(said)))


def _conditions(command: Command, page: Page) -> Iterator[str]:
    """Yield what a command is as an attempt: itself, its variables, and the acts that its words name."""
    yield from (f"{name}={value}" for name, value in command.variables)
    at = command.text.find(command.tool.partition(" ")[0])
    if at >= 0 and command.tool.partition(" ")[0] in page.specs.commands:
        sudo = "sudo " if command.text[:at].endswith("sudo ") else ""
        step = _STEP.search(command.text, at)
        yield sudo + command.text[at : step.start() if step is not None else None].strip()
    lexicon, start = page.attempts, page.prose.line_start(command.line or 1)
    words = families_of(lexicon.find(page.words, start, page.prose.line_end(command.line or 1)))
    yield from dict.fromkeys(f"act {name}" for name, _ in lexicon.acts(words) if " " not in name)
