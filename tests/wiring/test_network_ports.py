"""Ports for InfiniBand and RoCE, in the forms of four tools."""

from pathlib import Path

import pytest

from accel.collect.text import read_texts
from accel.facts.questions import Facts
from accel.facts.readers.network_ports import ports
from accel.model.wiring import NetworkPort
from accel.plugins.registry import Registry

FOLDER = Path(__file__).parent / "ports"
TOLD = {
    "ibstat": [
        ("mlx5_0", 1, "MT4129", "ACTIVE", "LinkUp", 400, "InfiniBand"),
        ("mlx5_1", 1, "MT4129", "DOWN", "Polling", 10, "InfiniBand"),
        ("mlx5_2", 1, "MT4129", "INIT", "LinkUp", 400, "InfiniBand"),
    ],
    "ibv_devinfo": [
        ("mlx5_0", 1, None, "ACTIVE", "LinkUp", 400, "InfiniBand"),
        ("mlx5_1", 1, None, "DOWN", "Disabled", None, "Ethernet"),
    ],
    "ibstatus": [
        ("mlx5_0", 1, None, "ACTIVE", "LinkUp", 400, "InfiniBand"),
        ("mlx5_1", 2, None, "DOWN", "Disabled", 10, "Ethernet"),
    ],
    "rdma-link": [
        ("mlx5_0", 1, None, "ACTIVE", "LinkUp", None, None),
        ("mlx5_1", 1, None, "ACTIVE", "LinkUp", None, None),
        ("rocep1s0f1", 1, None, "DOWN", "Disabled", None, None),
    ],
}


def text_of(name: str) -> str:
    return (FOLDER / f"{name}.txt").read_text(encoding="utf-8")


def shown(port: NetworkPort) -> tuple[object, ...]:
    rate = port.rate_bits_per_second
    told = (port.card, port.port, port.model, port.state, port.physical_state)
    return (*told, None if rate is None else rate / 1e9, port.link_layer)


@pytest.mark.parametrize("name", TOLD)
def test_each_tool_s_ports_are_read(name: str) -> None:
    assert [shown(port) for _, port in ports(text_of(name))] == TOLD[name]


@pytest.mark.parametrize("name", TOLD)
def test_a_cut_text_tells_no_other_state(name: str) -> None:
    lines = text_of(name).splitlines()
    whole = {(port.card, port.port): port.state for _, port in ports(text_of(name))}
    for count in range(len(lines)):
        for _, port in ports("\n".join(lines[:count])):
            assert whole[port.card, port.port] == port.state


def test_the_size_of_packets_that_rdma_uses_is_read() -> None:
    assert [port.active_mtu_bytes for _, port in ports(text_of("ibv_devinfo"))] == [4096, None]


def test_two_tools_tell_of_one_port() -> None:
    found = [port for _, port in ports(text_of("ibstat") + text_of("ibstatus"))]
    assert [(port.card, port.port) for port in found] == [("mlx5_0", 1), ("mlx5_1", 1), ("mlx5_2", 1), ("mlx5_1", 2)]
    assert (found[0].model, found[0].signal) == ("MT4129", "NDR")


def test_the_doctor_judges_what_a_tool_printed() -> None:
    from accel.diagnose.engine import diagnose

    registry = Registry({})
    snapshot = read_texts([("ibstat", text_of("ibstat"))], registry)
    assert len(Facts(snapshot).snapshot.wiring.ports or ()) == 3  # type: ignore[union-attr]
    found = {finding.name for finding in diagnose(snapshot, registry.specs, registry.checks).findings}
    assert "network-port-down" in found
