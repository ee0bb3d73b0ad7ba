"""Which chips of a host the interconnect joins: by the places that JAX tells, else by the layout of hosts."""

import pytest
from accel_tpu.model import TpuDevice
from accel_tpu.neighbours import neighbours


def chips(count: int, places: str = "", generation: str = "v5e") -> tuple[TpuDevice, ...]:
    told = [tuple(map(int, place.split(","))) for place in places.split()] or [None] * count
    maker = {"backend": "tpu", "vendor": "Google", "kind": "tpu", "architecture": generation}
    return tuple(TpuDevice(id=f"tpu:{n}", index=n, coords=told[n], **maker) for n in range(count))


def pairs(asked: tuple[TpuDevice, ...], listed: tuple[TpuDevice, ...]) -> set[str]:
    (report,) = neighbours(asked, listed)
    assert report.linked == tuple(device.id for device in listed)
    return {f"{link.one[-1]}{link.other[-1]}" for link in report.links}


def test_a_host_of_four_is_a_ring_and_one_of_eight_is_four_rows_of_two() -> None:
    assert pairs((), chips(4)) == {"01", "02", "13", "23"}
    assert pairs((), chips(8)) == {"01", "23", "45", "67", "02", "24", "46", "13", "35", "57"}


def test_the_places_that_jax_tells_go_before_the_layout() -> None:
    assert pairs(chips(4, "0,0,0 0,1,0 1,1,0 1,0,0"), chips(4)) == {"01", "12", "23", "03"}


@pytest.mark.parametrize("count", [0, 1, 2, 3, 5])
def test_of_part_of_a_host_nothing_is_told(count: int) -> None:
    assert list(neighbours((), chips(count))) == []


def test_two_cores_at_one_place_tell_no_links() -> None:
    assert list(neighbours(chips(2, "0,0,0 0,0,0"), ())) == []
