r"""No expression of accel takes exponential or quadratic time on any text.

Mend one by letting neighbours share no character (\S+(?:\s+\S+)*\s*$, not \S.*?\s*$), by bounding its repeats
({0,40}), by taking blanks off before the match, or by a method of str.
"""

import ast
import dataclasses
import importlib
import importlib.util
import pkgutil
import re
from collections.abc import Iterator
from pathlib import Path

import pytest

import accel
import accel.specs
from accel.plugins.registry import Registry
from accel.text.backtracking import faults
from accel.text.pattern import Pattern

FUNCTIONS = ("match", "fullmatch", "search", "sub", "split", "findall", "finditer")
SKIPPED = ("._specs", ".template", "__main__", ".machine.windows")

BAD = {
    r"(\w+\s?)*x": "exponential",
    r"(a*)*b": "exponential",
    r"(a|a)*b": "exponential",
    r"(?:x{1,60}){1,60}y": "exponential",
    r"\d+(?:\.\d+)+(?:(?:[._-]?(?:a|b)\.?\d*)+)?x": "exponential",
    r"(?:a|b|ab)*c": "exponential",
    r"[ \t]*\s*x": "quadratic",
    r"\w+\d+z": "quadratic",
    r".*foo.*bar": "quadratic",
}
GOOD = (
    r"a*b*c",
    r"(?:a|b)*c",
    r"(?:\w+ )*\w+:",
    r"[^:]*:[^:]*:",
    r"\d{1,9}(?:\.\d{1,9}){1,6}x",
    r"(?:[a-z]{1,9}[+-]\s{0,4}){1,9}",
)


@pytest.mark.parametrize("form", BAD)
def test_what_backtracks_is_known(form: str) -> None:
    assert [fault.partition(":")[0] for fault in faults(form)][:1] == [BAD[form]]


@pytest.mark.parametrize("form", GOOD)
def test_what_does_not_backtrack_is_let_pass(form: str) -> None:
    assert faults(form) == []


def expressions() -> Iterator[tuple[str, str, int]]:
    """Yield (module:name, expression, flags) of each expression that a module of accel or of a plugin holds."""
    packages = [accel, *(importlib.import_module(f"accel_{backend.name}") for backend in Registry({}).backends)]
    for package in packages:
        for found in pkgutil.walk_packages(package.__path__, f"{package.__name__}."):
            if any(part in found.name for part in SKIPPED):
                continue
            for name, value in vars(importlib.import_module(found.name)).items():
                for number, one in enumerate(_held(value)):
                    yield f"{found.name}:{name}{number or ''}", one.pattern, one.flags & ~re.UNICODE
            yield from _written_inline(found.name)


def _written_inline(module: str) -> Iterator[tuple[str, str, int]]:
    """Yield the literals that a module gives to a function of re."""
    source = importlib.util.find_spec(module).origin  # type: ignore[union-attr]
    for node in ast.walk(ast.parse(Path(source or "").read_text(encoding="utf-8"))):
        if not (isinstance(node, ast.Call) and node.args and isinstance(node.args[0], ast.Constant)):
            continue
        called, form = node.func, node.args[0].value
        if isinstance(called, ast.Attribute) and called.attr in FUNCTIONS and ast.unparse(called.value) == "re":
            yield f"{module}:{node.lineno}", str(form), 0


def _held(value: object) -> Iterator[Pattern | re.Pattern[str]]:
    """Yield the expressions that a name stands for, also those inside tuples, mappings and records."""
    if isinstance(value, Pattern | re.Pattern):
        if isinstance(value.pattern, str):
            yield value
    elif isinstance(value, dict):
        for one in value.values():
            yield from _held(one)
    elif isinstance(value, tuple | list | set | frozenset):
        for one in value:
            yield from _held(one)
    elif dataclasses.is_dataclass(value) and not isinstance(value, type):
        for field in dataclasses.fields(value):
            yield from _held(getattr(value, field.name))


def test_every_expression_takes_linear_time() -> None:
    told = {name: faults(form, flags, searched=_over_lines(form, flags)) for name, form, flags in expressions()}
    assert len(told) > 400
    assert {name: fault for name, fault in told.items() if fault} == {}


def _over_lines(form: str, flags: int) -> bool:
    """Say whether an expression is looked for in a whole text; others are compared with lines, which are bounded."""
    return bool(re.compile(form, flags).flags & re.MULTILINE)


@pytest.mark.parametrize("form", [r"\s+x", r"(?m)^\s*x", r"\bto .*x"])
def test_what_is_searched_for_must_not_begin_with_a_repeat(form: str) -> None:
    assert faults(form, searched=True)


@pytest.mark.parametrize("form", [r"(?m)^[ \t]*x", r"\b\w+:", r"(?<!\S)\S+:", r"^\s*x", r"x[^\n]*", r"[ \t]{1,9}x"])
def test_what_is_searched_for_may_end_in_a_repeat(form: str) -> None:
    assert faults(form, searched=True) == []
