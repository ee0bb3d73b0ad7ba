"""A check's page on a narrow terminal: what continues a paragraph stands below it, and nothing is wider."""

import pytest

from accel.apps.explain import explain
from accel.apps.render.explanation_text import print_explanations
from accel.plugins.registry import Registry


def test_a_page_wraps_beside_its_heads(monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]) -> None:
    monkeypatch.setenv("COLUMNS", "60")
    print_explanations(explain("driver-call-hangs", Registry({})))
    lines = capsys.readouterr().out.splitlines()
    first = next(number for number, line in enumerate(lines) if line.startswith("  Why it matters   "))
    assert lines[first - 1] == ""
    assert lines[first + 1].startswith(" " * 19)
    assert max(map(len, lines)) <= 60
