"""`npu-smi info -t health -i N`, with or without `-c M`.

    NPU ID                         : 2944       Health Status     : Alarm
    Chip Count                     : 2          Error Code        : A4025021 8C03A000
                                                Error Information : ascend_monitor adda heart beat lost error
    Health                         : OK                           : node type=adda, event state=Heartbeat Lost.
    Chip ID                        : 0

Seen   23.0 to 26.0. The health of "Chip Name : MCU" is the controller's: without `-c` it can be the only one, while
       the chip itself is in alarm. Output without IDs is a fact "npu-health" of an unknown device.
"""

import re
from typing import Any, Final

from accel.model.observation import Noted
from accel.text.amounts import word
from accel.vendors.toolkit.notes import noted
from accel_ascend.readers.cells import health, is_health_word
from accel_ascend.readers.smi_query import query_reader
from accel_ascend.readers.smi_sections import MORE, Section


def _codes(text: str) -> tuple[str, ...] | None:
    """Return () for "NA", which means no codes; None if the text has no code."""
    if word(text) is None:
        return ()
    return tuple(code.upper() for code in re.findall(r"\b(?:0x)?([0-9A-Fa-f]{8})\b", text)) or None


def _information(text: str) -> tuple[str, ...] | None:
    lines = (word(line) for line in text.split(MORE))
    return tuple(line for line in lines if line is not None)


def _word(text: str) -> str | None:
    return text.strip() if is_health_word(text) else None


def _complete(facts: dict[str, Any]) -> dict[str, Any]:
    return facts | {"health": health(facts.get("health_text"))}


def _noted(section: Section, device: str | None) -> tuple[Noted, ...]:
    said = section.values.get("health status") or section.values.get("health") or ""
    if health(said) not in ("warning", "critical"):
        return ()
    codes = _codes(section.values.get("error code", "")) or ()
    information = section.values.get("error information", "").replace(MORE, "; ")
    told = {"health": said, "codes": " ".join(codes), "information": information}
    return (noted("npu-health", f"Health: {said}", "npu-smi info -t health", section.first_line, of=device, **told),)


READER: Final = query_reader(
    "npu-smi info -t health",
    ("Health Status", "Health  ", "Health :", "Health:"),
    {
        "health": ("health_text", _word),
        "health status": ("health_text", _word),
        "error code": ("error_codes", _codes),
        "error information": ("error_information", _information),
    },
    complete=_complete,
    noted=_noted,
)
