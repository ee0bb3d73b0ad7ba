r"""Split command lines as shells do, closely enough for pasted text.

An unclosed quote mark is an apostrophe; "\", "^" and "`" at the end of a line continue it on the next; redirections
and comments are dropped; of a pipeline only the first command counts.
"""

import shlex
from collections.abc import Iterator
from typing import Final

from accel.text.pattern import pattern

_ENDS: Final = frozenset(("|", "||", "&&", ";", "&", "|&", ";;"))
_SKIPS: Final = frozenset(("|", "||", "|&"))  # no separate command follows these
_REDIRECTION: Final = pattern(
    r"(?<=\s)(?:\d|&)?>{1,2}\s{0,3}(?:&\d|[\w./$~{}-]{1,200})"
    r"|(?<=\s)<{1,3}(?![\w-]{1,40}>)-?\s{0,3}['\"]?[\w./$~{}-]{1,200}['\"]?",
    exact_case=True,
)
_WINDOWS_PATH: Final = pattern(r"\w:\\|\\\w", exact_case=True)
_HEREDOC: Final = pattern(r"<<-?\s{0,3}(['\"]?)([A-Za-z_]\w{0,40})\1", exact_case=True)


def segments(text: str) -> Iterator[list[str]]:
    """Yield the words of each command of a line.

    >>> list(segments("cd /a && CUDA_VISIBLE_DEVICES=0 python x.py 2>&1 | tee log; ls"))
    [['cd', '/a'], ['CUDA_VISIBLE_DEVICES=0', 'python', 'x.py'], ['ls']]
    """
    segment: list[str] = []
    skipping = False
    for word in words_of(_REDIRECTION.sub(" ", text)):
        if word in _ENDS:
            if segment and not skipping:
                yield segment
            segment, skipping = [], word in _SKIPS
        elif word.startswith("#"):
            break
        elif not skipping:
            segment.append(word)
    if segment and not skipping:
        yield segment


def words_of(text: str) -> list[str]:
    """Return the words of a command line without quote marks."""
    lexer = shlex.shlex(text, posix=True, punctuation_chars="|&;")
    lexer.whitespace_split, lexer.commenters = True, ""
    lexer.escape = "" if _WINDOWS_PATH.search(text) else "\\"  # a Windows path keeps its backslashes
    try:
        return list(lexer)
    except ValueError:
        return text.split()


def heredoc_end(line: str) -> str | None:
    """Return the terminator of the here-document that a command line starts ("<<EOF"); None if it starts none."""
    found = _HEREDOC.search(line)
    return found[2] if found else None
