"""A table that somebody pasted in small letters tells the same devices, and no fact of them less."""

from dataclasses import fields
from pathlib import Path

import pytest
from single_edits import devices_of

from accel.plugins.registry import Registry

_ROOT = Path(__file__).parents[1]
_VENDORS = ("nvidia", "ascend", "tpu")
_TEXTS = {
    f"{vendor}/{path.stem}": path
    for vendor in _VENDORS
    for path in sorted((_ROOT / "plugins" / vendor / "tests" / "machines").rglob("*.txt"))
}


@pytest.mark.parametrize("vendor", _VENDORS)
def test_small_letters_lose_nothing_and_make_no_device(vendor: str) -> None:
    registry, told = Registry({}), []
    for name, path in _TEXTS.items():
        if not name.startswith(f"{vendor}/"):
            continue
        text = path.read_text(encoding="utf-8", errors="replace")
        before = devices_of(text, registry) if text.strip() else {}
        after = devices_of(text.lower(), registry) if before else {}
        if set(before) != set(after):
            told.append(f"{name}: {sorted(after)} for {sorted(before)}")
        told += [
            f"{name}: {known} lacks {field.name}"
            for known in set(before) & set(after)
            for field in fields(before[known])
            if getattr(before[known], field.name) not in (None, (), "unknown")
            and getattr(after[known], field.name, None) in (None, (), "unknown")
        ]
    assert told == []


@pytest.mark.parametrize(
    "text", ["mthreads/tests/machines/texts/lspci.txt", "amd/tests/machines/texts/rocm-smi-text.txt"]
)
def test_small_letters_make_no_board_of_a_sound_function_and_none_of_another_vendor(text: str) -> None:
    said = (_ROOT / "plugins" / text).read_text(encoding="utf-8")
    assert sorted(devices_of(said.lower(), Registry({}))) == sorted(devices_of(said, Registry({})))
