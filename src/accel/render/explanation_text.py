"""Explanations as text for people."""

from collections.abc import Iterable

from rich.padding import Padding
from rich.text import Text

from accel.explain import Explanation
from accel.render.console import console


def print_explanations(explanations: Iterable[Explanation]) -> None:
    """Print each explanation under its title."""
    out = console()
    for index, it in enumerate(explanations):
        if index:
            out.print()
        out.print(Text(it.title, style="bold"))
        out.print(Padding(Text(it.text), (0, 0, 0, 2), expand=False))
        for command in it.commands:
            out.print(Text("    " + command, style="bold"), soft_wrap=True)
        if it.source:
            out.print(Padding(Text(f"Source  {it.source}", style="dim"), (0, 0, 0, 2), expand=False))
