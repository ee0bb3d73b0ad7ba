"""Each column of nvidia-smi's that is taken is a field of the record."""

from dataclasses import fields

from accel_nvidia.columns import NAMES
from accel_nvidia.model import NvidiaDevice


def test_each_name_is_that_of_a_field() -> None:
    assert set(NAMES.values()) <= {field.name for field in fields(NvidiaDevice)}
    assert NAMES["ecc.errors.uncorrected.volatile.total"] == "ecc_uncorrected_volatile"
    assert NAMES["mig.mode.current"] == "mig_mode"
