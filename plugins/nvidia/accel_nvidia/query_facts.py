"""nvidia-smi's names of each fact in its three detailed formats: specs/nvidia/query_fields.yaml.

Memory errors: query_ecc.py.
"""

from collections.abc import Callable, Iterator, Mapping
from typing import Any, Final, Literal

from accel.model.dataclass import dataclass
from accel.specs.store import bundled
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


_READ: Final[Mapping[str, Callable[[str | None], Any]]] = {
    **{one.__name__: one for one in (a.mebibytes, a.number, a.pci_address, a.whole, a.word)},
    **{one.__name__: one for one in (q.architecture, q.compute_mode, q.flag, q.pci_id, q.recovery_action, q.slug)},
    **{one.__name__: one for one in (q.switch, q.version)},
}


def _facts() -> Iterator[Fact]:
    for row in bundled().table("nvidia/query_fields")["fields"]:
        names = {style: row.get(style, ()) for style in ("text", "xml", "csv")}
        several = {style: (told,) if isinstance(told, str) else tuple(told) for style, told in names.items()}
        yield Fact(field=row["name"], read=_READ[row["read"]], **several)


FACTS: Final = tuple(_facts())
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
