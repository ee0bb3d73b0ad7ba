"""Text of unknown origin, made fit for a line of a document."""

import re

from accel.model.printable import printable


def one_line(text: str) -> str:
    """Return the text in one line, without control characters and without those that turn the reading direction."""
    return printable(" ".join(text.split()))


def lines(text: str) -> str:
    """Return the text as `one_line` does, its lines kept: commands have several."""
    return "\n".join(printable(line.expandtabs(4)) for line in text.splitlines())


def address(text: str) -> str | None:
    """Return the text if it is an address of the web that may be linked to; None for anything else."""
    return text if re.fullmatch(r"https?://[^\s<>\"'`\\]+", text) else None
