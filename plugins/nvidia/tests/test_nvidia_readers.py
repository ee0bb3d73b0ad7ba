"""Every reader of NVIDIA's texts, on texts made by hand: see readers/PROVENANCE.md."""

from pathlib import Path
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from accel.model.merge import merged_devices, merged_driver
from accel.model.observation import Noted
from accel.specs.store import parse
from accel.vendors.contract.backend import Reader, Reading
from accel.vendors.toolkit.members import readers_of

_FOLDER = Path(__file__).parent / "readers"
_CASES: dict[str, dict[str, Any]] = {
    f"{path.stem}/{name}": case for path in sorted(_FOLDER.glob("*.yaml")) for name, case in parse(str(path)).items()
}


def _readings(text: str, only: str | None = None) -> list[Reading]:
    readers: list[Reader] = [r for r in readers_of("accel_nvidia") if only is None or r.read.__module__.endswith(only)]
    return [
        reading
        for reader in readers
        if not reader.signs or any(sign.lower() in text.lower() for sign in reader.signs)
        for reading in reader.read(text)
    ]


def _assert_has(record: Any, wanted: Any, where: str) -> None:
    """Compare the fields that are wanted; lists by their members and length."""
    if isinstance(wanted, dict):
        for key, value in wanted.items():
            _assert_has(getattr(record, key), value, f"{where}.{key}")
    elif isinstance(wanted, list):
        assert record is not None, where
        assert len(record) == len(wanted), where
        for place, (one, other) in enumerate(zip(record, wanted, strict=True)):
            _assert_has(one, other, f"{where}[{place}]")
    else:
        assert record == wanted, f"{where}: {record!r} is not {wanted!r}"


@pytest.mark.parametrize("name", _CASES)
def test_a_reader_gives_what_the_text_says(name: str) -> None:
    case = _CASES[name]
    readings = _readings(case["text"], case.get("reader"))
    reports = [report for reading in readings for report in reading.reports]
    devices, gaps = merged_devices(reports)
    assert not gaps
    if "devices" in case:
        _assert_has(devices, case["devices"], name)
    if "device_count" in case:
        assert len(devices) == case["device_count"]
    if "driver" in case:
        _assert_has(merged_driver(sorted(reports, key=lambda r: -r.trust)), case["driver"], name)
    if "readings" in case:
        assert len([r for r in readings if r.reports and r.reports[0].devices]) == case["readings"]
    if "notes" in case:
        notes = [one for reading in readings for one in reading.observations if isinstance(one, Noted)]
        assert len(notes) == len(case["notes"])
        for note, wanted in zip(notes, case["notes"], strict=True):
            for key, value in wanted.items():
                assert (getattr(note, key) if key in ("fact", "line") else dict(note.values).get(key)) == value, key


def test_every_file_of_the_folder_is_a_reader() -> None:
    names = [reader.name for reader in readers_of("accel_nvidia")]
    assert len(names) == len(set(names))
    assert {"nvidia-smi table", "nvidia-smi -q -x", "nvidia-smi csv"} <= set(names)


def test_no_text_says_that_a_device_is_well() -> None:
    devices = [d for c in _CASES.values() for g in _readings(c["text"]) for r in g.reports for d in r.devices]
    assert devices
    assert {device.health for device in devices} == {"unknown"}


_TEXTS = sorted(case["text"] for case in _CASES.values())


@settings(max_examples=60, deadline=None)
@given(text=st.sampled_from(_TEXTS), cut=st.floats(0, 1), drop=st.floats(0, 1))
def test_a_cut_text_never_raises_and_never_has_more_devices(text: str, cut: float, drop: float) -> None:
    whole = {d.id for g in _readings(text) for r in g.reports for d in r.devices}
    start, end = sorted((int(len(text) * cut), int(len(text) * drop)))
    for part in (text[:end], text[start:]):
        found = [d for g in _readings(part) for r in g.reports for d in r.devices]
        # A list that begins later may count its GPUs from 0 again, so the number is what must not grow.
        assert len({d.id for d in found}) <= max(len(whole), 1) + 1


@settings(max_examples=60, deadline=None)
@given(text=st.text(max_size=300) | st.text(alphabet="|+-=:/.,<>()[] 0123456789GPUNVIDAXidMBC%\n\t", max_size=400))
def test_foreign_text_never_raises_and_gives_no_device(text: str) -> None:
    for reader in readers_of("accel_nvidia"):
        assert not [d for reading in reader.read(text) for r in reading.reports for d in r.devices if d.name]


_HOSTILE = {
    "nested tags": "<nvidia_smi_log>" + "<gpu>" * 5000,
    "entities": '<!DOCTYPE a [<!ENTITY b "c">]><nvidia_smi_log><gpu id="x">&b;</gpu></nvidia_smi_log>',
    "open brackets": "NVRM: GPU at PCI:0000:01:00 " * 3000,
    "long line": "| " + "9" * 20000 + " |",
    "bars": "|" * 20000,
    "many commas": "name, " * 5000,
    "pairs": 'Device 0: "' * 3000,
    "null bytes": "\x00|  0  Tesla\x00 | 00:00",
    "names": "name: " * 3000 + "major: ",
    "huge numbers": "|   0  Tesla T4  On | 00000000:00:1E.0 Off | 0 |\n"
    "| N/A 1C P0 1W / 1W | " + "9" * 400 + "MiB / 9MiB | 0% Default |",
}


@pytest.mark.parametrize("name", _HOSTILE)
def test_a_hostile_text_is_read_quickly_and_without_raising(name: str) -> None:
    for reader in readers_of("accel_nvidia"):
        list(reader.read(_HOSTILE[name]))
