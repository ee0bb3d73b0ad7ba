"""Texts of vendors' tools, made by hand: plugins/<vendor>/tests/texts/<name>.txt, with what each says in <name>.json.

{"driver": "v5.10.22", "devices": [{"id": "cambricon:0", "name": "MLU370-X4", "serial": null, …}]}

What a text says is read, and what it does not say is None; no text raises, and a part of one invents nothing.
"""

import json
import os
import re
from functools import cache
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from accel.model.device import Device
from accel.model.merge import merged_devices, merged_driver
from accel.vendors.contract.backend import Reading
from accel.vendors.toolkit.members import readers_of

CORPUS = Path(os.environ.get("ACCEL_CORPUS", "/nonexistent")) / "outputs"
PLUGINS = Path(__file__).parents[2] / "plugins"
VENDORS = ("cambricon", "enflame", "hygon", "iluvatar", "kunlun", "metax", "mthreads")
TEXTS = {
    f"{vendor}/{path.stem}": path
    for vendor in VENDORS
    for path in sorted((PLUGINS / vendor / "tests/texts").glob("*.txt"))
}
TABLES = [name for name in TEXTS if name.partition("/")[2].startswith("table")]  # else a cut may go through a number
DIRT = ("|", "+---+", ":", "\n", " ", "\t", "{", "}", "½", "²", "N/A", "9" * 40)


def readings(vendor: str, text: str) -> list[Reading]:
    """Return what the readers give whose signs are in the text."""
    return [
        reading
        for reader in readers_of(f"accel_{vendor}")
        if any(sign in text for sign in reader.signs)
        for reading in reader.read(text)
    ]


def devices(vendor: str, text: str) -> tuple[Device, ...]:
    merged, disagreements = merged_devices(r for reading in readings(vendor, text) for r in reading.reports)
    assert disagreements == ()
    return merged


def ids(vendor: str, text: str) -> set[str]:
    """Return the ids that any reader finds, whether its signs are there or not."""
    found = (reading for reader in readers_of(f"accel_{vendor}") for reading in reader.read(text))
    return {device.id for reading in found for report in reading.reports for device in report.devices}


def facts(device: Device) -> dict[str, Any]:
    shown = {name: getattr(device, name) for name in device.__dataclass_fields__}
    if device.processes is not None:
        shown["processes"] = [[process.pid, process.name, process.memory_bytes] for process in device.processes]
    return shown


@cache
def words(vendor: str) -> tuple[str, ...]:
    """Return the words of a vendor's texts, with signs that spoil them."""
    told = (
        word for name, path in TEXTS.items() if name.startswith(vendor) for word in re.findall(r"\S+", path.read_text())
    )
    return (*sorted(set(told)), *DIRT)


@pytest.mark.parametrize("name", TEXTS)
def test_a_text_is_read_as_its_facts_say(name: str) -> None:
    vendor, text = name.partition("/")[0], TEXTS[name].read_text()
    wanted = json.loads(TEXTS[name].with_suffix(".json").read_text())
    found = devices(vendor, text)
    key = "id" if all("id" in one for one in wanted["devices"]) else "index"
    assert [getattr(device, key) for device in found] == [one[key] for one in wanted["devices"]]
    for device, one in zip(found, wanted["devices"], strict=True):
        assert {fact: facts(device)[fact] for fact in one} == one
    driver = merged_driver(r for reading in readings(vendor, text) for r in reading.reports)
    told = wanted.get("driver")
    if isinstance(told, dict):
        assert {fact: getattr(driver, fact) for fact in told} == told
    elif "driver" in wanted:
        assert (driver.version if driver else None) == told


@pytest.mark.parametrize("name", TEXTS)
def test_a_cut_text_gives_no_device_that_the_whole_has_not(name: str) -> None:
    vendor, text = name.partition("/")[0], TEXTS[name].read_text()
    known = ids(vendor, text)
    for end in range(0, len(text), max(23, len(text) // 60)):
        assert ids(vendor, text[:end]) <= known, text[max(0, end - 80) : end]


@pytest.mark.parametrize("name", TABLES)
def test_a_cut_table_says_nothing_that_the_whole_does_not_say(name: str) -> None:
    vendor, text = name.partition("/")[0], TEXTS[name].read_text()
    whole = {device.id: facts(device) for device in devices(vendor, text)}
    for end in range(0, len(text), max(23, len(text) // 60)):
        for device in devices(vendor, text[:end]):
            unlike = {k: v for k, v in facts(device).items() if v not in (None, "unknown", [], whole[device.id][k])}
            assert unlike == {}, text[max(0, end - 80) : end]


@pytest.mark.parametrize("name", TABLES)
def test_lost_indentation_and_trailing_blanks_change_nothing(name: str) -> None:
    vendor, text = name.partition("/")[0], TEXTS[name].read_text()
    bare = "\n".join(line.strip() for line in text.splitlines())
    assert devices(vendor, bare) == devices(vendor, text)


@pytest.mark.parametrize("vendor", VENDORS)
def test_every_reader_has_a_text_that_it_reads(vendor: str) -> None:
    texts = [path.read_text() for name, path in TEXTS.items() if name.startswith(vendor)]
    unused = [reader.name for reader in readers_of(f"accel_{vendor}") if not any(list(reader.read(t)) for t in texts)]
    assert unused == []


@pytest.mark.parametrize("vendor", VENDORS)
def test_every_text_has_its_facts_and_says_where_it_is_from(vendor: str) -> None:
    folder = PLUGINS / vendor / "tests/texts"
    assert {path.stem for path in folder.glob("*.txt")} == {path.stem for path in folder.glob("*.json")}
    assert (folder / "PROVENANCE.md").is_file()


@pytest.mark.parametrize("vendor", VENDORS)
@settings(max_examples=50, deadline=None)
@given(data=st.data())
def test_shuffled_words_raise_nothing(vendor: str, data: st.DataObject) -> None:
    ids(vendor, " ".join(data.draw(st.lists(st.sampled_from(words(vendor)), max_size=80))))


@pytest.mark.parametrize("vendor", VENDORS)
@settings(max_examples=40, deadline=None)
@given(text=st.text(max_size=400))
def test_any_text_at_all_gives_no_device(vendor: str, text: str) -> None:
    assert ids(vendor, text) == set()


@settings(max_examples=200, deadline=None)
@given(st.sampled_from(sorted(TEXTS)), st.randoms(use_true_random=False))
def test_lines_out_of_order_raise_nothing(name: str, random: Any) -> None:
    lines = TEXTS[name].read_text().splitlines()
    random.shuffle(lines)
    ids(name.partition("/")[0], "\n".join(lines))


@pytest.mark.skipif(not CORPUS.is_dir(), reason="ACCEL_CORPUS names no corpus")
@pytest.mark.parametrize("vendor", VENDORS)
def test_a_recording_gives_its_devices(vendor: str) -> None:
    entries = json.loads((CORPUS / vendor / "index.json").read_text())
    for entry, wanted in ((e, e["expected"]["devices"]) for e in entries if "devices" in e["expected"]):
        found = devices(vendor, (CORPUS / vendor / entry["file"]).read_text())
        assert [device.index for device in found] == [one["index"] for one in wanted], entry["file"]
        for device, one in zip(found, wanted, strict=True):
            assert device.temperature_celsius == one.get("temperature_c"), entry["file"]


@pytest.mark.skipif(not CORPUS.is_dir(), reason="ACCEL_CORPUS names no corpus")
@pytest.mark.parametrize("vendor", VENDORS)
def test_another_vendors_recording_gives_no_device(vendor: str) -> None:
    others = [p for p in CORPUS.glob("*/*") if p.is_file() and p.name != "index.json" and p.parent.name != vendor]
    assert [path.name for path in sorted(others) if devices(vendor, path.read_text(errors="replace"))] == []
