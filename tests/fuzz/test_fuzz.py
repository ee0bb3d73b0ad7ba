"""Mutated inputs: whatever a text, a snapshot or a YAML file holds, it costs a sentence and never the answer.

ACCEL_FUZZ_EXAMPLES=20000 tries more of each than the few that every run tries; benchmarks/fuzz.py runs by the hour.
What once failed lies in cases/, named after its target, and is tried each time.
"""

import os
from collections.abc import Iterator
from pathlib import Path
from random import Random

import pytest
import targets
from hypothesis import HealthCheck, Phase, given, settings
from hypothesis import strategies as st
from mutations import mutated, mutated_json
from seeds import snapshots, texts
from targets import TARGETS

from accel.model.dataclass import replace
from accel.model.observation import Observation
from accel.model.snapshot import Snapshot
from accel.plugins.registry import Registry

EXAMPLES = int(os.environ.get("ACCEL_FUZZ_EXAMPLES", "0"))
FEW = {"report": 100, "snapshot": 150, "redact": 100, "render": 20, "yaml": 5}
CASES = sorted((Path(__file__).parent / "cases").glob("*.txt"))


@pytest.mark.parametrize("name", TARGETS)
def test_a_mutated_input_breaks_nothing(name: str) -> None:
    @settings(
        max_examples=EXAMPLES or FEW[name],
        deadline=None,
        database=None,
        phases=[Phase.generate, Phase.shrink],
        suppress_health_check=list(HealthCheck),
    )
    @given(st.integers(min_value=0, max_value=2**48))
    def holds(seed: int) -> None:
        TARGETS[name].run(TARGETS[name].make(Random(seed)))

    holds()


@pytest.mark.parametrize("path", CASES, ids=lambda path: path.stem)
def test_what_once_failed_does_not(path: Path) -> None:
    TARGETS[path.name.partition("-")[0]].run(path.read_bytes().decode("utf-8", "surrogatepass"))


def test_the_same_seed_makes_the_same_input() -> None:
    assert [mutated(texts(), Random(7)), mutated_json(snapshots(), Random(7))] == [
        mutated(texts(), Random(7)),
        mutated_json(snapshots(), Random(7)),
    ]


def test_a_secret_that_is_left_is_seen(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(targets, "redacted", lambda snapshot: snapshot)
    with pytest.raises(AssertionError, match="abc"):
        TARGETS["redact"].run("token «abc» is abc")


def test_a_mechanism_that_breaks_is_seen(monkeypatch: pytest.MonkeyPatch) -> None:
    def recognise(page: object) -> Iterator[Observation]:
        raise KeyError("row")
        yield

    monkeypatch.setattr("accel.facts.readers.mechanisms.recognisers", lambda: (("acme", recognise),))
    with pytest.raises(AssertionError, match="acme: reading acme broke: KeyError: 'row'"):
        TARGETS["report"].run("GPU 0: NVIDIA A100\n")


@pytest.mark.parametrize(
    "invented", [{"uuid": "GPU-0a1b"}, {"pci_address": "0000:c1:00.0"}, {"name": "Gaudi"}, {"index": 3000}]
)
def test_a_device_that_the_text_does_not_show_is_seen(
    monkeypatch: pytest.MonkeyPatch, invented: dict[str, object]
) -> None:
    read = targets.read_texts

    def inventing(texts: list[tuple[str, str]], registry: Registry) -> Snapshot:
        snapshot = read(texts, registry)
        (first, *others) = snapshot.reports
        one = replace(first, devices=tuple(replace(device, **invented) for device in first.devices))
        return replace(snapshot, reports=(one, *others))

    monkeypatch.setattr(targets, "read_texts", inventing)
    with pytest.raises(AssertionError, match="invented device"):
        TARGETS["report"].run("$ nvidia-smi -L\nGPU 0: NVIDIA A100\n")


def test_a_device_that_no_saved_snapshot_holds_is_seen(monkeypatch: pytest.MonkeyPatch) -> None:
    saved = next(one for one in snapshots() if '"id": "nvidia:0"' in one)
    read = targets.read_texts

    def inventing(texts: list[tuple[str, str]], registry: Registry) -> Snapshot:
        return read([(name, text.replace('"nvidia:0"', '"nvidia:9"')) for name, text in texts], registry)

    monkeypatch.setattr(targets, "read_texts", inventing)
    with pytest.raises(AssertionError, match="invented device"):
        TARGETS["snapshot"].run(saved)
