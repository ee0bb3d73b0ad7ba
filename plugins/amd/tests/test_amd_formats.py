"""What the readers take from each format of AMD's tools, and that a cut or hostile text invents nothing."""

from pathlib import Path
from typing import Any

import pytest
from accel_amd.model import AmdDevice
from hypothesis import given, settings
from hypothesis import strategies as st

from accel.model.device import Device
from accel.model.merge import merged_devices
from accel.specs.store import parse
from accel.vendors.toolkit.members import readers_of

CASES: dict[str, Any] = parse(str(Path(__file__).parent / "texts" / "formats.yaml"))


def devices_of(text: str) -> tuple[Device, ...]:
    reports = [
        report
        for reader in readers_of("accel_amd")
        if any(sign in text for sign in reader.signs)
        for reading in reader.read(text)
        for report in reading.reports
    ]
    return merged_devices(reports)[0]


@pytest.mark.parametrize("case", CASES.values(), ids=CASES)
def test_a_format_gives_its_facts(case: dict[str, Any]) -> None:
    found = devices_of(case["text"])
    assert len(found) == len(case["devices"])
    for device, wanted in zip(found, case["devices"], strict=True):
        assert isinstance(device, AmdDevice)
        facts = {name: getattr(device, name) for name in wanted if name != "pids"}
        assert facts == {name: value for name, value in wanted.items() if name != "pids"}
        if "pids" in wanted:
            pids = None if device.processes is None else [process.pid for process in device.processes]
            assert pids == wanted["pids"]


@settings(max_examples=80, deadline=None)
@given(st.sampled_from(sorted(CASES)), st.data())
def test_a_cut_text_gives_no_device_more_and_no_other_number(name: str, data: st.DataObject) -> None:
    text = CASES[name]["text"]
    whole = {d.index: d for d in devices_of(text)}
    for device in devices_of(text[: data.draw(st.integers(0, len(text)))]):
        assert device.index in whole
        for fact in ("pci_address", "memory_total_bytes", "utilization_percent", "uuid"):
            allowed = {None, getattr(whole[device.index], fact)}
            if fact == "uuid" and name == "kfd-dump-of-two-partitions":
                allowed.add("GPU-000000000000004d")  # the board's own: that two share it shows only where both stand
            assert getattr(device, fact) in allowed, fact


@settings(max_examples=80, deadline=None)
@given(st.text(alphabet='{}[]":,\n\\ gpu0card|%N/A', max_size=300))
def test_hostile_text_never_raises_and_is_no_device(noise: str) -> None:
    for reader in readers_of("accel_amd"):
        for start in ("", '[{"gpu"', '{"card0": {', "GPU: 0\n"):
            list(reader.read(start + noise))
    assert devices_of(noise) == ()


def test_deep_brackets_are_given_up() -> None:
    for text in ('"gpu"\n' + "[" * 50_000, '[{"gpu":' * 3_000, '"card0"\n' + '{"card0":' * 3_000):
        assert devices_of(text) == ()
