"""Fault codes that are made of parts: specs/ascend/errors/faults.yaml."""

import pytest

from accel.apps.explain import explain
from accel.plugins.registry import Registry
from accel.specs import load

REGISTRY = Registry({})


@pytest.mark.parametrize(
    ("code", "meaning", "level"),
    [
        ("80e18402", "HBM: 64 rows with uncorrectable ECC errors are isolated, which is the limit", "SeparateNPU"),
        ("80e01801", "HBM: uncorrectable ECC error", "RestartBusiness"),
        ("80e00209", "HBM: temperature above the upper critical limit", "NotHandleFault"),
        ("80c9800a", "AI core: time-out", "RestartRequest"),
        ("81078603", "network port: link went down", "NotHandleFault"),
        ("8c044e00", "iammgr: heartbeat lost", "FreeRestartNPU"),
        ("40f84e00", "base service: heartbeat lost", "RestartNPU"),
        ("80b5800d", "SIOE: link error", None),
    ],
)
def test_a_code_tells_its_unit_its_event_and_its_level(code: str, meaning: str, level: str | None) -> None:
    row = load().errors.row("ascend", code)
    assert (row["meaning"], row.get("level")) == (meaning, level)


def test_every_listed_code_has_a_meaning_a_level_and_something_to_do() -> None:
    errors = load().errors
    listed = errors.fault_codes("ascend")
    assert listed is not None
    rows = [errors.row("ascend", code) for code in listed.codes]
    assert len(rows) >= 797
    assert all(row["meaning"] and row["level"] and row["action"] for row in rows)


def test_the_gravest_level_that_lists_a_code_is_its_level() -> None:
    assert load().errors.row("ascend", "a2301001")["level"] == "SeparateNPU"  # also listed at RestartBusiness


@pytest.mark.parametrize("word", ["12345678", "deadbeef", "00e18402", "f0e18402", "80e1840", "80e184021"])
def test_what_is_no_code_is_not_known(word: str) -> None:
    assert "ascend" not in load().errors.domains_of(word)


def test_a_black_box_code_has_no_parts() -> None:
    row = load().errors.row("ascend", "a4192c1a")
    assert row["meaning"] == "the chip is faulty and must be taken out of use"


@pytest.mark.parametrize("typed", ["80E18402", "0x80e18402", "ascend 80E18402", "error code 80E18402"])
def test_explain_answers_a_code_however_it_is_typed(typed: str) -> None:
    found = explain(typed, REGISTRY)
    assert [one.title for one in found][:1] == ["Ascend fault 80E18402"]
    assert "Level SeparateNPU" in found[0].text
    assert "AS008 npu-unhealthy" in found[0].causes
