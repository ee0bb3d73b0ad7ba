"""The table of `xpu-smi health -l` (all GPUs) or `-d N`: the tool's status of each part of a GPU.

    | Device ID                    | 0                                                                 |
    +------------------------------+-------------------------------------------------------------------+
    | 1. GPU Core Temperature      | Status: Ok                                                        |
    |                              | Description: All temperature sensors are healthy.                 |
    |                              | Throttle Threshold: 105 Celsius Degree                            |
    | 4. GPU Memory                | Status: Critical                                                  |
    |                              | Description: The device has uncorrectable memory errors.          |

Statuses are Ok, Warning, Critical, Unknown. The layout is that of xpu-smi's documentation, 1.0 to 2.0; the first
releases, and xpumcli, omit the parts' numbers.
Notes  intel-gpu-part (gpu, part, status), for each part with status Warning or Critical
"""

from collections.abc import Iterator
from typing import Final

from accel.model.dataclass import replace
from accel.model.device import Health
from accel.model.observation import Noted
from accel.model.report import Report
from accel.text.pattern import pattern
from accel.vendors.contract.backend import Reader, Reading
from accel.vendors.toolkit.notes import noted
from accel_intel.model import BACKEND, intel_gpu
from accel_intel.readers.properties import whole

_ROW: Final = pattern(r"^\s*\|(?P<left>[^|]*)\|(?P<right>[^|]*)(?:\|\s*)?$")
_PART: Final = pattern(r"^(?:\d{1,2}\. )?(?P<name>[A-Z]\w.*)$")
_MEMORY: Final = "GPU Memory"  # a GPU counts as healthy only if this part reports ok
_HEALTH: Final[dict[str, Health]] = {"ok": "ok", "warning": "warning", "critical": "critical"}


def _read(text: str) -> Iterator[Reading]:
    parts: dict[int, dict[str, str]] = {}
    said: dict[tuple[int, str], str] = {}
    lines: dict[tuple[int, str], int] = {}
    current: int | None = None
    part = ""
    for number, line in enumerate(text.splitlines(), 1):
        row = _ROW.match(line)
        if not row:
            continue
        left, right = row["left"].strip(), row["right"].strip()
        if left == "Device ID":
            current, part = whole(right), ""
            continue
        named = _PART.match(left)
        part = named["name"] if named else "" if left else part
        key, colon, value = right.partition(":")
        if current is None or current >= 1000 or not part or not colon:
            continue
        if key == "Status" and value.strip().lower() in (*_HEALTH, "unknown"):
            lines.setdefault((current, part), number)
            parts.setdefault(current, {})[part] = value.strip().lower()
        elif key == "Description":
            said.setdefault((current, part), value.strip())
    if parts:
        report = Report(
            backend=BACKEND,
            source=READER.name,
            trust=55,
            devices=tuple(replace(intel_gpu(index), health=_health(parts[index])) for index in sorted(parts)),
            observations=tuple(_unwell(parts, said, lines)),
        )
        yield Reading(source=READER.name, reports=(report,), first_line=min(lines.values()))


def _health(parts: dict[str, str]) -> Health:
    """Return the worst reported status; "ok" only if the memory is reported as ok."""
    for word in ("critical", "warning"):
        if word in parts.values():
            return _HEALTH[word]
    return "ok" if parts.get(_MEMORY) == "ok" else "unknown"


def _unwell(
    parts: dict[int, dict[str, str]], said: dict[tuple[int, str], str], lines: dict[tuple[int, str], int]
) -> Iterator[Noted]:
    for index, statuses in sorted(parts.items()):
        for part, status in statuses.items():
            if status in ("warning", "critical"):
                why = said.get((index, part))
                told = f"{part}: {status.capitalize()}" + (f", {why}"[:160] if why else "")
                place = lines.get((index, part))
                yield noted(
                    "intel-gpu-part",
                    told,
                    READER.name,
                    place,
                    of=f"{BACKEND}:{index}",
                    gpu=str(index),
                    part=part,
                    status=status,
                )


READER: Final = Reader(name="xpu-smi health", signs=("Status: ",), read=_read)
