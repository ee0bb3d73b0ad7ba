"""GPUtil's API, answered by accel for devices of any vendor.

    from accel.apps.bridges import gputil as GPUtil

Units are GPUtil's: load and memoryUtil from 0 to 1, memory in MiB, temperature in °C. Unknown numbers are nan, unknown
texts "[N/A]", as nvidia-smi writes and GPUtil passes on. For the choice of devices see accel.apps.bridges.one_vendor.
"""
# ruff: noqa: N802, N803, N815 the names are GPUtil's

import random
import sys
import time
from collections.abc import Callable, Sequence
from math import isnan, nan
from typing import Any, Final, Literal

from accel.apps.bridges.one_vendor import whole_accelerators
from accel.model.dataclass import dataclass
from accel.model.device import Device

Order = Literal["first", "last", "random", "load", "memory"]
_MIB: Final = 1 << 20
_UNKNOWN: Final = "[N/A]"


@dataclass(frozen=True, slots=True, kw_only=True)
class GPU:
    """One device with GPUtil's attributes.

    id             the index used by the vendor's own tool, valid in its mask
    load           0 to 1; memoryUtil is used divided by total
    memoryTotal, memoryUsed, memoryFree   MiB
    display_mode, display_active          "Enabled", "Disabled" or "[N/A]"
    """

    id: int
    uuid: str
    load: float
    memoryTotal: float
    memoryUsed: float
    memoryFree: float
    driver: str
    name: str
    serial: str
    display_mode: str
    display_active: str
    temperature: float

    @property
    def memoryUtil(self) -> float:
        """The used fraction of the memory, 0 to 1."""
        return self.memoryUsed / self.memoryTotal if self.memoryTotal else nan


def getGPUs() -> list[GPU]:
    """Return all devices, read now; [] if there is none."""
    return [_gpu(device) for device in whole_accelerators(rarer=("display_active",))]


def getAvailability(
    GPUs: Sequence[GPU],
    maxLoad: float = 0.5,
    maxMemory: float = 0.5,
    memoryFree: float = 0,
    includeNan: bool = False,
    excludeID: Sequence[int] = (),
    excludeUUID: Sequence[str] = (),
) -> list[int]:
    """Return 1 for each device that is free enough, else 0. includeNan: an unknown load or memory passes."""

    def below(value: float, limit: float) -> bool:
        return value < limit or (includeNan and isnan(value))

    return [
        int(
            gpu.memoryFree >= memoryFree
            and below(gpu.load, maxLoad)
            and below(gpu.memoryUtil, maxMemory)
            and gpu.id not in excludeID
            and gpu.uuid not in excludeUUID
        )
        for gpu in GPUs
    ]


def getAvailable(
    order: Order = "first",
    limit: int = 1,
    maxLoad: float = 0.5,
    maxMemory: float = 0.5,
    memoryFree: float = 0,
    includeNan: bool = False,
    excludeID: Sequence[int] = (),
    excludeUUID: Sequence[str] = (),
) -> list[int]:
    """Return the ids of at most `limit` devices that are free enough.

    order  "first", "last", "random", "load" (least first), "memory" (lowest used fraction first)
    """
    gpus = getGPUs()
    free = getAvailability(gpus, maxLoad, maxMemory, memoryFree, includeNan, excludeID, excludeUUID)
    chosen = [gpu for gpu, is_free in zip(gpus, free, strict=True) if is_free]
    if order == "random":
        random.shuffle(chosen)
    elif order == "last":
        chosen.reverse()
    elif order in ("load", "memory"):
        fact = "load" if order == "load" else "memoryUtil"
        chosen.sort(key=lambda gpu: (isnan(getattr(gpu, fact)), getattr(gpu, fact)))
    return [gpu.id for gpu in chosen[: min(limit, len(chosen))]]


def getFirstAvailable(
    order: Order = "first",
    maxLoad: float = 0.5,
    maxMemory: float = 0.5,
    attempts: int = 1,
    interval: float = 900,
    verbose: bool = False,
    includeNan: bool = False,
    excludeID: Sequence[int] = (),
    excludeUUID: Sequence[str] = (),
) -> list[int]:
    """Return a list with the id of one device that is free enough, trying up to `attempts` times.

    interval  seconds between attempts

    Raises RuntimeError if none is free at the last attempt.
    """
    for attempt in range(attempts):
        found = getAvailable(order, 1, maxLoad, maxMemory, 0, includeNan, excludeID, excludeUUID)
        if verbose:
            _print(f"Attempt {attempt + 1} of {attempts}: {f'GPU {found} is free' if found else 'no GPU is free'}")
        if found:
            return found
        if attempt + 1 < attempts:
            time.sleep(interval)
    raise RuntimeError(
        f"Could not find an available GPU after {attempts} attempts with {interval} seconds interval. "
        "Raise maxLoad or maxMemory, or see what holds them:  accel devices"
    )


def showUtilization(all: bool = False, attrList: Any = None, useOldCode: bool = False) -> None:
    """Print a table. attrList: groups of columns in GPUtil's form; useOldCode is ignored."""
    groups = attrList or (_ALL if all else _FEW)
    gpus = getGPUs()
    columns = [[_column(spec, gpus) for spec in group] for group in groups]
    lines = [
        "".join("".join(f"| {column[row]} " for column in group) + "|" for group in columns)
        for row in range(len(gpus) + 1)
    ]
    for line in (lines[0], "-" * len(lines[0]), *lines[1:]):
        _print(line)


def _column(spec: dict[str, Any], gpus: Sequence[GPU]) -> list[str]:
    """Return the header and cells of a column, padded to equal width: numbers right-aligned, texts left-aligned."""
    suffix = str(spec.get("suffix", ""))
    change: Callable[[Any], Any] = spec.get("transform", lambda value: value)
    values = [change(getattr(gpu, spec["attr"])) for gpu in gpus]
    cells = [f"{v:.{spec['precision']}f}" if isinstance(v, float) and "precision" in spec else str(v) for v in values]
    width = max(len(spec["name"]), *(len(cell) + len(suffix) for cell in cells), 0)
    inner = width - len(suffix)
    sides = ["<" if isinstance(value, str) else ">" for value in values]
    rows = [f"{cell:{side}{inner}}{suffix}" for cell, side in zip(cells, sides, strict=True)]
    return [f"{spec['name']:<{width}}", *rows]


def _gpu(device: Device) -> GPU:
    active: bool | None = getattr(device, "display_active", None)
    return GPU(
        id=device.index,
        uuid=device.uuid or _UNKNOWN,
        load=nan if device.utilization_percent is None else device.utilization_percent / 100,
        memoryTotal=_mib(device.memory_total_bytes),
        memoryUsed=_mib(device.memory_used_bytes),
        memoryFree=_mib(device.memory_free_bytes),
        driver=device.driver_version or _UNKNOWN,
        name=device.name or _UNKNOWN,
        serial=device.serial or _UNKNOWN,
        display_mode=_UNKNOWN,
        display_active=_UNKNOWN if active is None else "Enabled" if active else "Disabled",
        temperature=nan if device.temperature_celsius is None else device.temperature_celsius,
    )


def _mib(size: int | None) -> float:
    """Return whole MiB, as nvidia-smi prints them."""
    return nan if size is None else float(size // _MIB)


def _print(line: str) -> None:
    sys.stdout.write(f"{line}\n")


def _percent(attribute: str, name: str) -> dict[str, Any]:
    return {"attr": attribute, "name": name, "suffix": "%", "transform": lambda share: share * 100, "precision": 0}


def _sized(attribute: str, name: str) -> dict[str, Any]:
    return {"attr": attribute, "name": name, "suffix": "MB", "precision": 0}


_FEW: Final = [[{"attr": "id", "name": "ID"}, _percent("load", "GPU"), _percent("memoryUtil", "MEM")]]
_ALL: Final = [
    [{"attr": a, "name": n} for a, n in (("id", "ID"), ("name", "Name"), ("serial", "Serial"), ("uuid", "UUID"))],
    [
        {"attr": "temperature", "name": "GPU temp.", "suffix": "C", "precision": 0},
        _percent("load", "GPU util."),
        _percent("memoryUtil", "Memory util."),
    ],
    [_sized("memoryTotal", "Memory total"), _sized("memoryUsed", "Memory used"), _sized("memoryFree", "Memory free")],
    [{"attr": "display_mode", "name": "Display mode"}, {"attr": "display_active", "name": "Display active"}],
]
