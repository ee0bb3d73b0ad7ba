"""The frameworks of the Python that ACCEL_FRAMEWORKS names compute rightly on the CPU; skipped without it."""

import os

import pytest

from accel.measure.deep import running

PYTHON = os.environ.get("ACCEL_FRAMEWORKS", "")
TWO_DEVICES = {"XLA_FLAGS": "--xla_force_host_platform_device_count=2"}  # of JAX: the processor as two


@pytest.mark.skipif(not PYTHON, reason="ACCEL_FRAMEWORKS names no Python with frameworks")
def test_real_frameworks_compute_rightly() -> None:
    told = running.run(PYTHON, {**os.environ, **TWO_DEVICES}, within_seconds=240.0)
    assert [one for one in told.steps if one.outcome in (*running.FAILED, "not-run")] == []
    right = {(one.framework, one.step) for one in told.steps if one.computes and one.outcome == "right"}
    assert {name for name, _ in right} == set(told.versions) != set()
    if "jax" in told.versions:
        assert told.devices["jax"] == ("cpu", "cpu:1")
        assert {("jax", "copy"), ("jax", "all-reduce")} <= right
    if "torch" in told.versions:
        assert ("torch", "all-reduce") in right
