"""Formats gpustat's line for one device."""

from collections.abc import Mapping
from typing import Any, Final

_NOT_LISTED: Final = "Not Supported"


def line_of(entry: Mapping[str, Any], shown: Mapping[str, Any], width: int | None = None) -> str:
    """Return "[0] NVIDIA L4 | 63°C,  97 % | 40964 / 81559 MB | root(20480M)"."""

    def cell(key: str, size: int = 3) -> str:
        return f"{'??' if entry[key] is None else entry[key]:>{size}}"

    name = entry["name"] or "?"
    if width is not None and len(name) > width:
        name = f"…{name[len(name) - width + 1 :]}" if width > 0 else ""
    parts = [f"[{entry['index']}] {name:{width or 0}} |{cell('temperature.gpu')}°C, "]
    if shown.get("show_fan_speed"):
        parts.append(f"{cell('fan.speed')} %, ")
    parts.append(f"{cell('utilization.gpu')} %")
    codecs = [key for key in ("enc", "dec") if key in (shown.get("show_codec") or "")]
    if codecs:
        parts.append(f" ({'  '.join(f'{key[0].upper()}: ' + cell(f'utilization.{key}') + ' %' for key in codecs)})")
    if power := shown.get("show_power"):
        limit = f" / {cell('enforced.power.limit')} W" if power is True or "limit" in power else " W"
        parts.append(f",  {cell('power.draw')}{limit}")
    parts.append(f" | {cell('memory.used', 5)} / {cell('memory.total', 5)} MB")
    if not shown.get("no_processes"):
        listed = entry["processes"]
        told = [f"({_NOT_LISTED})"] if listed is None else [_told(process, shown) for process in listed]
        parts.append(" |" + "".join(f" {text}" for text in told))
    return "".join(parts)


def _told(process: Mapping[str, Any], shown: Mapping[str, Any]) -> str:
    words = []
    if not shown.get("show_cmd") or shown.get("show_user"):
        words.append(process["username"] or "--")
    if shown.get("show_cmd"):
        words.append(process["command"] or "--")
    pid = f"/{process['pid']}" if shown.get("show_pid") else ""
    size = "?" if process["gpu_memory_usage"] is None else process["gpu_memory_usage"]
    return f"{':'.join(words)}{pid}({size}M)"
