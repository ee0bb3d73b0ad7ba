"""The table that is drawn anew on a terminal: what stays of it where there is little room."""

from typing import Any

import pytest

from accel.apps.render.watch_text import Table
from accel.model.device import Device
from accel.model.readings import Readings
from accel.watch.sampling.tick import Tick

KNOWN = {
    "busy_percent": 97.0,
    "memory_used_bytes": 40 << 30,
    "memory_total_bytes": 80 << 30,
    "temperature_celsius": 63.0,
}


def drawn(width: int, **facts: Any) -> list[str]:
    device = Device(id="acme:0", index=0, backend="acme", vendor="Acme", kind="npu", name="N1")
    readings = Readings(id="acme:0", **{**KNOWN, **facts})
    tick = Tick(number=0, seconds=0.0, time=0.0, devices=(device,), readings=(readings,), happenings=())
    return Table().screen(tick, (width, 24), [], "Ctrl-C ends it")


@pytest.mark.parametrize(
    ("width", "facts", "head"),
    [
        (40, {}, ["device", "busy", "memory", "temp"]),
        (40, {"saturated_percent": 12.0}, ["device", "busy", "saturated"]),
        (40, {"memory_used_bytes": None, "memory_total_bytes": None}, ["device", "busy", "saturated", "temp"]),
        (24, {}, ["device", "busy"]),
        (24, {"saturated_percent": 12.0}, ["device", "busy"]),
    ],
)
def test_on_a_narrow_terminal_columns_of_which_nothing_is_known_go_first(
    width: int, facts: dict[str, Any], head: list[str]
) -> None:
    lines = drawn(width, **facts)
    assert lines[2].split() == head
    assert all(len(line) <= width for line in lines)


def test_a_wide_terminal_shows_what_is_not_known_as_a_dash() -> None:
    lines = drawn(140)
    assert "saturated" in lines[2]
    assert lines[3].split()[:4] == ["acme:0", "97", "%", "-"]
