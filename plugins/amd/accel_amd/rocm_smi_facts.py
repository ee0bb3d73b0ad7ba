"""The facts about one GPU in rocm-smi's output, which has the same labels as text, JSON and CSV. Pure.

    GPU[0]          : Temperature (Sensor edge) (C): 53.0           {"card0": {"Temperature (Sensor edge) (C)": "53.0"}}
All values are strings. Renamed labels: "GPU ID" became "Device ID"; "Card series" "Card Series"; an APU has
"Current Socket Graphics Package Power (W)" for "Average Graphics Package Power (W)". Seen: ROCm 4.3 to 6.4.
"""

import re
from collections.abc import Mapping
from typing import Final

from accel.text.amounts import pci_address
from accel.text.pattern import pattern
from accel_amd.model import AmdDevice
from accel_amd.quantities import celsius, count, number, percent, product_name, size_bytes, watts, word
from accel_amd.record import gpu, is_foreign, knows_anything, uuid_of
from accel_amd.targets import plain_target

_CARD: Final = pattern(r"(?i)(?:card|gpu)?\[?(\d{1,4})\]?")
_POWER: Final = (
    "average graphics package power (w)",
    "current socket graphics package power (w)",
    "average socket graphics package power (w)",
    "current graphics package power (w)",
    "average socket power (w)",
    "current socket power (w)",
)


def device(card: str, labels: Mapping[str, object]) -> AmdDevice | None:
    """Return the GPU of one entry, with lower-case labels; None if it is not an AMD GPU or has no facts.

    Hygon's tool for its own cards derives from rocm-smi and has the same labels.
    """
    found = _CARD.fullmatch(card.strip())
    facts = {key.strip(" :\t"): value for key, value in labels.items()}
    said = (*facts, *(value for value in facts.values() if isinstance(value, str)))
    if found is None or any(is_foreign(text) for text in said):
        return None
    edge = celsius(facts.get("temperature (sensor edge) (c)"))
    junction = celsius(facts.get("temperature (sensor junction) (c)"))
    unique_id = count(facts.get("unique id")) or None
    known = gpu(
        int(found[1]),
        next((n for key in ("card series", "device name", "card model") if (n := product_name(facts.get(key)))), None),
        plain_target(word(facts.get("gfx version"))),
        uuid=uuid_of(unique_id),
        unique_id=unique_id,
        serial=word(facts.get("serial number")),
        pci_address=pci_address(word(facts.get("pci bus"))),
        pci_id=_pci_id(facts.get("device id") or facts.get("gpu id")),
        numa_node=_numa(facts),
        memory_total_bytes=size_bytes(facts.get("vram total memory (b)"), "B"),
        memory_used_bytes=size_bytes(facts.get("vram total used memory (b)"), "B"),
        gtt_total_bytes=size_bytes(facts.get("gtt total memory (b)"), "B"),
        gtt_used_bytes=size_bytes(facts.get("gtt total used memory (b)"), "B"),
        utilization_percent=percent(facts.get("gpu use (%)")),
        memory_utilization_percent=percent(
            facts.get("gpu memory read/write activity (%)", facts.get("gpu memory use (%)"))
        ),
        temperature_celsius=junction if edge is None else edge,
        edge_temperature_celsius=edge,
        junction_temperature_celsius=junction,
        memory_temperature_celsius=celsius(facts.get("temperature (sensor memory) (c)")),
        power_watts=next((w for key in _POWER if (w := watts(facts.get(key))) is not None), None),
        power_limit_watts=watts(facts.get("max graphics package power (w)")),
        fan_percent=_fan(facts),
        fan_rpm=count(facts.get("fan rpm")),
        clock_sclk_mhz=_clock(facts, "sclk"),
        clock_mclk_mhz=_clock(facts, "mclk"),
        pcie_replay_count=count(facts.get("pcie replay count")),
        performance_level=(word(facts.get("performance level")) or "").lower() or None,
        node_id=count(facts.get("node id")),
        kfd_id=count(facts.get("guid")),
        compute_partition=word(facts.get("compute partition")),
        memory_partition=word(facts.get("memory partition")),
        vbios_version=word(facts.get("vbios version")),
    )
    return known if knows_anything(known) else None


def _pci_id(value: object) -> str | None:
    found = count(value)
    return f"1002:{found:04x}" if found is not None and 0 < found <= 0xFFFF else None


def _numa(facts: Mapping[str, object]) -> int | None:
    """Return the NUMA node; None for an affinity of -1 (unsigned in old releases), the kernel's "unknown"."""
    if count(facts.get("(topology) numa affinity")) is None:
        return None
    found = number(facts.get("(topology) numa node"))
    return int(found) if found is not None and 0 <= found < 4096 else None


def _fan(facts: Mapping[str, object]) -> float | None:
    """Return the share of "Fan speed (%)", or that of "82 (32%)", the fan's level."""
    level = re.search(r"\((\d{1,3})%\)", word(facts.get("fan level")) or "")
    return percent(level[1] if level else facts.get("fan speed (%)"))


def _clock(facts: Mapping[str, object], name: str) -> int | None:
    """Return the clock in "(1725Mhz)", or in "8 (1725Mhz)" of older releases."""
    text = word(facts.get(f"{name} clock speed")) or word(facts.get(f"{name} clock level")) or ""
    found = re.search(r"\((\d{1,6})M[Hh]z\)", text)
    return int(found[1]) if found else None
