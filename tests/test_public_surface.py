"""The public names are those that are stored, and each change of a release is named in the changelog."""

import re
import sys
from pathlib import Path
from typing import Any

import pytest

sys.path.insert(0, str(Path(__file__).parent.parent / "docs"))
import public_surface

_WHAT_TO_DO = (
    "Say it in CHANGELOG.md, in the part of the release that is being made, by the name in backticks, and then run: "
    "python docs/public_surface.py. What may change, and how a name is deprecated, is in docs/stability.md."
)


def differences(stored: dict[str, Any], now: dict[str, Any]) -> list[str]:
    """Return a sentence for each name that is not as it is stored."""
    before = {name: told["is"] for name, told in stored.items() if told["is"] is not None}
    found = [f"{name} is new." for name in now if name not in before]
    found += [f"{name} is gone." for name in before if name not in now]
    for name in now.keys() & before.keys():
        if now[name] != before[name]:
            found.append(f"{name} was {before[name]} and is {now[name]}.")
    return [f"{sentence} {_WHAT_TO_DO}" for sentence in sorted(found)]


def unnamed(stored: dict[str, Any], number: str, says: str) -> list[str]:
    """Return the names that came, changed or went in a release and that its part of the changelog does not hold."""
    quoted = {word for code in re.findall(r"`([^`]+)`", says) for word in re.findall(r"\w+", code)}
    changed = (name for name, told in stored.items() if told["changed"] == number)
    return [f"{name}: {_WHAT_TO_DO}" for name in changed if name.rpartition(".")[2] not in quoted]


def test_the_public_surface_is_the_one_that_is_stored() -> None:
    assert differences(public_surface.stored(), public_surface.surface()) == []


def test_the_changelog_names_what_has_changed() -> None:
    assert unnamed(public_surface.stored(), *public_surface.release()) == []


@pytest.mark.parametrize(
    ("name", "now", "words"),
    [
        ("accel.devices", "() -> tuple[Device, ...]", "accel.devices was "),
        ("accel.Memory", {"members": {"total_bytes": "int"}}, "accel.Memory was "),
        ("accel.newest", "() -> None", "accel.newest is new"),
        ("accel.health", None, "accel.health is gone"),
    ],
)
def test_a_change_is_told_with_what_to_do(name: str, now: Any, words: str) -> None:
    stored = public_surface.stored()
    changed = {key: told["is"] for key, told in stored.items()} | {name: now}
    (sentence,) = differences(stored, {key: told for key, told in changed.items() if told is not None})
    assert sentence.startswith(words)
    assert "python docs/public_surface.py" in sentence


def test_a_change_that_the_changelog_does_not_name_is_found() -> None:
    stored = {"accel.spec": {"changed": "1.2.0", "is": "()"}, "accel.pick": {"changed": "1.1.0", "is": "()"}}
    assert [line.partition(":")[0] for line in unnamed(stored, "1.2.0", "spec is quicker")] == ["accel.spec"]
    assert unnamed(stored, "1.2.0", "`accel.spec()` is quicker") == []


def test_records_are_stored_with_their_fields_and_their_types() -> None:
    stored = public_surface.stored()
    assert stored["accel.Memory"]["is"]["members"]["free_bytes"] == "int | None"
    assert stored["accel.Device"]["is"]["members"]["capability"] == "tuple[int, ...] | None"
    assert stored["accel.RequirementUnmet"]["is"]["kind"] == "AccelError"
    assert "reasons" in stored["accel.RequirementUnmet"]["is"]["members"]
    assert stored["accel.testing.machine"]["is"].endswith("-> Machine")
