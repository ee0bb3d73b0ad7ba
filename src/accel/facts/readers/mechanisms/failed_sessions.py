"""Recognise the commands of a shell session after which it still fails, without another message that says so.

    $ sudo modprobe nvidia_uvm
    $ ./vectorAdd >/dev/null; echo $?
    1                                       or "exit=1", "# still broken", "… || echo no change" and its answer

Each command above is an attempt in vain: as it was typed, its variables, and its act (specs/language/attempts.yaml).
"""

from collections.abc import Iterator
from typing import Final

from accel.facts.readers.mechanisms.commands import commands_in
from accel.facts.readers.mechanisms.told_attempts import acts_named
from accel.facts.readers.page import Page
from accel.model.observation import Command, Experiment
from accel.text.pattern import pattern

_ASKS: Final = pattern(r"\$\?|%ERRORLEVEL%|\$LASTEXITCODE")
_STATUS: Final = pattern(r"(?:[\w ]{1,12}[=:] ?)?(?P<status>-?\d{1,10})", exact_case=True)
_REMARK: Final = pattern(r"(?:[^\n]{0,60}?[$#%>]\s{1,3})?\s{0,8}(?:#|//|rem\b|::)\s{0,3}(?P<remark>[^#\n]{3,200})$")
_STEP: Final = pattern(r"\s{0,3}(?:\|\|?|&&?|;|\d?&?>|#)", exact_case=True)
_MOST: Final = 30


def recognise(page: Page) -> Iterator[Experiment]:
    """Yield the commands before a sign of failure, with the act that each is."""
    commands = [one for one in commands_in(page) if one.line is not None and not one.advice]
    if not commands:
        return
    first, count = 0, 0
    for number in range(commands[0].line or 1, len(page.lines) + 1):
        kind = page.prose.segments.kind(number)
        if kind == "prose" and _REMARK.match(page.lines[number - 1]) is None:
            first = number  # another session begins below it
        elif _says_failure(page, number, commands):
            for one in commands:
                if first < (one.line or 0) <= number and count < _MOST:
                    for condition in _conditions(one, page):
                        count += 1
                        yield Experiment(
                            condition=condition, outcome="fails", text=one.text, line=one.line, last_line=one.last_line
                        )
            first = number


def _says_failure(page: Page, number: int, commands: list[Command]) -> bool:
    """Return whether a line is a failing exit status, the answer that a command has for failure, or such a remark."""
    line = page.lines[number - 1].strip()
    if page.prose.segments.kind(number) == "command" and " rem " not in line:
        return False
    asked = [one.text for one in commands if (one.line or 0) < number][-1:]
    typed = next((text for text in asked if text in " ".join(page.lines[max(0, number - 2) : number - 1])), "")
    if asked and (status := _STATUS.fullmatch(line)) is not None and _ASKS.search(asked[0]):
        return int(status["status"]) != 0
    remark = _REMARK.match(line)
    said = remark["remark"] if remark is not None else line if typed and line and line in typed else ""
    start = page.prose.line_start(number) + page.lines[number - 1].find(said)
    return bool(said) and any(
        "vain" in hit.families for hit in page.specs.attempts[0].find(page.words, start, start + len(said))
    )


def _conditions(command: Command, page: Page) -> Iterator[str]:
    """Yield what a command is as an attempt: itself, its variables, and the acts that its words name."""
    yield from (f"{name}={value}" for name, value in command.variables)
    at = command.text.find(command.tool.partition(" ")[0])
    if at >= 0 and command.tool.partition(" ")[0] in page.specs.commands:
        sudo = "sudo " if command.text[:at].endswith("sudo ") else ""
        step = _STEP.search(command.text, at)
        yield sudo + command.text[at : step.start() if step is not None else None].strip()
    yield from (f"act {name}" for name in acts_named(page, command.line or 1) if " " not in name)
