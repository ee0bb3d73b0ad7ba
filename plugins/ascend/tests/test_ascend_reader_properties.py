"""Whatever the text, a reader does not raise, and does not make devices of it."""

from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from accel.vendors.toolkit.members import readers_of

TEXTS = Path(__file__).parent / "texts"
WHOLE = {path.stem: path.read_text() for path in sorted(TEXTS.glob("*.txt"))}
READERS = {reader.name: reader for reader in readers_of("accel_ascend")}
PIECES = [
    "|",
    "+",
    "=",
    ":",
    "/",
    "NPU ID",
    "Chip ID",
    "Health",
    "OK",
    "NA",
    "-",
    "0",
    "910B3",
    "Bus-Id",
    "\n",
    " ",
    "\t",
    "½",
    "²",
    "9" * 40,
]


def ids(text: str) -> set[str]:
    found = set()
    for reader in READERS.values():
        for reading in reader.read(text):
            found |= {device.id for report in reading.reports for device in report.devices}
    return found


@pytest.mark.parametrize("name", WHOLE)
def test_a_cut_text_gives_no_device_that_the_whole_has_not(name: str) -> None:
    whole = WHOLE[name]
    known = ids(whole)
    if name in ("query-usages-two-chips", "table-and-queries-agree", "mapping-with-controllers", "mapping-a3"):
        known |= {f"ascend:{n}" for n in range(80)}  # with less of the text, the same chips are counted otherwise
    step = max(1, len(whole) // 60)
    for end in range(0, len(whole), step):
        part = whole[:end]
        if name == "device-nodes":  # a node's number that is cut is another node's: only whole lines can be told
            part = part.rpartition("\n")[0]
        assert ids(part) <= known, part[-80:]


@settings(max_examples=60, deadline=None)
@given(st.lists(st.sampled_from(PIECES), max_size=80).map("".join))
def test_shuffled_pieces_raise_nothing(text: str) -> None:
    ids(text)


@settings(max_examples=60, deadline=None)
@given(st.text(max_size=400))
def test_any_text_at_all_gives_no_device(text: str) -> None:
    assert ids(text) == set()


@settings(max_examples=40, deadline=None)
@given(st.sampled_from(sorted(WHOLE)), st.randoms(use_true_random=False))
def test_lines_out_of_order_raise_nothing(name: str, random: object) -> None:
    lines = WHOLE[name].splitlines()
    random.shuffle(lines)  # type: ignore[attr-defined]
    ids("\n".join(lines))
