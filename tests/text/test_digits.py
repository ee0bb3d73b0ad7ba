"""What is taken for a number can be made one: "²" is a digit to str.isdigit, and none to int."""

from pathlib import Path

import pytest

ROOT = Path(__file__).parents[2]
SOURCES = [*(ROOT / "src" / "accel").rglob("*.py"), *ROOT.glob("plugins/*/accel_*/**/*.py")]


def test_no_source_asks_isdigit() -> None:
    assert [str(path.relative_to(ROOT)) for path in SOURCES if ".isdigit()" in path.read_text(encoding="utf-8")] == []


@pytest.mark.parametrize("sign", ["²", "①"])
def test_why(sign: str) -> None:
    assert sign.isdigit()
    assert not sign.isdecimal()
