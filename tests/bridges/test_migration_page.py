"""The examples of docs/migration.md, run as they stand there on the machine that the page names."""

import doctest
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from accel.apps.bridges import pynvml

PAGE = Path(__file__).parents[2] / "docs" / "migration.md"


def test_the_examples_print_what_the_page_shows(
    on_machine: Callable[[str], Any], monkeypatch: pytest.MonkeyPatch
) -> None:
    on_machine("ascend-910b-healthy")
    monkeypatch.delenv("ACCEL_BRIDGE", raising=False)
    pynvml._session.cache_clear()
    blocks = PAGE.read_text(encoding="utf-8").split("```python\n")[1:]
    said: list[str] = []
    tried = 0
    for number, block in enumerate(blocks):
        example = doctest.DocTestParser().get_doctest(block.split("```")[0], {}, f"block {number}", str(PAGE), 0)
        outcome = doctest.DocTestRunner(optionflags=doctest.ELLIPSIS).run(example, out=said.append)
        tried += outcome.attempted
    assert not said, "".join(said)
    assert tried > 25


def test_every_name_of_an_adapter_on_the_page_is_there() -> None:
    text = PAGE.read_text(encoding="utf-8")
    for name in ("nvmlInit", "nvmlShutdown", "nvmlDeviceGetCount", "nvmlSystemGetDriverVersion"):
        assert name in text
        assert hasattr(pynvml, name)
    for word in text.split("## pynvml", 1)[1].split("## What holds", 1)[0].split("`"):
        if word.startswith("…"):
            call = word.split("(")[0].split(",")[0].removeprefix("…")
            homes = (f"nvmlDevice{call}", f"nvmlDeviceGet{call}", f"nvmlDeviceGetHandle{call}")
            assert any(hasattr(pynvml, home) for home in homes), word
