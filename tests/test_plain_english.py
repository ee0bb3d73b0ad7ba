"""Docstrings and messages are plain modern English: none holds a phrase that an engineer would not write today.

Say "restart" for "start anew", "is in" for "stands in", "about" for "said of", "without" for "for want of".
"""

import ast
import re
from collections.abc import Iterator
from pathlib import Path

import pytest

ROOT = Path(__file__).parent.parent
SOURCES = [
    path
    for part in ("src", "plugins")
    for path in sorted((ROOT / part).rglob("*.py"))
    if "tests" not in path.relative_to(ROOT).parts
]
PHRASES = re.compile(
    r"\b(?:anew|stands? (?:in|on|beside|for itself|so)|(?:said|told|spoken) of|nobody's|for want of|hearsay"
    r"|what it came to|whose it is|whosever|which is not enough|beside it)\b",
    re.IGNORECASE,
)


def phrases_in(source: str) -> Iterator[tuple[int, str]]:
    """Yield (line, phrase) of each listed phrase in a string of a module, also where a line ends inside the phrase."""
    for node in ast.walk(ast.parse(source)):
        if isinstance(node, ast.Constant) and isinstance(node.value, str):
            for found in PHRASES.finditer(" ".join(node.value.split())):
                yield node.lineno, found[0]


@pytest.mark.parametrize("text", ["made anew", "what is said\n    of it", "It Stands In a text", "lies beside it"])
def test_a_listed_phrase_is_found_over_line_ends_and_in_any_case(text: str) -> None:
    assert len(list(phrases_in(f'"""{text}."""'))) == 1


@pytest.mark.parametrize("text", ["a new one", "it stands still", "said often", "besides it", "because it is missing"])
def test_other_words_are_not(text: str) -> None:
    assert list(phrases_in(f'"""{text}."""')) == []


def test_no_docstring_and_no_message_holds_a_listed_phrase() -> None:
    places = [
        f"{path.relative_to(ROOT)}:{line}: {phrase}"
        for path in SOURCES
        for line, phrase in phrases_in(path.read_text(encoding="utf-8"))
    ]
    assert places == []
