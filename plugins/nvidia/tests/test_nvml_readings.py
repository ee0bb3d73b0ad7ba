"""What changes is read in twelve calls a device, slow calls only when asked for; what is not told has its reason."""

from collections.abc import Callable
from typing import Any

SOLID = {"PIDS": "1:10,2:20", "GPUS": "2"}


def test_one_tick_is_twelve_calls_a_device_and_tells_what_a_device_does(child: Callable[..., Any]) -> None:
    devices, (first, second), calls = child("readings", "2", **SOLID)
    assert calls[1] == 12 * 2
    one = second[0]
    assert (one.id, one.uuid, one.state) == ("nvidia:0", devices[0].uuid, "ok")
    assert (one.busy_percent, one.memory_busy_percent, one.saturated_percent) == (97.0, 48.0, None)
    assert (one.power_watts, one.power_limit_watts, one.temperature_celsius) == (654.0, 700.0, 63.0)
    assert (one.clock_mhz, one.clock_memory_mhz, one.performance_state) == (1980, 2619, "P0")
    assert (one.memory_temperature_celsius, one.clock_event_reasons, one.gaps) == (71.0, (), ())
    assert one.energy_joules is not None
    assert one.energy_joules >= (first[0].energy_joules or 0)


def test_what_each_process_did_is_told_beside_what_it_holds(child: Callable[..., Any]) -> None:
    _, (taken,), _ = child("readings", "1", **SOLID)
    assert [(p.pid, p.memory_bytes, p.busy_percent, p.memory_busy_percent) for p in taken[0].processes] == [
        (1, 10 * 2**20, 48.0, 24.0),
        (2, 20 * 2**20, 48.0, 24.0),
    ]


def test_a_process_that_no_figure_is_told_of_is_not_called_idle(child: Callable[..., Any]) -> None:
    for fault in ("nvmlDeviceGetProcessUtilization=3", "nvmlDeviceGetProcessUtilization=6"):
        _, (taken,), _ = child("readings", "1", **SOLID, FAULT=fault)
        assert [p.busy_percent for p in taken[0].processes] == [None, None]


def test_links_and_activity_are_asked_only_where_wanted_and_are_rates(child: Callable[..., Any]) -> None:
    _, (first, second), _ = child("readings", "2", "links", "activity", **SOLID, UTIL_ENC="12", UTIL_DEC="34")
    assert (first[0].saturated_percent, first[0].pcie_sent_bytes_per_second) == (None, None)
    one = second[0]
    assert (one.saturated_percent, one.tensor_percent, one.memory_bandwidth_percent) == (97.0, 97 * 0.6, 48.5)
    assert (one.encoder_percent, one.decoder_percent) == (12.0, 34.0)
    assert one.link_sent_bytes_per_second > one.link_received_bytes_per_second > 0
    assert one.pcie_sent_bytes_per_second is not None


def test_where_no_bytes_are_counted_the_driver_measures_the_bus(child: Callable[..., Any]) -> None:
    unknown = {"FIELD_197": "E2", "FIELD_198": "E2", "PCIE_TX": "1000", "PCIE_RX": "2000"}
    _, (_, second), _ = child("readings", "2", "links", **SOLID, **unknown)
    assert (second[0].pcie_sent_bytes_per_second, second[0].pcie_received_bytes_per_second) == (1e6, 2e6)


def test_what_a_device_never_tells_is_asked_once_and_named(child: Callable[..., Any]) -> None:
    fault = "nvmlDeviceGetPowerUsage=3;nvmlDeviceGetPerformanceState=3"
    _, (_, second), calls = child("readings", "2", **SOLID, FAULT=fault)
    assert calls[1] == 10 * 2
    assert second[0].power_watts is None
    assert [(gap.fact, gap.reason) for gap in second[0].gaps] == [
        ("power_watts, performance_state", "not supported by this device")
    ]


def test_a_call_that_fails_for_once_costs_that_reading_and_says_why(child: Callable[..., Any]) -> None:
    _, (first, second), _ = child("readings", "2", **SOLID, FAULT="nvmlDeviceGetTemperature=999,gpu=1,after=1,times=1")
    assert (first[1].temperature_celsius, second[1].temperature_celsius) == (None, 46.0)
    assert first[1].gaps[0].reason == "NVML error 999 Unknown Error, from nvmlDeviceGetTemperature"
    assert second[1].gaps == ()


def test_a_device_that_is_lost_is_gone_and_the_others_are_read(child: Callable[..., Any]) -> None:
    _, (first, second), _ = child("readings", "2", **SOLID, FAULT="nvmlDeviceGetPowerUsage=15,gpu=1,after=2")
    assert (first[1].state, first[1].health) == ("ok", "ok")
    assert [(r.state, r.health, r.busy_percent) for r in second] == [("ok", "ok", 97.0), ("gone", "critical", 42.0)]
    assert "GPU is lost" in second[1].gaps[0].reason


def test_a_call_that_hung_before_is_not_made(child: Callable[..., Any]) -> None:
    options = ("nvmlDeviceGetPowerUsage@nvidia:1", "nvmlDeviceGetClockInfo@")
    _, (taken,), _ = child("readings", "1", *options, **SOLID)
    assert [(r.power_watts, r.clock_mhz) for r in taken] == [(654.0, None), (None, None)]
    assert any(gap.reason == "not queried: nvmlDeviceGetPowerUsage did not return before" for gap in taken[1].gaps)


def test_a_partition_tells_its_own_memory_and_activity(child: Callable[..., Any]) -> None:
    _, (_, second), _ = child("readings", "2", "activity", GPUS="1", MIG_GPUS="0", MIG_PROFILES="1g.10gb", PIDS="1:10")
    whole, part = second
    assert (whole.id, part.id, part.state) == ("nvidia:0", "nvidia:0/mig0", "ok")
    assert part.memory_used_bytes is not None
    assert part.saturated_percent == 33.0
    assert part.power_watts is None


def test_a_board_without_gpm_has_no_saturation_and_says_so(child: Callable[..., Any]) -> None:
    _, (_, second), _ = child("readings", "2", "activity", **SOLID, GPM="0")
    assert second[0].saturated_percent is None
    assert any("saturated_percent" in gap.fact and "not supported" in gap.reason for gap in second[0].gaps)


def test_an_old_driver_tells_what_it_has(child: Callable[..., Any]) -> None:
    _, (_, second), _ = child("readings", "2", "activity", "links", driver="470", **SOLID)
    assert (second[0].busy_percent, second[0].clock_mhz, second[0].saturated_percent) == (97.0, 1980, None)
    assert (second[0].memory_reserved_bytes, second[0].clock_event_reasons) == (None, ())
