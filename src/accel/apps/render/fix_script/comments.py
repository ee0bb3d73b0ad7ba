"""The comments above each step of a script. Pure."""

import textwrap
from collections.abc import Iterable, Iterator
from typing import Final

from accel.apps.render.diagnosis_words import WHO
from accel.apps.render.fix_script.steps import Step, consequences
from accel.apps.render.units import plural
from accel.model.diagnosis import Action, Diagnosis
from accel.model.printable import printable

_WIDTH: Final = 110
_ASSUMED: Final = " This build is for "
_WAITS: Final[dict[Action, str]] = {
    "admin": "is for an administrator",
    "reset": "resets a device, which nothing may use then",
    "reboot": "reboots the machine, or needs a reboot",
    "service": "is for the service of the board's maker or seller",
}
_INDENT: Final = 11  # indentation of a label's continuation lines


def plain(text: str) -> str:
    """Return a text as one line that looks the same everywhere: no line breaks, no invisible characters."""
    return " ".join(printable(text).split())


def head(diagnosis: Diagnosis, steps: tuple[Step, ...], origin: str, version: str) -> Iterator[str]:
    """Yield the header: what the script is for, and what it leaves out."""
    yield f"What accel {version} proposes for {origin}: {plural(len(steps), 'step')}, the least invasive first."
    yield "accel runs none of it. Read it before you run it."
    for finding in consequences(diagnosis):
        yield (
            f"{finding.code} {finding.name} has no step: it follows from {', '.join(finding.explained_by)}. "
            "Check whether it is gone after that."
        )


def of_step(step: Step) -> Iterator[str]:
    """Yield the finding, its reason, what to do, assumptions, alternatives, and how to see that it is fixed."""
    finding, remedy = step.finding, step.remedy
    does, _, assumed = remedy.text.partition(_ASSUMED)
    yield _labelled("Finding", f"{finding.code} {finding.name} ({finding.severity}): {finding.title}")
    if finding.detail:
        yield _labelled("Why", finding.detail)
    yield from (_labelled("Seen", evidence.value) for evidence in finding.evidence[:2])
    yield _labelled("Step", f"{does}  ({WHO[remedy.action]})")
    if assumed:
        yield _labelled("Is for", assumed)
    for other in step.others:
        yield _labelled("Or", f"{other.text}  ({WHO[other.action]})" + (f"  {other.command}" if other.command else ""))
    if step.verification is not None:
        yield _labelled("Verify", step.verification.text)


def wrapped(lines: Iterable[str]) -> Iterator[str]:
    """Yield comment lines, wrapped to a readable width."""
    for line in lines:
        text = plain(line) if not line[:_INDENT].strip().endswith(":") else line[:_INDENT] + plain(line[_INDENT:])
        indent = " " * _INDENT if text[:_INDENT].strip().endswith(":") else ""
        for part in textwrap.wrap(
            text, _WIDTH, subsequent_indent=indent, break_long_words=False, break_on_hyphens=False
        ) or [""]:
            yield f"# {part}".rstrip()


def _labelled(label: str, text: str) -> str:
    return f"{label + ':':<{_INDENT}}{plain(text)}"


def stops(step: Step, number: int, again: str) -> list[str]:
    """Return the message if the script stops before a step: who must do what, with the text to send.

    [] if it continues. again  how to resume the script at a step: "bash fix.sh"
    """
    title = f"{step.finding.code} {step.finding.name}: {step.finding.title}"
    after = f"When that is done:  {again} {number + 1}"
    if step.who is not None:
        asked = (step.remedy.request or "").splitlines()
        lines = [f"Step {number} {_WAITS[step.who]}.", *([] if asked else [title, step.remedy.text]), *asked]
        return [*lines, after if step.is_hand else f"Read it in the script, then go on with it:  {again} {number}"]
    if step.is_hand:
        line = [step.remedy.command] if step.remedy.command else []
        return [f"Step {number} is done by hand. {title}", step.remedy.text, *line, after]
    return []


def question(step: Step, number: int) -> list[str]:
    """Return the prompt before a step: what it does, its command, and the follow-up command."""
    lines = [f"Step {number}: {step.remedy.text}  ({WHO[step.remedy.action]})"]
    lines += [f"  {line}" for line in (step.remedy.command or "").splitlines()]
    if step.verification is not None and step.verification.command is not None:
        lines += ["and then, to see whether it helped:", f"  {step.verification.command}"]
    return lines


def fill_in(step: Step, number: int, filled: str) -> list[str]:
    """Return the comment on placeholders to fill in. filled: the line that lists their steps."""
    words = ", ".join(f"{name} ({meaning})" for name, meaning in step.blanks)
    return [
        f"Step {number} contains words to fill in: {words}.",
        f"Write what they are into the script, in place of the capitals, and the step's number into its line  {filled}",
    ]
