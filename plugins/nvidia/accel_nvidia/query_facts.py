"""nvidia-smi's names of each fact in its three detailed formats.

    text   nvidia-smi -q            "FB Memory Usage/Total"     sections joined by "/"
    xml    nvidia-smi -q -x         "fb_memory_usage/total"     tags joined by "/"
    csv    nvidia-smi --query-gpu   "memory.total"              the column, without its unit

The first name present wins, so newer names come before older ones; if it has no value, no other is tried:
the average power is not the current power. Memory errors: query_ecc.py.
Sources: `nvidia-smi -q` and `--help-query-gpu` of drivers 340 to 610; nvsmi_device_v9 to v13.
"""

from collections.abc import Callable, Mapping
from typing import Any, Final, Literal

from accel.model.dataclass import dataclass
from accel.text import amounts as a
from accel.text.pattern import pattern
from accel_nvidia import quantities as q
from accel_nvidia.clock_reasons import reasons
from accel_nvidia.query_ecc import ecc_facts

Format = Literal["text", "xml", "csv"]
Lookup = Mapping[str, str]


@dataclass(frozen=True, slots=True, kw_only=True)
class Fact:
    """One field of NvidiaDevice, how to parse its value, and its names in each format."""

    field: str
    read: Callable[[str | None], Any]
    text: tuple[str, ...] = ()
    xml: tuple[str, ...] = ()
    csv: tuple[str, ...] = ()


def _fact(
    field: str,
    read: Callable[[str | None], Any],
    text: str | tuple[str, ...],
    xml: str | tuple[str, ...],
    csv: str | tuple[str, ...],
) -> Fact:
    def many(names: str | tuple[str, ...]) -> tuple[str, ...]:
        return (names,) if isinstance(names, str) else names

    return Fact(field=field, read=read, text=many(text), xml=many(xml), csv=many(csv))


_PCIE: Final = "PCI/GPU Link Info/PCIe Generation"
_GEN: Final = "pci/pci_gpu_link_info/pcie_gen"
_WIDTH: Final = "pci/pci_gpu_link_info/link_widths"
FACTS: Final = (
    _fact("name", a.word, "Product Name", "product_name", ("name", "gpu_name")),
    _fact("brand", a.word, "Product Brand", "product_brand", ()),
    _fact("architecture", q.architecture, "Product Architecture", "product_architecture", ()),
    _fact("uuid", a.word, "GPU UUID", "uuid", ("uuid", "gpu_uuid")),
    _fact("serial", a.word, "Serial Number", "serial", ("serial", "gpu_serial")),
    _fact("pci_address", a.pci_address, "PCI/Bus Id", "pci/pci_bus_id", ("pci.bus_id", "gpu_bus_id")),
    _fact("pci_id", q.pci_id, "PCI/Device Id", "pci/pci_device_id", "pci.device_id"),
    _fact("compute_capability", q.version, (), (), "compute_cap"),
    _fact("driver_version", q.version, (), (), ("driver_version", "kmd_version")),
    _fact(
        "memory_total_bytes",
        a.mebibytes,
        ("FB Memory Usage/Total", "Memory Usage/Total"),
        ("fb_memory_usage/total", "memory_usage/total"),
        "memory.total",
    ),
    _fact(
        "memory_used_bytes",
        a.mebibytes,
        ("FB Memory Usage/Used", "Memory Usage/Used"),
        ("fb_memory_usage/used", "memory_usage/used"),
        "memory.used",
    ),
    _fact(
        "memory_free_bytes",
        a.mebibytes,
        ("FB Memory Usage/Free", "Memory Usage/Free"),
        ("fb_memory_usage/free", "memory_usage/free"),
        "memory.free",
    ),
    _fact(
        "memory_reserved_bytes",
        a.mebibytes,
        "FB Memory Usage/Reserved",
        "fb_memory_usage/reserved",
        "memory.reserved",
    ),
    _fact("bar1_total_bytes", a.mebibytes, "BAR1 Memory Usage/Total", "bar1_memory_usage/total", ()),
    _fact("bar1_used_bytes", a.mebibytes, "BAR1 Memory Usage/Used", "bar1_memory_usage/used", ()),
    _fact(
        "utilization_percent",
        a.number,
        ("Utilization/GPU", "Utilization/Gpu"),
        "utilization/gpu_util",
        "utilization.gpu",
    ),
    _fact(
        "memory_utilization_percent",
        a.number,
        "Utilization/Memory",
        "utilization/memory_util",
        "utilization.memory",
    ),
    _fact("encoder_percent", a.number, "Utilization/Encoder", "utilization/encoder_util", "utilization.encoder"),
    _fact("decoder_percent", a.number, "Utilization/Decoder", "utilization/decoder_util", "utilization.decoder"),
    _fact(
        "temperature_celsius",
        a.number,
        ("Temperature/GPU Current Temp", "Temperature/Gpu"),
        "temperature/gpu_temp",
        "temperature.gpu",
    ),
    _fact("slowdown_celsius", a.number, "Temperature/GPU Slowdown Temp", "temperature/gpu_temp_slow_threshold", ()),
    _fact(
        "operating_celsius",
        a.number,
        "Temperature/GPU Max Operating Temp",
        "temperature/gpu_temp_max_gpu_threshold",
        (),
    ),
    _fact(
        "below_limit_celsius",
        a.number,
        "Temperature/GPU T.Limit Temp",
        "temperature/gpu_temp_tlimit",
        "temperature.gpu.tlimit",
    ),
    _fact(
        "power_requested_watts",
        a.number,
        ("GPU Power Readings/Requested Power Limit", "Power Readings/Requested Power Limit"),
        ("gpu_power_readings/requested_power_limit", "power_readings/requested_power_limit"),
        (),
    ),
    _fact("shutdown_celsius", a.number, "Temperature/GPU Shutdown Temp", "temperature/gpu_temp_max_threshold", ()),
    _fact(
        "memory_temperature_celsius",
        a.number,
        "Temperature/Memory Current Temp",
        "temperature/memory_temp",
        "temperature.memory",
    ),
    _fact(
        "memory_slowdown_celsius",
        a.number,
        "Temperature/Memory Max Operating Temp",
        "temperature/gpu_temp_max_mem_threshold",
        (),
    ),
    _fact(
        "power_watts",
        a.number,
        (
            "GPU Power Readings/Instantaneous Power Draw",
            "GPU Power Readings/Power Draw",
            "GPU Power Readings/Average Power Draw",
            "Power Readings/Power Draw",
        ),
        (
            "gpu_power_readings/instant_power_draw",
            "gpu_power_readings/power_draw",
            "gpu_power_readings/average_power_draw",
            "power_readings/power_draw",
        ),
        ("power.draw", "power.draw.instant", "power.draw.average"),
    ),
    _fact(
        "power_limit_watts",
        a.number,
        ("GPU Power Readings/Current Power Limit", "Power Readings/Enforced Power Limit", "Power Readings/Power Limit"),
        ("gpu_power_readings/current_power_limit", "power_readings/enforced_power_limit", "power_readings/power_limit"),
        ("enforced.power.limit", "power.limit"),
    ),
    _fact(
        "power_default_watts",
        a.number,
        ("GPU Power Readings/Default Power Limit", "Power Readings/Default Power Limit"),
        ("gpu_power_readings/default_power_limit", "power_readings/default_power_limit"),
        "power.default_limit",
    ),
    _fact(
        "power_maximum_watts",
        a.number,
        ("GPU Power Readings/Max Power Limit", "Power Readings/Max Power Limit"),
        ("gpu_power_readings/max_power_limit", "power_readings/max_power_limit"),
        "power.max_limit",
    ),
    _fact("fan_percent", a.number, "Fan Speed", "fan_speed", "fan.speed"),
    _fact(
        "performance_state",
        a.word,
        "Performance State",
        ("performance_state", "power_readings/power_state"),
        "pstate",
    ),
    _fact("clock_sm_mhz", a.whole, "Clocks/SM", "clocks/sm_clock", ("clocks.current.sm", "clocks.sm")),
    _fact("clock_sm_max_mhz", a.whole, "Max Clocks/SM", "max_clocks/sm_clock", "clocks.max.sm"),
    _fact("clock_memory_mhz", a.whole, "Clocks/Memory", "clocks/mem_clock", ("clocks.current.memory", "clocks.mem")),
    _fact(
        "clock_memory_max_mhz",
        a.whole,
        "Max Clocks/Memory",
        "max_clocks/mem_clock",
        ("clocks.max.memory", "clocks.max.mem"),
    ),
    _fact(
        "pcie_generation_current",
        a.whole,
        f"{_PCIE}/Current",
        f"{_GEN}/current_link_gen",
        "pcie.link.gen.current",
    ),
    _fact("pcie_generation_maximum", a.whole, f"{_PCIE}/Max", f"{_GEN}/max_link_gen", "pcie.link.gen.max"),
    _fact(
        "pcie_generation_device_maximum",
        a.whole,
        f"{_PCIE}/Device Max",
        f"{_GEN}/max_device_link_gen",
        "pcie.link.gen.gpumax",
    ),
    _fact(
        "pcie_width_current",
        a.whole,
        "PCI/GPU Link Info/Link Width/Current",
        f"{_WIDTH}/current_link_width",
        "pcie.link.width.current",
    ),
    _fact(
        "pcie_width_maximum",
        a.whole,
        "PCI/GPU Link Info/Link Width/Max",
        f"{_WIDTH}/max_link_width",
        "pcie.link.width.max",
    ),
    _fact(
        "pcie_replay_count",
        a.whole,
        ("PCI/Replays Since Reset", "PCI/Replays since reset"),
        "pci/replay_counter",
        (),
    ),
    _fact("ecc_enabled", q.flag, ("ECC Mode/Current", "Ecc Mode/Current"), "ecc_mode/current_ecc", "ecc.mode.current"),
    _fact("ecc_pending", q.flag, ("ECC Mode/Pending", "Ecc Mode/Pending"), "ecc_mode/pending_ecc", "ecc.mode.pending"),
    _fact(
        "retired_pages_single_bit",
        a.whole,
        "Retired Pages/Single Bit ECC",
        "retired_pages/multiple_single_bit_retirement/retired_count",
        ("retired_pages.single_bit_ecc.count", "retired_pages.sbe"),
    ),
    _fact(
        "retired_pages_double_bit",
        a.whole,
        "Retired Pages/Double Bit ECC",
        "retired_pages/double_bit_retirement/retired_count",
        ("retired_pages.double_bit.count", "retired_pages.dbe"),
    ),
    _fact(
        "retirement_pending",
        q.flag,
        ("Retired Pages/Pending Page Blacklist", "Retired Pages/Pending"),
        ("retired_pages/pending_retirement", "retired_pages/pending_blacklist"),
        "retired_pages.pending",
    ),
    _fact(
        "remapped_rows_corrected",
        a.whole,
        "Remapped Rows/Correctable Error",
        "remapped_rows/remapped_row_corr",
        "remapped_rows.correctable",
    ),
    _fact(
        "remapped_rows_uncorrected",
        a.whole,
        "Remapped Rows/Uncorrectable Error",
        "remapped_rows/remapped_row_unc",
        "remapped_rows.uncorrectable",
    ),
    _fact(
        "remap_pending", q.flag, "Remapped Rows/Pending", "remapped_rows/remapped_row_pending", "remapped_rows.pending"
    ),
    _fact(
        "remap_failed",
        q.flag,
        "Remapped Rows/Remapping Failure Occurred",
        "remapped_rows/remapped_row_failure",
        "remapped_rows.failure",
    ),
    _fact("persistence_mode", q.flag, "Persistence Mode", "persistence_mode", "persistence_mode"),
    _fact("compute_mode", q.compute_mode, "Compute Mode", "compute_mode", "compute_mode"),
    _fact("display_active", q.flag, "Display Active", "display_active", "display_active"),
    _fact("driver_model", a.word, "Driver Model/Current", "driver_model/current_dm", "driver_model.current"),
    _fact(
        "virtualization",
        q.slug,
        "GPU Virtualization Mode/Virtualization Mode",
        ("gpu_virtualization_mode/virtualization_mode", "virtualization_mode"),
        (),
    ),
    _fact("addressing_mode", a.word, "Addressing Mode", "addressing_mode", "addressing_mode"),
    _fact("recovery_action", q.recovery_action, "GPU Recovery Action", "gpu_recovery_action", "gpu_recovery_action"),
    _fact("mig_mode", q.switch, "MIG Mode/Current", "mig_mode/current_mig", "mig.mode.current"),
    _fact("mig_mode_pending", q.switch, "MIG Mode/Pending", "mig_mode/pending_mig", "mig.mode.pending"),
    _fact("fabric_state", q.slug, "Fabric/State", "fabric/state", "fabric.state"),
    _fact("fabric_status", a.word, "Fabric/Status", "fabric/status", "fabric.status"),
    _fact(
        "fabric_health",
        q.slug,
        "Fabric/Health/Summary",
        ("fabric/fabric_health/summary", "fabric/health/summary"),
        "fabric.health.summary",
    ),
    _fact("board_id", a.word, "Board ID", "board_id", ()),
    _fact("minor_number", a.whole, "Minor Number", "minor_number", ()),
    _fact("vbios_version", a.word, "VBIOS Version", "vbios_version", "vbios_version"),
    _fact("inforom_version", a.word, "Inforom Version/Image Version", "inforom_version/img_version", "inforom.img"),
    _fact("gsp_firmware_version", a.word, "GSP Firmware Version", "gsp_firmware_version", ()),
)


# name, then the -q label and the xml and csv ending
_REASONS: Final = (
    ("idle", "Idle", "gpu_idle"),
    ("applications-clocks", "Applications Clocks Setting", "applications_clocks_setting"),
    ("sw-power-cap", "SW Power Cap", "sw_power_cap"),
    ("hw-slowdown", "HW Slowdown", "hw_slowdown"),
    ("hw-thermal-slowdown", "HW Slowdown/HW Thermal Slowdown", "hw_thermal_slowdown"),
    ("hw-power-brake", "HW Slowdown/HW Power Brake Slowdown", "hw_power_brake_slowdown"),
    ("sync-boost", "Sync Boost", "sync_boost"),
    ("sw-thermal-slowdown", "SW Thermal Slowdown", "sw_thermal_slowdown"),
    ("display-clocks", "Display Clock Setting", "display_clocks_setting"),
)


_MASKS: Final = ("clocks_event_reasons.active", "clocks_throttle_reasons.active")
_HEXADECIMAL: Final = pattern(r"0x[0-9a-f]{1,16}")


def facts(lookup: Lookup, style: Format) -> dict[str, Any]:
    """Return NvidiaDevice's fields from a block's names and values. Unknown ones are left out."""
    found: dict[str, Any] = {}
    lookup = {name.lower(): value for name, value in lookup.items()}
    for fact in FACTS:
        for name in map(str.lower, getattr(fact, style)):
            value = fact.read(lookup.get(name))
            if value is not None:
                found[fact.field] = value
            if value is not None or name in lookup:
                break
    found |= ecc_facts(lookup, style)
    reasons = _clock_reasons(lookup, style)
    if reasons is not None:
        found["clock_event_reasons"] = reasons
    return found


def _clock_reasons(lookup: Lookup, style: Format) -> tuple[str, ...] | None:
    """Return the active reasons, () if there are none; None if they are not reported."""
    active: list[str] = []
    told = False
    for name, label, ending in _REASONS:
        for word in ("event", "throttle"):
            key = {
                "text": f"Clocks {word.title()} Reasons/{label}",
                "xml": f"clocks_{word}_reasons/clocks_{word}_reason_{ending}",
                "csv": f"clocks_{word}_reasons.{ending}",
            }[style]
            state = q.flag(lookup.get(key.lower()))
            if state is not None:
                told = True
                if state:
                    active.append(name)
                break
    if told:
        return tuple(active)
    mask = next((lookup[name] for name in _MASKS if name in lookup), None) if style == "csv" else None
    return reasons(int(mask, 16)) if mask and _HEXADECIMAL.fullmatch(mask) else None
