"""The output of `mthreads-gmi -q`, as text or, with --json, as JSON.

    Driver Version                     : 3.3.5-server          {"Driver Version": "3.3.5-server",
    Attached GPUs                      : 8                      "Attached GPUs": "8",
    GPU0 00000000:2a:00.0                                       "GPU": [{
        Product Name                   : MTT S5000                "Index": "0", "Product Name": "MTT S5000",
        GPU UUID                       : 399282a8-ba01-…          "GPU UUID": "399282a8-ba01-…",
        MTBios Version                 : 4.3.41                   "MTBios Version": "4.3.41",
        FB Memory Usage                                           "FB Memory Usage": {
            Total                      : 81920MiB                   "Total": "81920MiB", "Used": "0MiB"},
        Power Readings                                            "Power Readings": {
            Power Draw                 : 96.66W                     "Power Draw ": "96.66W"}}]}

Seen    the JSON of driver 3.3.5; the text as parsed by other programs: its keys are the same. nvidia-smi -q looks
        similar, so a block needs an MTT product or an MTBios. Keys may end in a space. Each pair belongs to
        the nearest heading above, in truncated JSON too.
"""

import json
from collections.abc import Iterator
from typing import Final

from accel.model.dataclass import dataclass, field
from accel.model.report import Driver, Report
from accel.text.amounts import count, pci_address, quantity, size_bytes, word
from accel.text.lines import broken_line, whole_amount
from accel.text.pattern import pattern
from accel.vendors.contract.backend import Reader, Reading
from accel_mthreads import VENDOR
from accel_mthreads.model import MThreadsDevice
from accel_mthreads.readers.lanes import lanes

SOURCE: Final = "mthreads-gmi -q"
TRUST: Final = 65
_HEAD: Final = pattern(
    r"\s*GPU(?:\s*(\d{1,3}))?(?:\s*:)?(?:\s*((?:[0-9A-Fa-f]{4,8}:)?[0-9A-Fa-f]{2}:[0-9A-Fa-f]{2}\.[0-7]))?\s*"
)
_ID: Final = pattern(r"[0-9a-f]{4}")
_PAIR: Final = pattern(r"\s*\"?([A-Za-z][^\s\":|]*(?:\s+[^\s\":|]+)*)(?:\s*\")?\s*:(.*)")
_TITLE: Final = pattern(r"\s*\"?([A-Za-z][\w()/.-]*(?: +[\w()/.-]+)*)(?:\s*\")?(?:\s*:)?(?:\s*[{\[])?\s*")


@dataclass(slots=True)
class _Gpu:
    index: int | None = None
    title: str = ""
    values: dict[str, str] = field(default_factory=dict)  # "title/key" and "key", lower case; the first counts


def read(text: str) -> Iterator[Reading]:
    """Yield one reading of all GPUs in the text."""
    driver: str | None = None
    gpus: list[_Gpu] = []
    for line in _lines(text):
        head = _HEAD.fullmatch(line)
        if head and (head[1] or head[2]):
            gpus.append(_Gpu(index=int(head[1]) if head[1] else None))
            if head[2]:
                gpus[-1].values["bus id"] = head[2]
            continue
        pair = _PAIR.fullmatch(line)
        value = _bare(pair[2]) if pair else ""
        if pair and value not in ("", "{", "["):
            key = pair[1].lower()
            if key == "driver version":
                driver = driver or word(value)
            elif not gpus or _begins(key, gpus[-1]):
                gpus.append(_Gpu())
            gpus = gpus or [_Gpu()]
            path = f"{gpus[-1].title}/{key}"
            gpus[-1].values.setdefault(path, value)
            gpus[-1].values.setdefault(key, value)
        elif gpus and (title := _TITLE.fullmatch(line)):
            gpus[-1].title = title[1].lower()
    yield from _reading(gpus, driver)


def _bare(value: str) -> str:
    """Return a value without JSON's comma and quote marks."""
    return value.strip().removesuffix(",").strip().removeprefix('"').removesuffix('"')


def _begins(key: str, gpu: _Gpu) -> bool:
    """Return whether this key starts the next GPU: in JSON its index, in filtered text its name."""
    if key == "index":
        return True
    return key == "product name" and key in gpu.values


def _lines(text: str) -> Iterator[str]:
    """Yield the lines, with one pair per line for single-line JSON, without a value at the truncated end."""
    broken = broken_line(text)
    for number, line in enumerate(text.splitlines(), 1):
        pair = _PAIR.fullmatch(line) if number == broken else None
        if pair and not (line.rstrip(" ,").endswith('"') or whole_amount(_bare(pair[2]))):
            continue
        if line.count('":') > 2:
            at = line.find("{")
            try:
                value, _ = json.JSONDecoder().raw_decode(line, at) if at >= 0 else (None, 0)
            except (ValueError, RecursionError):
                value = None
            if isinstance(value, dict):
                yield from json.dumps(value, indent=1).splitlines()
                continue
        yield line


def _reading(gpus: list[_Gpu], driver: str | None) -> Iterator[Reading]:
    ours = [gpu for gpu in gpus if _is_ours(gpu)]
    devices = {d.id: d for place, gpu in enumerate(ours) for d in [_device(gpu, place, driver)]}
    if devices:
        report = Report(
            backend=VENDOR.name,
            source=SOURCE,
            trust=TRUST,
            driver=Driver(version=driver) if driver else None,
            devices=tuple(devices.values()),
        )
        yield Reading(source=SOURCE, reports=(report,))


def _is_ours(gpu: _Gpu) -> bool:
    return gpu.values.get("product name", "").upper().startswith("MTT") or "mtbios version" in gpu.values


def _device(gpu: _Gpu, place: int, driver: str | None) -> MThreadsDevice:
    values = gpu.values
    index = count(values.get("index"))
    index = gpu.index if index is None else index
    index = place if index is None else index
    vendor, device = (values.get(f"{key} id", "").lower().removeprefix("0x") for key in ("vendor", "device"))
    return VENDOR.device(
        index,
        name=word(values.get("product name")),
        uuid=word(values.get("gpu uuid")),
        serial=word(values.get("serial number")),
        firmware_version=word(values.get("mtbios version")),
        driver_version=driver,
        pci_address=pci_address(values.get("bus id")),
        pci_id=f"{vendor}:{device}" if _ID.fullmatch(vendor) and _ID.fullmatch(device) else None,
        memory_total_bytes=size_bytes(values.get("fb memory usage/total"), unit_needed=True) or None,
        memory_used_bytes=size_bytes(values.get("fb memory usage/used"), unit_needed=True),
        memory_free_bytes=size_bytes(values.get("fb memory usage/free"), unit_needed=True),
        utilization_percent=quantity(values.get("utilization/gpu"), "%"),
        memory_utilization_percent=quantity(values.get("utilization/memory"), "%"),
        temperature_celsius=quantity(values.get("gpu current temp"), "c"),
        power_watts=quantity(values.get("power draw"), "w"),
        power_limit_watts=quantity(values.get("current power limit", values.get("power limit")), "w"),
        pcie_lanes=lanes(values.get("link width/current"))[0],
        pcie_lanes_max=lanes(values.get("link width/max"))[0],
        ecc_mode=word(values.get("ecc mode/current", values.get("ecc mode"))),
        performance_state=word(values.get("performance state")),
    )


READER: Final = Reader(name=SOURCE, signs=("MTBios", ": MTT ", '"MTT '), read=read)
