"""The slice of a TPU host, from the variables that Cloud sets; names of hosts are counted and not kept."""

import pytest
from accel_tpu.model import TpuDevice
from accel_tpu.slice import slices

CHIPS = [TpuDevice(id=f"tpu:{n}", index=n, backend="tpu", vendor="Google", kind="tpu") for n in range(4)]


def test_a_worker_of_a_slice_knows_its_place() -> None:
    variables = {
        "TPU_ACCELERATOR_TYPE": "v5litepod-16",
        "TPU_TOPOLOGY": "4x4",
        "TPU_WORKER_ID": "1",
        "TPU_WORKER_HOSTNAMES": "t1v-n-0,t1v-n-1,t1v-n-2,t1v-n-3",
    }
    (domain,) = slices(variables, CHIPS)
    assert (domain.kind, domain.name) == ("TPU slice", "v5litepod-16")
    assert domain.devices == ("tpu:0", "tpu:1", "tpu:2", "tpu:3")
    assert domain.details == (("topology", "4x4"), ("worker", "1 of 4"))
    assert "t1v" not in repr(domain)


@pytest.mark.parametrize("variables", [{}, {"TPU_WORKER_ID": "x"}, {"TPU_ACCELERATOR_TYPE": " "}])
def test_variables_that_tell_nothing_make_no_slice(variables: dict[str, str]) -> None:
    assert slices(variables, CHIPS) == ()


def test_without_a_chip_there_is_no_slice() -> None:
    assert slices({"TPU_ACCELERATOR_TYPE": "v4-8"}, ()) == ()
