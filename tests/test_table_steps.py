"""Tables of fixes: every step that a check's code names is there, and every step there is named."""

import ast
import re
from collections.abc import Iterator
from pathlib import Path

import pytest

from accel.specs import load
from accel.vendors.toolkit.table_steps import fix, fixes

ROOT = Path(__file__).parent.parent
VENDORS = sorted(path.parent.name for path in (ROOT / "specs").glob("*/fixes.yaml"))


def named(vendor: str) -> Iterator[str]:
    """Yield the names in calls of fix and fixes, as patterns: "runtime-error-.*" of an f-string."""
    for path in (ROOT / "plugins").glob(f"{vendor}/accel_*/**/*.py"):
        for call in ast.walk(ast.parse(path.read_text(encoding="utf-8"))):
            if isinstance(call, ast.Call) and getattr(call.func, "id", "") in ("fix", "fixes"):
                assert ast.unparse(call.args[1]) == repr(vendor), path
                yield from (name for word in call.args[2:] for name in _patterns(word))


def _patterns(word: ast.expr) -> Iterator[str]:
    if isinstance(word, ast.IfExp):
        yield from (*_patterns(word.body), *_patterns(word.orelse))
    elif isinstance(word, ast.JoinedStr):
        yield "".join(re.escape(str(p.value)) if isinstance(p, ast.Constant) else ".*" for p in word.values)
    elif isinstance(word, ast.Constant):
        yield re.escape(str(word.value))


@pytest.mark.parametrize("vendor", VENDORS)
def test_the_steps_that_checks_name_are_those_of_the_table(vendor: str) -> None:
    there = {row["name"] for row in load(environment={}).table(f"{vendor}/fixes")["fixes"]}
    used = set(named(vendor))
    assert {name for name in there if not any(re.fullmatch(one, name) for one in used)} == set()
    assert {one for one in used if not any(re.fullmatch(one, name) for name in there)} == set()


def test_several_steps_have_one_name_in_their_order_and_a_single_one_is_never_guessed() -> None:
    specs = load(environment={})
    assert [step.kind for step in fixes(specs, "nvidia", "nvlink-failure", "vfio-awake")] == [
        "mend",
        "look",
        "ask",
        "mend",
    ]
    assert fix(specs, "nvidia", "vfio-awake") == fixes(specs, "nvidia", "vfio-awake")[0]
    for name in ("nvlink-failure", "no-such-step"):
        with pytest.raises(ValueError, match="values to unpack"):
            fix(specs, "nvidia", name)
