"""Devices as CSV: units in the head, empty where not known, nvidia-smi's names understood."""

import csv
from dataclasses import replace
from io import StringIO

import pytest

from accel.apps.render.columns import COLUMNS, columns_of, write_csv
from accel.model.device import Device, Process
from accel.model.errors import BadInput

FULL = Device(
    id="nvidia:0",
    index=0,
    backend="nvidia",
    vendor="NVIDIA",
    kind="gpu",
    name='H100, "SXM"',
    uuid="GPU-1",
    memory_total_bytes=80 * 2**30,
    memory_used_bytes=3 * 2**20,
    power_watts=71.456,
    health="ok",
    processes=(Process(pid=7), Process(pid=8)),
    runtime_names=("cuda:0",),
    visible=True,
)
BARE = Device(id="ascend:1", index=1, backend="ascend", vendor="Huawei", kind="npu")


def rows(query: str | None, *devices: Device) -> list[list[str]]:
    out = StringIO()
    write_csv(out, devices, columns_of(query))
    return list(csv.reader(StringIO(out.getvalue())))


def test_each_unit_stands_in_the_head_and_cells_are_numbers() -> None:
    assert rows("name,memory.total,memory.used,power.draw,pids,runtime", FULL) == [
        ["name", "memory.total [MiB]", "memory.used [MiB]", "power.draw [W]", "pids", "runtime"],
        ['H100, "SXM"', "81920", "3", "71.46", "7 8", "cuda:0"],
    ]


def test_what_is_not_known_is_empty_and_not_zero() -> None:
    head, cells = rows(None, BARE)
    known = {name: cell for name, cell in zip(head, cells, strict=True) if cell}
    assert known == {"id": "ascend:1", "vendor": "Huawei", "health": "unknown"}


def test_every_column_can_be_asked_for_and_has_its_own_head() -> None:
    head, _ = rows(",".join(COLUMNS), FULL)
    assert len(set(head)) == len(COLUMNS)
    assert [name.split(" [")[0] for name in head] == list(COLUMNS)


@pytest.mark.parametrize(("theirs", "ours"), [("gpu_name", "name"), ("GPU_UUID", "uuid"), ("gpu_bus_id", "pci.bus_id")])
def test_other_names_of_nvidia_smi_mean_the_same(theirs: str, ours: str) -> None:
    assert columns_of(theirs) == columns_of(ours)


@pytest.mark.parametrize("query", ["memory.usd", "", "name,,index", "name;index"])
def test_a_column_that_is_none_is_refused_with_those_that_are(query: str) -> None:
    with pytest.raises(BadInput, match=r"--query: no column is named .*There are: id, index"):
        columns_of(query)


def test_no_cell_is_a_formula_to_a_spreadsheet() -> None:
    for name in ("=cmd|'/C calc'!A0", "+1+1", "-1+cmd", "@SUM(A1)", "\t=1", " =1", "\r=1", "＝1+1"):
        odd = replace(FULL, name=name)
        ((cell,),) = rows("name", odd)[1:]
        assert cell == f"'{name}".replace("\t", " ").replace("\r", " ")
    plain = replace(FULL, name="H100-SXM = fast", power_watts=-1.5)
    assert rows("name,power.draw", plain)[1] == ["H100-SXM = fast", "-1.5"]
