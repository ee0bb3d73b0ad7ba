"""gpustat's API, answered by accel for devices of any vendor.

    from accel.apps.bridges import gpustat
    gpustat.new_query().print_formatted()

Units are gpustat's: memory in MB of 2^20 bytes and power in W, both rounded down, temperature in °C, utilisation in
percent. Unknown values are None. For the choice of devices see accel.apps.bridges.one_vendor. Output has no colours.
"""

import json
import platform
import sys
from collections.abc import Iterator, Mapping, Sequence
from datetime import datetime
from typing import Any, Final, TextIO, overload

from accel.apps.bridges.nvml_errors import NVMLError_LibraryNotFound
from accel.apps.bridges.one_vendor import none_here, whole_accelerators
from accel.model.dataclass import dataclass, field
from accel.model.device import Device, Process

Entry = dict[str, Any]
_MB: Final = 1 << 20

_NOT_LISTED: Final = "Not Supported"


def _fact(key: str, says: str | None = None) -> Any:
    """Return a property that reads this key of the entry."""
    return property(lambda stat: stat.entry[key], doc=says)


@dataclass(frozen=True, slots=True)
class GPUStat:
    """One device. entry has gpustat's keys ("memory.used"); stat["memory.used"] reads one."""

    entry: Entry

    def keys(self) -> Any:
        """Return the keys of the entry."""
        return self.entry.keys()

    def __getitem__(self, key: str) -> Any:
        return self.entry[key]

    def __str__(self) -> str:
        return line_of(self.entry, {})

    @property
    def available(self) -> bool:
        """Return whether any facts of the device could be read."""
        return self.entry["name"] is not None

    @property
    def index(self) -> int:
        """The index used by the vendor's own tool."""
        number: int = self.entry["index"]
        return number

    uuid = _fact("uuid")
    name = _fact("name")
    memory_total = _fact("memory.total", "MB of 2^20 bytes.")
    memory_used = _fact(
        "memory.used", "MB of 2^20 bytes, excluding memory reserved by the driver if reported separately."
    )
    temperature = _fact("temperature.gpu", "°C.")
    fan_speed = _fact("fan.speed", "Percent.")
    utilization = _fact("utilization.gpu", "Percent.")
    utilization_enc = _fact("utilization.enc", "Percent.")
    utilization_dec = _fact("utilization.dec", "Percent.")
    power_draw = _fact("power.draw", "Watts.")
    power_limit = _fact("enforced.power.limit", "Watts; the enforced limit.")

    @property
    def memory_free(self) -> int | None:
        """Total minus used, MB."""
        total, used = self.memory_total, self.memory_used
        return None if total is None or used is None else max(total - used, 0)

    memory_available = memory_free  # the same

    @property
    def processes(self) -> list[Entry] | None:
        """The processes on the device; None if they could not be listed."""
        listed: list[Entry] | None = self.entry["processes"]
        return listed

    def jsonify(self) -> Entry:
        """Return a copy of the entry."""
        return dict(self.entry)


@dataclass(frozen=True, slots=True)
class GPUStatCollection(Sequence[GPUStat]):
    """The devices of one query, in order, with the machine's name, the time and the driver version."""

    gpus: list[GPUStat]
    driver_version: str | None = None
    hostname: str = field(default_factory=platform.node)
    query_time: datetime = field(default_factory=datetime.now)

    @classmethod
    def new_query(cls, debug: bool = False, id: str | Sequence[int | str] | None = None) -> "GPUStatCollection":
        """Read every device now; id: only these indices ("0,2").

        debug is accepted but ignored: accel.snapshot() has what could not be read, and why. Raises
        NVMLError_LibraryNotFound if there is no accelerator, as gpustat does without NVML.
        """
        devices = whole_accelerators(rarer=("fan_percent", "encoder_percent", "decoder_percent"))
        if not devices:
            raise NVMLError_LibraryNotFound from none_here()
        places = range(len(devices)) if id is None else map(int, id.split(",") if isinstance(id, str) else id)
        chosen = [devices[place] for place in places]
        driver = next((d.driver_version for d in devices if d.driver_version is not None), None)
        return cls([GPUStat(_entry(device)) for device in chosen], driver)

    def __len__(self) -> int:
        return len(self.gpus)

    def __iter__(self) -> Iterator[GPUStat]:
        return iter(self.gpus)

    @overload
    def __getitem__(self, index: int) -> GPUStat: ...

    @overload
    def __getitem__(self, index: slice) -> list[GPUStat]: ...

    def __getitem__(self, index: int | slice) -> GPUStat | list[GPUStat]:
        return self.gpus[index]

    def jsonify(self) -> Entry:
        """Return what print_json writes, with query_time as a datetime."""
        return {
            "hostname": self.hostname,
            "driver_version": self.driver_version,
            "query_time": self.query_time,
            "gpus": [gpu.jsonify() for gpu in self],
        }

    def print_json(self, fp: TextIO | None = None) -> None:
        """Write the query as JSON."""
        json.dump(self.jsonify(), fp or sys.stdout, indent=4, separators=(",", ": "), default=datetime.isoformat)
        (fp or sys.stdout).write("\n")

    def print_formatted(
        self,
        fp: TextIO | None = None,
        *,
        force_color: bool = False,
        no_color: bool = False,
        show_header: bool = True,
        eol_char: str = "\n",
        gpuname_width: int | None = None,
        **shown: Any,
    ) -> None:
        """Write one line per device.

        shown: gpustat's show_cmd, show_user, show_pid, show_fan_speed, show_codec, show_power and no_processes. Raises
        ValueError if both colour options are given; neither has an effect.
        """
        if force_color and no_color:
            raise ValueError("force_color and no_color contradict each other. Give one of them.")
        out = fp or sys.stdout
        width = max((len(gpu.name or "?") for gpu in self), default=0) if gpuname_width is None else gpuname_width
        if show_header:
            when = self.query_time.strftime("%a %b %e %H:%M:%S %Y" if sys.platform != "win32" else "%Y-%m-%d %H:%M:%S")
            out.write(f"{self.hostname:{width + 3}}  {when}  {self.driver_version or '??'}{eol_char}")
        for gpu in self:
            out.write(line_of(gpu.entry, shown, width) + eol_char)
        out.flush()


def new_query() -> GPUStatCollection:
    """Read every device now."""
    return GPUStatCollection.new_query()


def gpu_count() -> int:
    """Return the number of devices; 0 if there is none."""
    return len(whole_accelerators())


def is_available() -> bool:
    """Return whether there is a device."""
    return gpu_count() > 0


def print_gpustat(*, id: str | None = None, json: bool = False, debug: bool = False, **shown: Any) -> None:
    """Query and print, as JSON or as text lines."""
    found = GPUStatCollection.new_query(debug=debug, id=id)
    if json:
        found.print_json()
    else:
        found.print_formatted(**shown)


def _entry(device: Device) -> Entry:
    return {
        "index": device.index,
        "uuid": device.uuid,
        "name": device.name,
        "temperature.gpu": _whole(device.temperature_celsius),
        "fan.speed": _whole(getattr(device, "fan_percent", None)),
        "utilization.gpu": _whole(device.utilization_percent),
        "utilization.enc": _whole(getattr(device, "encoder_percent", None)),
        "utilization.dec": _whole(getattr(device, "decoder_percent", None)),
        "power.draw": _whole(device.power_watts),
        "enforced.power.limit": _whole(device.power_limit_watts),
        "memory.used": _mb(device.memory_used_bytes),
        "memory.total": _mb(device.memory_total_bytes),
        "processes": None if device.processes is None else [_process(one) for one in device.processes],
    }


def _process(process: Process) -> Entry:
    """Return the entry of a process. Its arguments and CPU usage, which accel does not read, are None."""
    return {
        "username": process.user,
        "command": None if process.name is None else process.name.replace("\\", "/").rpartition("/")[2],
        "full_command": None,
        "gpu_memory_usage": _mb(process.memory_bytes),
        "cpu_percent": None,
        "cpu_memory_usage": None,
        "pid": process.pid,
    }


def _whole(value: float | None) -> int | None:
    return None if value is None else int(value)


def _mb(size: int | None) -> int | None:
    return None if size is None else size // _MB


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
