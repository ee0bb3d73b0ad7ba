"""Explanations as text for people."""

from collections.abc import Iterable, Iterator
from typing import Final

from rich.console import RenderableType
from rich.padding import Padding
from rich.table import Table
from rich.text import Text

from accel.apps.explain import Explanation
from accel.apps.render.console import console
from accel.text.pattern import pattern

_HEADED: Final = pattern(
    r"(?P<head>[A-Z][a-z]{1,12}(?: [a-z]{1,12}){0,3}) {2,17}(?P<text>\S.{0,4000})", exact_case=True
)
_HANGING: Final = " " * 17  # indentation of continuation lines of a titled paragraph in a check's docstring


def print_explanations(explanations: Iterable[Explanation]) -> None:
    """Print each explanation under its title."""
    out = console()
    for index, it in enumerate(explanations):
        if index:
            out.print()
        out.print(Text(it.title, style="bold"))
        for part in _parts(it.text):
            out.print(Padding(part, (0, 0, 0, 2), expand=False) if part else "")
        for number, usual in enumerate(it.usual, 1):
            words = f"{number}. {usual.cause}: {usual.decides}"
            out.print(Padding(_row("" if number > 1 else "Usual causes", words), (0, 0, 0, 2), expand=False))
            for line in filter(None, (usual.look, usual.cure)):
                out.print(Text(" " * 22 + line, style="bold"), soft_wrap=True)
        if it.verification is not None:
            out.print(Padding(_row("Verify", it.verification.text), (0, 0, 0, 2), expand=False))
            if it.verification.command:
                out.print(Text(" " * 19 + it.verification.command, style="bold"), soft_wrap=True)
        for step in it.steps:
            out.print(Padding(_row("What to do", step.text), (0, 0, 0, 2), expand=False))
            for line in (step.command or "").splitlines():
                out.print(Text(" " * 19 + line, style="bold"), soft_wrap=True)
        for index, cause in enumerate(it.causes):
            out.print(Padding(_row("" if index else "Look at", f"accel explain {cause.split()[1]}"), (0, 0, 0, 2)))
        if it.source:
            out.print(Padding(Text(f"Source  {it.source}", style="dim"), (0, 0, 0, 2), expand=False))


def _parts(text: str) -> Iterator[RenderableType]:
    """Yield a check's page so that it wraps within the terminal: titled paragraphs go next to their titles."""
    lines: list[str] = []
    for line in text.splitlines():
        if line.startswith(_HANGING) and lines and _HEADED.fullmatch(lines[-1]):
            lines[-1] += f" {line.strip()}"
        else:
            lines.append(line)
    for line in lines:
        headed = _HEADED.fullmatch(line)
        if headed is None:
            yield Text(line)
            continue
        yield _row(headed["head"], headed["text"])


def _row(head: str, text: str) -> RenderableType:
    row = Table.grid(padding=(0, 2))
    row.add_column(width=len(_HANGING) - 2, no_wrap=True)
    row.add_column()
    row.add_row(Text(head), Text(text))
    return row
