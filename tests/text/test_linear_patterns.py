"""No expression of accel or of its tables takes exponential time on any text; those of quadratic time are listed.

quadratic_patterns.txt lists expressions from before this test. Take out what you mend. A new expression goes in only if
lines are bounded before it is matched: rather bound its repeats ({0,40}), or let neighbours share no character.
"""

import importlib
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

LISTED = Path(__file__).with_name("quadratic_patterns.txt")
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
                if isinstance(value, Pattern | re.Pattern) and isinstance(value.pattern, str):
                    yield f"{found.name}:{name}", value.pattern, value.flags & ~re.UNICODE


def test_no_expression_is_exponential_and_no_further_one_quadratic() -> None:
    listed = set(LISTED.read_text(encoding="utf-8").split())
    told = {name: faults(form, flags) for name, form, flags in expressions()}
    assert len(told) > 400
    exponential = {name: fault for name, fault in told.items() if any(one.startswith("exp") for one in fault)}
    assert exponential == {}
    assert sorted(name for name, fault in told.items() if fault and name not in listed) == []
    assert sorted(name for name in listed if not told.get(name)) == [], "mended: take them out of the list"
