"""Which chips the CANN runtime shows; and the order of versions: the examples of the docstrings, and some more."""

import doctest

import pytest
from accel_ascend import chips, versions, visibility
from accel_ascend.model import AscendDevice

from accel.model.device import Device


def chip(index: int, **facts: object) -> AscendDevice:
    known = {"name": "910B2", "memory_total_bytes": 1 << 36} | facts
    return AscendDevice(id=f"ascend:{index}", index=index, backend="ascend", vendor="Huawei", kind="npu", **known)  # type: ignore[arg-type]


@pytest.mark.parametrize("module", [versions, visibility, chips])
def test_the_examples_of_the_docstrings_hold(module: object) -> None:
    assert doctest.testmod(module).failed == 0  # type: ignore[arg-type]


@pytest.mark.parametrize(
    ("mask", "names"),
    [
        (None, ["npu:0", "npu:1", "npu:2"]),
        ("2,0", ["npu:1", None, "npu:0"]),
        ("0,9,1", ["npu:0", None, None]),
        ("1,1,2", [None, "npu:0", None]),
        ("", [None, None, None]),
        ("all", [None, None, None]),
    ],
)
def test_the_runtime_mask_picks_and_orders(mask: str | None, names: list[str | None]) -> None:
    variables = {} if mask is None else {visibility.RUNTIME_MASK: mask}
    devices = visibility.visible([chip(12), chip(13), chip(14)], variables)
    assert [device.runtime_names for device in devices] == [(name,) if name else () for name in names]
    assert [device.visible for device in devices] == [name is not None for name in names]


def test_the_container_mask_hides_nothing_more() -> None:
    devices = visibility.visible([chip(3)], {visibility.CONTAINER_MASK: "0"})
    assert devices[0].visible is True


def test_logic_ids_decide_the_order_where_they_are_known() -> None:
    devices = visibility.visible([chip(6, logic_id=1), chip(7, logic_id=0)], {})
    assert [device.runtime_names for device in devices] == [("npu:1",), ("npu:0",)]


def test_an_answer_about_one_npu_leaves_visibility_unknown() -> None:
    one: list[Device] = [chip(5, name=None, memory_total_bytes=None)]
    assert visibility.visible(one, {visibility.RUNTIME_MASK: "0"})[0].visible is None


@pytest.mark.parametrize(
    ("name", "physical_ids", "ddr_mib", "family"),
    [
        ("910B2C", False, 0, "ascend910b"),
        ("910B", False, 0, "ascend910b"),
        ("910B", False, 15039, "ascend910"),
        ("910B", False, None, None),
        ("Ascend910", True, 0, "ascend910_93"),
        ("Ascend910", False, 0, None),
        ("Ascend 310P3", False, None, "ascend310p"),
        ("310", False, None, "ascend310"),
        ("Ascend950PR", False, 0, "ascend950"),
        ("A2G1", False, 0, None),
    ],
)
def test_a_name_says_the_family_or_leaves_it_open(
    name: str, physical_ids: bool, ddr_mib: int | None, family: str | None
) -> None:
    assert chips.family(name, physical_ids, ddr_mib) == family


@pytest.mark.parametrize(
    ("pci_id", "expected"),
    [
        ("19e5:d802", True),
        ("20c6:d500", True),
        ("20c6:d801", False),
        ("19e5:a250", False),
        ("19e5:a126", False),
        ("10de:2330", False),
    ],
)
def test_only_ids_of_chips_are_chips(pci_id: str, expected: bool) -> None:
    assert chips.is_npu(pci_id) is expected
