"""Every reader on hand-made texts: <case>.txt, and what must come of it in <case>.json."""

import json
import os
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from accel.contract.backend import Reading
from accel.model.merge import merged_devices, merged_driver
from accel.toolkit.members import readers_of

TEXTS = Path(__file__).parent / "texts"
WHOLE = {path.stem: path.read_text() for path in sorted(TEXTS.glob("*.txt"))}
PIECES = [
    "|",
    "mthreads-gmi:1.0",
    "GPU 0",
    "Product Name : MTT",
    "{",
    "}",
    '"Index": ',
    "Processes:",
    "0%",
    "0",
    "N/A",
    "-",
    ":",
    "\n",
    " ",
    "\t",
    "½",
    "9" * 40,
]
CORPUS = Path(os.environ.get("ACCEL_CORPUS", "/nonexistent")) / "outputs"


def readings(text: str) -> list[Reading]:
    found: list[Reading] = []
    for reader in readers_of("accel_mthreads"):
        if any(sign in text for sign in reader.signs):
            found.extend(reader.read(text))
    return found


def ids(text: str) -> set[str]:
    """Return the ids that any reader finds, whether its signs are there or not."""
    found = (reading for reader in readers_of("accel_mthreads") for reading in reader.read(text))
    return {device.id for reading in found for report in reading.reports for device in report.devices}


def as_expected(value: Any, field: str) -> Any:
    if field == "processes" and value is not None:
        return [[process.pid, process.name, process.memory_bytes] for process in value]
    return value


@pytest.mark.parametrize("case", WHOLE)
def test_a_text_gives_what_it_says_and_no_more(case: str) -> None:
    expected = json.loads((TEXTS / f"{case}.json").read_text())
    reports = [report for reading in readings(WHOLE[case]) for report in reading.reports]
    devices, disagreements = merged_devices(reports)
    assert [device.id for device in devices] == [want["id"] for want in expected["devices"]]
    for device, want in zip(devices, expected["devices"], strict=True):
        assert {field: as_expected(getattr(device, field), field) for field in want} == want
    driver = merged_driver(reports)
    assert (driver.version if driver else None) == expected["driver"]
    assert disagreements == ()


@pytest.mark.parametrize("case", WHOLE)
def test_a_cut_text_gives_no_device_that_the_whole_has_not(case: str) -> None:
    whole = WHOLE[case]
    known = ids(whole)
    for end in range(0, len(whole), max(1, len(whole) // 60)):
        assert ids(whole[:end]) <= known, whole[max(0, end - 80) : end]


def test_every_reader_has_a_text_that_it_reads() -> None:
    used = {
        reader.name for reader in readers_of("accel_mthreads") for text in WHOLE.values() if list(reader.read(text))
    }
    assert used == {reader.name for reader in readers_of("accel_mthreads")}


@settings(max_examples=60, deadline=None)
@given(st.lists(st.sampled_from(PIECES), max_size=60).map("".join))
def test_shuffled_pieces_raise_nothing(text: str) -> None:
    ids(text)


@settings(max_examples=60, deadline=None)
@given(st.text(max_size=400))
def test_any_text_at_all_gives_no_device(text: str) -> None:
    assert ids(text) == set()


@settings(max_examples=40, deadline=None)
@given(st.sampled_from(sorted(WHOLE)), st.randoms(use_true_random=False))
def test_lines_out_of_order_raise_nothing(case: str, random: Any) -> None:
    lines = WHOLE[case].splitlines()
    random.shuffle(lines)
    ids("\n".join(lines))


def recordings(vendor: bool) -> list[Path]:
    found = sorted(path for path in CORPUS.glob("*/*") if path.is_file() and path.name not in ("index.json",))
    return [path for path in found if (path.parent.name == "mthreads") is vendor]


@pytest.mark.skipif(not CORPUS.is_dir(), reason="ACCEL_CORPUS names no corpus")
def test_a_recording_gives_its_devices() -> None:
    for entry in json.loads((CORPUS / "mthreads" / "index.json").read_text()):
        reports = [
            r for reading in readings((CORPUS / "mthreads" / entry["file"]).read_text()) for r in reading.reports
        ]
        devices, _ = merged_devices(reports)
        wanted = entry["expected"]["devices"]
        assert [device.index for device in devices] == [want["index"] for want in wanted], entry["file"]
        for device, want in zip(devices, wanted, strict=True):
            assert device.temperature_celsius == want["temperature_c"], entry["file"]
            assert device.utilization_percent == want.get("utilization_percent", want.get("utilization_gpu_percent"))


@pytest.mark.skipif(not CORPUS.is_dir(), reason="ACCEL_CORPUS names no corpus")
def test_another_vendors_recording_gives_no_device() -> None:
    assert [path.name for path in recordings(vendor=False) if readings(path.read_text(errors="replace"))] == []
