"""Text of unknown origin, made fit for a line of a document."""

import re
from typing import Final

_UNSEEN: Final = re.compile(
    "[\x00-\x08\x0e-\x1f\x7f-\x9f\u200b\u200e\u200f\u202a-\u202e\u2060-\u2069\ufeff\ud800-\udfff\ufffe\uffff]"
)


def one_line(text: str) -> str:
    """Return the text in one line, without control characters and without those that turn the reading direction."""
    return _UNSEEN.sub("�", " ".join(text.split()))


def lines(text: str) -> str:
    """Return the text as `one_line` does, its lines kept: commands have several."""
    return "\n".join(_UNSEEN.sub("�", line.expandtabs(4)) for line in text.splitlines())


def address(text: str) -> str | None:
    """Return the text if it is an address of the web that may be linked to; None for anything else."""
    return text if re.fullmatch(r"https?://[^\s<>\"'`\\]+", text) else None
