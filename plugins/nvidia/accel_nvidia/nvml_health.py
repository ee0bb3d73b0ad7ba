"""The other facts that checks use: errors, rows and pages, thresholds, clocks, modes. Read only at depth "health".

Source  nvml.h: NVML_FI_DEV_* field ids
"""

from collections.abc import Callable, Mapping
from typing import TYPE_CHECKING, Any, Final

from accel_nvidia.nvml_forms import gsp_version
from accel_nvidia.nvml_questions import HEALTH, text, watts
from accel_nvidia.nvml_tallies import WANTED, counted, ecc_counts, inforom, sram_facts
from accel_nvidia.nvml_vitals import batched

if TYPE_CHECKING:
    from accel_nvidia.nvml_session import Session

_OPTIONAL: Final = (13, 25, 26)  # without the function the driver lacks the feature too

_Made = Callable[[Any], object]

_BATCHED: Final[dict[int, tuple[str, _Made]]] = {  # field id: record field, value. All of a device in one call
    1: ("ecc_enabled", bool),
    2: ("ecc_pending", bool),
    3: ("ecc_corrected_volatile", int),
    5: ("ecc_corrected_aggregate", int),
    6: ("ecc_uncorrected_aggregate", int),
    29: ("retired_pages_single_bit", int),
    30: ("retired_pages_double_bit", int),
    94: ("pcie_replay_count", int),
    142: ("remapped_rows_corrected", int),
    143: ("remapped_rows_uncorrected", int),
    188: ("power_maximum_watts", watts),
    189: ("power_default_watts", watts),
}
_PAGES: Final = frozenset({"retired_pages_single_bit", "retired_pages_double_bit", "retirement_pending"})
_ROWS: Final = frozenset({"remapped_rows_corrected", "remapped_rows_uncorrected", "remap_pending", "remap_failed"})


def health_facts(session: "Session", handle: Any, device: str, told: Mapping[str, Any]) -> dict[str, Any]:
    """Return the facts that could be read; gaps for the others are in the session. told: the facts already known."""
    values = batched(session, handle, device, (*((field, 0) for field in _BATCHED), *WANTED))
    found: dict[str, Any] = {
        fact: made(values[field, 0]) for field, (fact, made) in _BATCHED.items() if (field, 0) in values
    }
    found |= counted(values)
    remaps = "remapped_rows_corrected" in found  # and then retires no pages
    for question in HEALTH:
        fact = question.facts[0]
        if fact in found or told.get(fact) is not None or (remaps and fact in _PAGES):
            continue
        found |= question.ask(session, handle, device)
        if session.is_lost(device):
            return found
    sram, found["sram_threshold_exceeded"] = sram_facts(session, handle, device)
    found["ecc_counts"] = (*((sram,) if sram is not None else ()), *ecc_counts(values)) or None
    found |= inforom(session, handle, device)
    gsp = session.ask(
        "nvmlDeviceGetGspFirmwareVersion",
        session.nvml,
        handle,
        device=device,
        fact="gsp_firmware_version",
        function=gsp_version,
        quiet=(3, *_OPTIONAL),
    )
    if gsp is not None:
        found["gsp_firmware_version"] = text(gsp)
    if not {"ecc_enabled", "ecc_pending"} <= found.keys():
        ecc = session.ask("nvmlDeviceGetEccMode", handle, device=device, fact="ecc_enabled")
        if ecc is not None:
            found["ecc_enabled"], found["ecc_pending"] = bool(ecc[0]), bool(ecc[1])
    rows = None
    if not {*found, *(fact for fact in _ROWS if told.get(fact) is not None)} >= _ROWS:
        rows = session.ask("nvmlDeviceGetRemappedRows", handle, device=device, fact="remapped_rows_corrected")
    if rows is not None:
        found["remapped_rows_corrected"], found["remapped_rows_uncorrected"] = rows[0], rows[1]
        found["remap_pending"], found["remap_failed"] = bool(rows[2]), bool(rows[3])
    bar1 = session.ask("nvmlDeviceGetBAR1MemoryInfo", handle, device=device, fact="bar1_total_bytes")
    if bar1 is not None:
        found["bar1_total_bytes"], found["bar1_used_bytes"] = bar1.bar1Total, bar1.bar1Used
    return found
