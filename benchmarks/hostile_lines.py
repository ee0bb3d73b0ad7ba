"""Lines over and over, until they make up a size."""

from collections.abc import Callable
from itertools import count, cycle


def letters(number: int) -> str:
    """Return a number in letters: lines that differ by their digits alone are read a few dozen times."""
    return "".join(chr(97 + int(digit)) for digit in str(number))


def distinct(line: Callable[[int], str], size: int) -> str:
    """Return lines made of their numbers until they make up a size."""
    out, length = [], 0
    for number in count():
        if length >= size:
            break
        out.append(line(number))
        length += len(out[-1]) + 1
    return "\n".join(out)[:size]


def filled(lines: list[str], size: int) -> str:
    """Return lines, over and over, until they make up a size; "#n" becomes a number."""
    around = cycle(lines)
    return distinct(lambda number: next(around).replace("#n", f"{number:x}"), size)


def repeated(text: str, size: int) -> str:
    """Return a text over and over, its last word of each line with letters of its own: no line repeats another."""
    lines = text.split("\n")
    return distinct(lambda number: f"{lines[number % len(lines)]} {letters(number // len(lines))}", size)
