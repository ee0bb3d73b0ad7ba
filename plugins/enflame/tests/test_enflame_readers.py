"""efsmi's texts, made by hand: what each says is read, what it does not say is None; no text raises or invents."""

import json
from pathlib import Path

import pytest
from accel_enflame.model import EnflameDevice
from hypothesis import given, settings
from hypothesis import strategies as st

from accel.model.report import Report
from accel.toolkit.members import readers_of

TEXTS = Path(__file__).parent / "texts"
WHOLE = {path.stem: path.read_text() for path in sorted(TEXTS.glob("*.txt"))}
PIECES = [
    "|",
    "+",
    "---",
    "===",
    ":",
    "\n",
    " ",
    "GPU",
    "XPU",
    "DEV",
    "NAME",
    "Bus-Id",
    "0",
    "N/A",
    "57W / 350W",
    "GPU#0",
    "²",
]


def reports(text: str) -> list[Report]:
    return [
        report
        for reader in readers_of("accel_enflame")
        if any(sign in text for sign in reader.signs)
        for reading in reader.read(text)
        for report in reading.reports
    ]


def facts(text: str) -> list[dict[str, object]]:
    found = [device for report in reports(text) for device in report.devices]
    assert all(isinstance(device, EnflameDevice) for device in found)
    return [{name: getattr(device, name) for name in device.__dataclass_fields__} for device in found]


@pytest.mark.parametrize("name", WHOLE)
def test_a_text_is_read_as_its_facts_say(name: str) -> None:
    expected = json.loads((TEXTS / f"{name}.json").read_text())
    found = facts(WHOLE[name])
    assert [device["index"] for device in found] == [device["index"] for device in expected["devices"]]
    for device, wanted in zip(found, expected["devices"], strict=True):
        processes = device["processes"]
        plain = device | {
            "processes": processes if processes is None else [[p.pid, p.name, p.memory_bytes] for p in processes]  # type: ignore[attr-defined]
        }
        assert {key: plain[key] for key in wanted} == wanted
    drivers = [report.driver for report in reports(WHOLE[name]) if report.driver is not None]
    for key, value in expected.get("driver", {}).items():
        assert [getattr(driver, key) for driver in drivers] == [value]


@pytest.mark.parametrize("name", [name for name in WHOLE if name.startswith("table")])
def test_a_cut_table_gives_nothing_that_the_whole_does_not_say(name: str) -> None:
    whole = {device["index"]: device for device in facts(WHOLE[name])}
    for end in range(0, len(WHOLE[name]), 23):
        for device in facts(WHOLE[name][:end]):
            known = whole[device["index"]]
            assert all(value in (None, "unknown", known[fact]) for fact, value in device.items())


@pytest.mark.parametrize("name", WHOLE)
def test_a_cut_text_gives_no_device_that_the_whole_has_not(name: str) -> None:
    whole = {device["id"] for device in facts(WHOLE[name])}
    for end in range(0, len(WHOLE[name]), 23):
        assert {device["id"] for device in facts(WHOLE[name][:end])} <= whole


@pytest.mark.parametrize("name", [name for name in WHOLE if name.startswith("table")])
def test_lost_indentation_and_trailing_blanks_change_nothing(name: str) -> None:
    bare = "\n".join(line.strip() for line in WHOLE[name].splitlines())
    assert facts(bare) == facts(WHOLE[name])


@settings(max_examples=60, deadline=None)
@given(st.lists(st.sampled_from(PIECES), max_size=80).map("".join))
def test_shuffled_pieces_raise_nothing(text: str) -> None:
    for reader in readers_of("accel_enflame"):
        list(reader.read(text))


@settings(max_examples=60, deadline=None)
@given(st.text(max_size=400))
def test_any_text_at_all_gives_no_device(text: str) -> None:
    assert [reading for reader in readers_of("accel_enflame") for reading in reader.read(text)] == []


@settings(max_examples=40, deadline=None)
@given(st.sampled_from(sorted(WHOLE)), st.randoms(use_true_random=False))
def test_lines_out_of_order_raise_nothing(name: str, random: object) -> None:
    lines = WHOLE[name].splitlines()
    random.shuffle(lines)  # type: ignore[attr-defined]
    reports("\n".join(lines))
