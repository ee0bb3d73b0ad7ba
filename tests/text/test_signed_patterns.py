"""Every match of an expression with signs contains one of them: a text without them need not be searched."""

import gc
import importlib
import pkgutil
import re
from collections.abc import Iterable
from functools import cache
from itertools import product
from typing import Any

import pytest

import accel
from accel.plugins.registry import Registry
from accel.text.pattern import SignedPattern, lowered, pattern

try:
    from re import _parser as parser
except ImportError:  # Python 3.10
    import sre_parse as parser  # type: ignore[no-redef]

GAP = "\0"  # stands for what is not known
SIGN = "\1"  # a form that contains a sign, whatever else
MOST = 200_000  # forms of one expression


class Forms:
    """The forms that matches of a parsed expression have, in lower case, with gaps; those with a sign are one."""

    def __init__(self, signs: Iterable[str]) -> None:
        self.signs = tuple(signs)

    def of(self, items: Iterable[Any]) -> set[str]:
        forms = {""}
        for item in items:
            forms = self.joined(forms, self._of_one(*item))
        return forms

    def joined(self, *parts: set[str]) -> set[str]:
        found = {self._short("".join(form)) for form in product(*parts)}
        assert len(found) < MOST
        return found

    def _short(self, form: str) -> str:
        if SIGN in form or any(sign in form for sign in self.signs):
            return SIGN
        if GAP not in form:
            return form
        first, *_, last = form.split(GAP)
        return f"{first}{GAP}{last}"

    def _of_one(self, operation: Any, argument: Any) -> set[str]:
        name = str(operation)
        if name == "LITERAL":
            return {lowered(chr(argument))}
        if name == "IN":
            signs = {lowered(chr(of)) if str(kind) == "LITERAL" else GAP for kind, of in argument}
            return signs if len(signs) == 1 else {GAP}
        if name == "BRANCH":
            return {form for branch in argument[1] for form in self.of(branch)}
        if name == "SUBPATTERN":
            return self.of(argument[3])
        if name in ("MAX_REPEAT", "MIN_REPEAT", "POSSESSIVE_REPEAT"):
            least, most, inner = argument
            once = self.of(inner)
            if most == 1:
                return once | {""} if least == 0 else once
            often = self.joined(once, {GAP}, once) if least else {GAP}
            return often | once if least == 1 else often
        return {""} if name in ("AT", "ASSERT", "ASSERT_NOT") else {GAP}


def lacking(text: str, flags: int, signs: Iterable[str]) -> list[str]:
    """Return the forms of an expression that contain none of its signs: their beginnings and ends."""
    return sorted(Forms(signs).of(parser.parse(text, flags)) - {SIGN})


@cache
def signed() -> tuple[SignedPattern, ...]:
    packages = [accel, *(importlib.import_module(f"accel_{backend.name}") for backend in Registry({}).backends)]
    for package in packages:
        for found in pkgutil.walk_packages(package.__path__, f"{package.__name__}."):
            if ".readers." in found.name or ".text." in found.name:
                importlib.import_module(found.name)
    gc.unfreeze()  # the expressions of what was imported before the tests began
    return tuple(one for one in gc.get_objects() if isinstance(one, SignedPattern))


def test_every_match_of_an_expression_contains_one_of_its_signs() -> None:
    assert len(signed()) > 20
    assert {one.pattern: told for one in signed() if (told := lacking(one.pattern, one.flags, one.signs))} == {}


def test_signs_are_in_the_case_in_which_they_are_looked_for() -> None:
    assert [sign for one in signed() for sign in one.signs if not sign or sign != lowered(sign)] == []
    assert [sign for one in signed() for sign in one.signs if not sign.isascii() and sign.upper() != sign] == []


@pytest.mark.parametrize(
    ("text", "signs", "told"),
    [
        (r"\bPacman|yay -[SR]", ("pacman", "yay -"), []),
        (r"a(?:bc|de)f", ("abc",), ["adef"]),
        (r"(?:ab)?c", ("ab",), ["c"]),
        (r"(?:ab){1,3}c", ("bc",), []),
        (r"a{1,2}b", ("xb", "aa"), [f"a{GAP}ab", "ab"]),
        (r"(?:ab)*c", ("ab",), [f"{GAP}c"]),
        (r"x\w+y", ("xy",), [f"x{GAP}y"]),
        (r"x\w+y\w+z", ("y",), []),
        (r"x\w+y\w+z", ("xy", "yz"), [f"x{GAP}z"]),
        (r"(?=ab)\w\w", ("ab",), [GAP]),
    ],
)
def test_a_match_without_a_sign_is_told(text: str, signs: tuple[str, ...], told: list[str]) -> None:
    assert lacking(text, int(re.IGNORECASE), signs) == told


@pytest.mark.parametrize("text", ["a Swupd", "a \u017fwupd", "SWUPD", "\u212a swupd", "\u0130 swupd", "no sign"])
def test_an_expression_with_signs_finds_what_it_finds_without_them(text: str) -> None:
    one, plain = pattern(r"\bswupd\b", signs="swupd|x"), pattern(r"\bswupd\b")
    for other in (text, text + "\n" + text):
        assert str(one.search(other)) == str(plain.search(other))
        assert [str(hit) for hit in one.finditer(other)] == [str(hit) for hit in plain.finditer(other)]
        assert one.sub("x", other) == plain.sub("x", other)
