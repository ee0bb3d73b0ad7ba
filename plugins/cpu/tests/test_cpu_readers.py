"""The readers of texts about processors."""

from pathlib import Path
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from accel.model.device import Device
from accel.model.merge import merged_devices
from accel.specs.store import parse
from accel.vendors.toolkit.members import readers_of

HERE = Path(__file__).parent / "texts"
EXPECTED: dict[str, dict[str, Any]] = parse(str(HERE / "expected.yaml"))


def _devices(text: str) -> tuple[Device, ...]:
    readings = [
        r for reader in readers_of("accel_cpu") if any(s in text for s in reader.signs) for r in reader.read(text)
    ]
    return merged_devices(report for reading in readings for report in reading.reports)[0]


@pytest.mark.parametrize("name", EXPECTED)
def test_a_text_gives_one_processor(name: str) -> None:
    (device,) = _devices((HERE / name).read_text())
    seen = {key: getattr(device, key) for key in EXPECTED[name]}
    assert {key: list(v) if isinstance(v, tuple) else v for key, v in seen.items()} == EXPECTED[name]
    assert device.kind == "cpu"


def test_every_text_has_an_expectation() -> None:
    assert {path.name for path in HERE.glob("*.txt")} == set(EXPECTED)


@pytest.mark.parametrize(
    "text",
    [
        "CPU:\n",
        "CPU: 45%\nName: job-7\n",
        "Model name: something\n",
        "CPU:\n\nVersions of relevant libraries:\nName: torch\n",
        "Model name:\nCPU(s):\n",
    ],
)
def test_what_describes_no_processor_gives_none(text: str) -> None:
    assert _devices(text) == ()


@settings(max_examples=50, deadline=None)
@given(
    st.sampled_from([path.read_text() for path in sorted(HERE.glob("*.txt"))]),
    st.integers(0, 900),
    st.text(max_size=20),
)
def test_cut_and_dirty_texts_never_raise_and_give_at_most_one(text: str, cut: int, dirt: str) -> None:
    assert len(_devices(text[:cut])) <= 1
    assert len(_devices(text[cut:] + dirt)) <= 1
    assert len(_devices(text.replace("\n", dirt + "\n", 3))) <= 1


@settings(max_examples=40, deadline=None)
@given(st.text(max_size=300))
def test_foreign_text_gives_no_processor(text: str) -> None:
    for reader in readers_of("accel_cpu"):
        assert not list(reader.read(text))


def test_hostile_text_is_read_to_its_end() -> None:
    for text in (
        "CPU:\n" + "a\n \n" * 30_000,
        "CPU:\n" * 30_000,
        "Model name:" + " " * 200_000,
        "CPU(s): 1\n" * 30_000,
    ):
        _devices(text)
