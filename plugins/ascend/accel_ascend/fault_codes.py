"""The meaning of the codes that a chip reports, and the action that the most severe one requires."""

from collections.abc import Iterable, Sequence
from typing import Any, Final, Literal

from accel.vendors.contract.check import Remedy, Specs
from accel.vendors.contract.command import command_line, number_word
from accel.vendors.toolkit.table_steps import fix, fixes
from accel_ascend.chips import BACKEND
from accel_ascend.model import AscendDevice

_RESETS: Final = ("RestartNPU", "FreeRestartNPU")
_JOBS: Final = ("RestartBusiness", "RestartRequest")
_SEVERITIES: Final[dict[str | None, Literal["error", "warning", "info"]]] = {
    "SubHealthFault": "warning",
    "NotHandleFault": "info",
}


def of_chip(command: str, chip: AscendDevice | None) -> str | None:
    """Return a command of npu-smi for one chip; with a blank for its number if it is not known."""
    if chip is None or chip.npu_id is None:
        return command_line(command, "-i NPU_ID")
    place = 0 if chip.chip_id is None and " set " in command else chip.chip_id  # a setting needs it: most have one
    return command_line(
        command, "-i", number_word(chip.npu_id), *(("-c", number_word(place)) if place is not None else ())
    )


def meanings(codes: Iterable[str], specs: Specs) -> tuple[str, ...]:
    """Return "80E18402: HBM: 64 rows … (SeparateNPU)" for each known code, most severe first."""
    known = specs.errors.fault_codes(BACKEND)
    rows = {code.upper(): specs.errors.row(BACKEND, code.lower()) for code in codes}
    if known is not None:
        rows = dict(sorted(rows.items(), key=lambda row: known.rank(row[1].get("level"))))
    return tuple(
        f"{code}: {row['meaning']}" + (f" ({row['level']})" if row.get("level") else "")
        for code, row in rows.items()
        if row.get("meaning")
    )


def gravest(codes: Iterable[str], specs: Specs) -> dict[str, Any]:
    """Return the row of the most severe code; {} if no code's level is known."""
    known = specs.errors.fault_codes(BACKEND)
    rows = [dict(specs.errors.row(BACKEND, code.lower())) for code in codes]
    listed = [row for row in rows if row.get("level")]
    return min(listed, key=lambda row: known.rank(row["level"]), default={}) if known else {}


def severity(codes: Iterable[str], specs: Specs) -> Literal["error", "warning", "info"]:
    """Return the severity of the most severe code; "error" if no level is known."""
    return _SEVERITIES.get(gravest(codes, specs).get("level"), "error")


def remedies(codes: Sequence[str], specs: Specs, reset: str | None) -> tuple[Remedy, ...]:
    """Return what the most severe code requires. reset: the command that resets the chip; None if unknown."""
    row = gravest(codes, specs)
    level, cure = row.get("level"), row.get("cure", "")
    free = Remedy(text="When nothing runs on it, reset the chip.", command=reset, action="reset")
    if level is None:
        return (free, fix(specs, "ascend", "look-codes-up")) if reset else fixes(specs, "ascend", "look-codes-up")
    if level in _RESETS:
        return (Remedy(text=cure, command=reset, action="reset"),)
    if level in _JOBS and reset:
        first = Remedy(
            text="End the job on the chip, reset the chip, and start the job again.", command=reset, action="reset"
        )
        return (first, fix(specs, "ascend", "replace-card"))
    if level in _JOBS:
        return (Remedy(text=cure, action="app"),)
    return (Remedy(text=cure, action="service", kind="ask"),)
