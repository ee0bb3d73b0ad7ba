"""Makes text of unknown origin safe for a line of a document."""

import re

from accel.model.printable import printable


def one_line(text: str) -> str:
    """Return the text in one line, without control characters and bidirectional overrides."""
    return printable(" ".join(text.split()))


def lines(text: str) -> str:
    """Return the text as `one_line` does, but keep its line breaks: commands may have several lines."""
    return "\n".join(printable(line.expandtabs(4)) for line in text.splitlines())


def address(text: str) -> str | None:
    """Return the text if it is a web address that may be linked; None otherwise."""
    return text if re.fullmatch(r"https?://[^\s<>\"'`\\]+", text) else None
