"""After any single edit of a recorded text, what was not edited stays what it was, and no device comes to be."""

import re
from collections.abc import Iterator
from dataclasses import replace
from functools import cache
from pathlib import Path

import pytest
from every_case import Case, every_case
from single_edits import Edit, devices_of, every_edit, moved, phantoms

from accel.collect.text import read_texts
from accel.model.device import Device, Process
from accel.model.merge import merged_devices
from accel.plugins.registry import Registry

_PARTS = 5  # so that workers share them, and the quick half has one
_ROOT = Path(__file__).parents[1]
_NUMBER = re.compile(r"[0-9A-Fa-f]*\d[0-9A-Fa-f]*| +")
_FOLDERS = [_ROOT / "tests" / "machines", *sorted(_ROOT.glob("plugins/*/tests/machines"))]


@cache
def _registry() -> Registry:
    return Registry({})


@cache
def _recordings() -> tuple[tuple[str, str, dict[str, Device]], ...]:
    texts = [(str(path.relative_to(_ROOT)), path) for folder in _FOLDERS for path in sorted(folder.rglob("*.txt"))]
    read = [(name, path.read_text(encoding="utf-8", errors="replace")) for name, path in texts]
    return tuple(
        (name, text, found) for name, text in read if text.strip() and (found := devices_of(text, _registry()))
    )


def _edits() -> Iterator[tuple[str, dict[str, Device], Edit]]:
    """Yield (recording, its devices, edit): a vendor's lines that differ only in their numbers are edited once."""
    edited: set[tuple[str, str]] = set()
    for name, text, before in _recordings():
        lines = set()
        for number, line in enumerate(text.split("\n"), 1):
            form = name.split("/")[1], _NUMBER.sub("0", line)
            if form not in edited:
                edited.add(form)
                lines.add(number)
        yield from ((name, before, edit) for edit in every_edit(text) if edit.line in lines)


def _with_devices() -> list[Case]:
    """Return the cases whose reports tell of devices, and a fourth of those that tell of none."""
    reports = [case for case in every_case() if case.text_alone]
    return [case for number, case in enumerate(reports) if case.snapshot.reports or number % 4 == 0]


def _mistakes(part: int) -> tuple[int, list[str]]:
    """Return how many edits a part has, and what is wrong after them. All parts together have every edit once."""
    number, told = 0, []
    for name, before, edit in _edits():
        number += 1
        if number % _PARTS != part:
            continue
        after = devices_of(edit.text, _registry())
        wrong = [*moved(before, after, edit), *(f"{made} came to be" for made in phantoms(before, after))]
        told += [f"{name}:{edit.line}: {edit.word!r} became {edit.new!r}: {mistake}" for mistake in wrong]
    return number, told


def test_the_recordings_have_devices():
    assert len(_recordings()) > 140


@pytest.mark.slow
def test_devices_are_the_same_whether_faults_are_looked_for_or_not():
    alone = [(name, read_texts([("text", text)], _registry()), found) for name, text, found in _recordings()]
    alone += [
        (f"{case.check}:{case.name}", case.snapshot, devices_of(case.text or "", _registry()))
        for case in _with_devices()
    ]
    whole = {name: {device.id: device for device in merged_devices(read.reports)[0]} for name, read, _ in alone}
    assert [name for name, _, found in alone if found != whole[name]] == []


def test_one_edit_moves_no_value_and_makes_no_device():
    number, told = _mistakes(0)
    assert number > 1_700
    assert told == []


@pytest.mark.slow
@pytest.mark.parametrize("part", range(1, _PARTS))
def test_every_other_edit_moves_no_value_and_makes_no_device(part: int):
    assert _mistakes(part)[1] == []


def _device(index: int, **facts: object) -> Device:
    return Device(id=f"acme:{index}", index=index, backend="acme", vendor="Acme", kind="gpu", **facts)  # type: ignore[arg-type]


def _told(old: Device, new: Device, word: str, written: str) -> list[str]:
    return moved({old.id: old}, {new.id: new}, Edit(text="", line=1, word=word, new=written))


def test_a_value_of_its_neighbour_is_told():
    assert _told(_device(0, power_watts=40.0), _device(0, power_watts=50.0), "40.0", "ERR!")
    assert _told(_device(0, name="MI300X"), _device(0, name="ERR!"), "MI300X", "ERR!")
    processes = [(Process(pid=7, memory_bytes=size),) for size in (1, 2)]
    assert _told(_device(0, processes=processes[0]), _device(0, processes=processes[1]), "1", "")


def test_a_value_that_became_unknown_or_was_itself_edited_is_not_told():
    assert not _told(_device(0, power_watts=40.0), _device(0), "40.0", "ERR!")
    assert not _told(_device(0, name="Atlas 300I Pro"), _device(0, name="Atlas Pro"), "300I", "")
    assert not _told(_device(0, power_watts=40.0), _device(0, power_watts=99.0), "40.0", "9" * 20)


def test_what_is_left_of_a_product_s_name_is_not_told():
    old, new = ({"nvidia:0": _device(0, name=name)} for name in ("H100 SXM5 80GB", "NVIDIA H100 80GB"))
    edit = Edit(text="4 × NVIDIA H100 80GB ERR!", line=1, word="HBM3", new="ERR!")
    assert not moved(old, new, edit)
    assert moved(old, new, replace(edit, text="4 × NVIDIA A100 80GB ERR!"))


def test_a_device_that_was_not_there_is_told():
    assert phantoms({}, {"acme:0": _device(0)}) == ["acme:0"]
