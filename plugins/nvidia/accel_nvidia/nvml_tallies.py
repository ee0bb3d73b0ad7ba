"""A GPU's counters: memory errors by kind of memory, energy, link traffic and link errors; and its InfoROM.

All counters but SRAM's come from one call for field values. Read only at depth "health".
Source  nvml.h: NVML_FI_DEV_*, nvmlEccSramErrorStatus_v1_t, nvmlDeviceValidateInforom
"""

from collections.abc import Mapping
from typing import TYPE_CHECKING, Any, Final

from accel_nvidia.model import EccCount
from accel_nvidia.nvml_forms import sram_errors
from accel_nvidia.nvml_questions import text

if TYPE_CHECKING:
    from accel_nvidia.nvml_session import Session

_ALL_LINKS: Final = 0xFFFFFFFF  # the scope that means every NVLink together
_KIB: Final = 1024
_OPTIONAL: Final = (3, 13, 25, 26)  # without the function the board lacks the feature too
CORRUPTED: Final = 14
_MEMORIES: Final = {  # field IDs: corrected and uncorrected since the driver was loaded, then over the lifetime
    "l1": (7, 8, 18, 19),
    "l2": (9, 10, 20, 21),
    "dram": (11, 12, 22, 23),
    "registers": (13, 14, 24, 25),
    "texture": (15, 16, 26, 27),
    "cbu": (None, 17, None, 28),
}
_COUNTS: Final = {  # (field id, scope): record field, factor
    (83, 0): ("energy_joules", 0.001),
    (138, _ALL_LINKS): ("nvlink_sent_bytes", _KIB),
    (139, _ALL_LINKS): ("nvlink_received_bytes", _KIB),
    (173, 0): ("pcie_corrected_errors", 1),
    (179, 0): ("pcie_nonfatal_errors", 1),
    (180, 0): ("pcie_fatal_errors", 1),
    (197, 0): ("pcie_sent_bytes", 1),
    (198, 0): ("pcie_received_bytes", 1),
}
WANTED: Final = (*_COUNTS, *((field, 0) for ids in _MEMORIES.values() for field in ids if field is not None))


def counted(values: Mapping[tuple[int, int], float]) -> dict[str, Any]:
    """Return the record fields from the field values; what the board does not count is left out."""
    found: dict[str, Any] = {}
    for key, (fact, factor) in _COUNTS.items():
        if key in values:
            amount = values[key] * factor
            found[fact] = amount if fact.endswith("joules") else int(amount)
    return found


def ecc_counts(values: Mapping[tuple[int, int], float]) -> tuple[EccCount, ...]:
    """Return the errors of each kind of memory that the board counts separately."""
    found = []
    for memory, ids in _MEMORIES.items():
        counts = [None if field is None or (field, 0) not in values else int(values[field, 0]) for field in ids]
        if any(count is not None for count in counts):
            found.append(
                EccCount(
                    memory=memory,
                    corrected_volatile=counts[0],
                    uncorrected_volatile=counts[1],
                    corrected_aggregate=counts[2],
                    uncorrected_aggregate=counts[3],
                )
            )
    return tuple(found)


def sram_facts(session: "Session", handle: Any, device: str) -> tuple[EccCount | None, bool | None]:
    """Return the SRAM's errors, and whether they exceed what the board may have; driver 550 on."""
    found = session.ask(
        "nvmlDeviceGetSramEccErrorStatus",
        session.nvml,
        handle,
        device=device,
        fact="ecc_counts",
        function=sram_errors,
        quiet=_OPTIONAL,
    )
    if found is None:
        return None, None
    count = EccCount(
        memory="sram",
        corrected_volatile=found.volatile_corrected,
        uncorrected_volatile=found.volatile_parity + found.volatile_secded,
        corrected_aggregate=found.aggregate_corrected,
        uncorrected_aggregate=found.aggregate_parity + found.aggregate_secded,
    )
    return count, bool(found.threshold_exceeded)


def inforom(session: "Session", handle: Any, device: str) -> dict[str, Any]:
    """Return the InfoROM's version and whether its checksums are correct; the latter None if that cannot be read."""
    version = session.ask(
        "nvmlDeviceGetInforomImageVersion", handle, device=device, fact="inforom_version", quiet=_OPTIONAL
    )
    valid = session.ask(
        "nvmlDeviceValidateInforom",
        session.nvml,
        handle,
        device=device,
        fact="inforom_valid",
        function=_validated,
        quiet=_OPTIONAL,
    )
    if valid is None and session.has_failed(device, CORRUPTED):
        valid = False
    return {"inforom_version": text(version), "inforom_valid": valid}


def _validated(nvml: Any, handle: Any) -> bool:
    nvml.nvmlDeviceValidateInforom(handle)
    return True
