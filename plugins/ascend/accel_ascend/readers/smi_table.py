"""The table of `npu-smi info`, in all widths.

    | npu-smi 25.2.0                   Version: 25.2.0                                               |
    | NPU   Name                | Health        | Power(W)    Temp(C)           Hugepages-Usage(page)|
    | Chip  Phy-ID              | Bus-Id        | AICore(%)   Memory-Usage(MB)  HBM-Usage(MB)        |
    | 0     Ascend910           | OK            | 163.4       29                0    / 0             |
    | 0     0                   | 0000:9D:00.0  | 0           0    / 0          3145 / 65536         |

Seen   1.8.21, 20.2 to 26.0, on 310, 310P, 910, 910B, A3 and 950, 80 to 116 columns wide
Varies the second id: none (910, 910B), "Device" (310, 310P: the logic id), "Phy-ID" (A3); no HBM column (310, 310P);
       no hugepages (before 21.0.4); the second die of an A3 module prints its power as "-", a 310P card as "NA";
       950: "NPU ID" and "Name" are cells of their own, there is no chip, and "NPU Util(%)" stands for "AICore(%)"
So     cells are split at bars and identified by the header's words, never by position. Without a header (a copy from
       the middle) only rows with an Ascend chip's name count. The last figure of a truncated line is dropped.
"""

import re
from collections.abc import Iterator
from typing import Final

from accel.model.dataclass import replace
from accel.model.device import Gap
from accel.model.report import Driver, Report
from accel.text.amounts import capacity, count, mebibytes, number, pci_address, word
from accel.text.columns import Columns
from accel.text.pattern import pattern
from accel.vendors.contract.backend import Reader, Reading
from accel_ascend.chips import BACKEND, VENDOR, family, numbered
from accel_ascend.model import AscendDevice
from accel_ascend.readers.cells import health
from accel_ascend.readers.smi_processes import with_processes
from accel_ascend.readers.smi_rows import Chip, Table, tables

SOURCE: Final = "npu-smi info"
TRUST: Final = 60
_SIGNS: Final = ("npu-smi", "Hugepages-Usage", "HBM-Usage", "AICore(%)", "NPU Util(%)", "| OK ", "| Critical ")
_TOKEN: Final = pattern(r"(?:(?:N/A|[^\s/]+)\s{0,5})?/(?:\s{0,2}[^\s/]+)?|[^\s/]+")
_FIRST: Final = Columns(("power", "temp", "hugepages-usage"), ())
_SECOND: Final = Columns(("aicore", "memory-usage", "hbm-usage"), ())


def read(text: str) -> Iterator[Reading]:
    """Yield one reading per table."""
    for table in tables(text):
        devices, gaps = _devices(table)
        if not devices and table.driver_version is None:
            continue
        driver = None
        if table.driver_version or table.tool_version:
            driver = Driver(version=table.driver_version, library_version=table.tool_version)
        devices, more = with_processes(devices, table.processes)
        report = Report(
            backend=BACKEND,
            source=SOURCE,
            status="partial" if gaps else "ok",
            trust=TRUST,
            driver=driver,
            devices=devices,
            gaps=gaps + more,
        )
        yield Reading(source=SOURCE, reports=(report,), first_line=table.first_line, last_line=table.last_line)


def _devices(table: Table) -> tuple[tuple[AscendDevice, ...], tuple[Gap, ...]]:
    found: list[AscendDevice] = []
    gaps: list[Gap] = []
    for chip in table.chips:
        device = _device(chip, table)
        if device is None:
            which = "it is" if chip.npu_id is None else f"of NPU {chip.npu_id} it is"
            reason = f"the table does not show legibly which chip {which}"
            gaps.append(Gap(fact="index", reason=reason, backend=BACKEND, source=SOURCE))
        else:
            found.append(device)
    devices = _numbered(found)
    for device in devices:
        if device.power_watts is None:
            reason = "npu-smi prints no figure in this chip's Power column"
            gaps.append(Gap(fact="power_watts", reason=reason, device=device.id, backend=BACKEND, source=SOURCE))
    return devices, tuple(gaps)


def _numbered(devices: list[AscendDevice]) -> tuple[AscendDevice, ...]:
    """Number the chips of an NPU that has several and no second ID column."""
    if len({d.index for d in devices}) == len(devices):
        return tuple(devices)
    if len({(d.npu_id, d.chip_id) for d in devices}) < len(devices):  # one table pasted into another: the last counts
        once = {(d.npu_id, d.chip_id): d for d in devices}
        devices = list(once.values())
    if len({d.index for d in devices}) == len(devices):
        return tuple(devices)
    numbers = numbered([(d.npu_id or 0, d.chip_id or 0) for d in devices])
    return tuple(replace(d, id=f"{BACKEND}:{n}", index=n) for d, n in zip(devices, numbers, strict=True))


def _device(chip: Chip, table: Table) -> AscendDevice | None:
    first = _named(chip.first, chip.first_closed, table.first_columns or _FIRST)
    second = _named(chip.second or "", chip.second_closed, table.second_columns or _SECOND)
    second_id = count(chip.second_id or "")
    column = table.id_column
    if column is None and second_id is not None:  # a copy without header: only 310 and 310P call it "Device"
        column = "device" if re.match(r"(Ascend ?)?310", chip.name, re.IGNORECASE) else "phy-id"
    physical = second_id if column == "phy-id" else None
    logic = second_id if column == "device" else None
    index = next((n for n in (physical, logic) if n is not None), None)
    if index is None:
        has_ids = column is not None or any(other.second_id for other in table.chips)
        if has_ids or (chip.second is None and not table.first_columns):
            return None
        index = chip.npu_id
        if index is None:
            return None
    hugepages_used, hugepages_total = _pair(first.get("hugepages-usage"))
    ddr_used, ddr_total = _pair(second.get("memory-usage"))
    hbm_used, hbm_total = _pair(second.get("hbm-usage"))
    has_hbm = bool(count(hbm_total))
    tells_hbm = table.second_columns is not None and "hbm-usage" in table.second_columns.names
    unread = tells_hbm and count(hbm_total) is None  # DDR does not replace an unreadable HBM size
    total = None if unread else capacity(hbm_total if has_hbm else ddr_total)
    used = mebibytes(hbm_used if has_hbm else ddr_used) if total else None
    utilization = number(second.get("aicore", "") or second.get("npu util", ""))
    return AscendDevice(
        id=f"{BACKEND}:{index}",
        index=index,
        backend=BACKEND,
        vendor=VENDOR,
        kind="npu",
        name=word(chip.name),
        npu_id=chip.npu_id,
        chip_id=chip.chip_id,
        physical_id=physical,
        logic_id=logic,
        architecture=family(chip.name, column == "phy-id", count(ddr_total)),
        pci_address=pci_address(chip.bus_id or ""),
        driver_version=table.driver_version,
        memory_total_bytes=total,
        memory_used_bytes=used,
        memory_free_bytes=total - used if total is not None and used is not None and used <= total else None,
        hbm_total_bytes=capacity(hbm_total),
        hbm_used_bytes=mebibytes(hbm_used) if has_hbm else None,
        ddr_total_bytes=capacity(ddr_total),
        ddr_used_bytes=mebibytes(ddr_used) if count(ddr_total) else None,
        hugepages_total=count(hugepages_total),
        hugepages_used=count(hugepages_used),
        utilization_percent=utilization,
        aicore_percent=number(second.get("aicore", "")),
        temperature_celsius=number(first.get("temp", "")),
        power_watts=number(first.get("power", "")),
        health=health(chip.health),
        health_text=word(chip.health) or chip.health or None,
    )


def _named(cell: str, closed: bool, head: Columns) -> dict[str, str]:
    """Return a cell's figures by its header's words; the last figure of a truncated line may be truncated too."""
    found = list(_TOKEN.finditer(cell.expandtabs()))
    if not closed:
        found = found[:-1]
    tokens = [match[0] for match in found]
    if len(tokens) == len(head.names):
        return dict(zip(head.names, tokens, strict=True))
    if head.spans and (placed := head.below(found)):
        return placed
    figures = [name for name in head.names if "usage" not in name]
    pairs = [t for t in tokens if "/" in t]
    singles = [t for t in tokens if "/" not in t]
    if len(singles) != len(figures) and closed:  # one is blank, and it is unknown which
        singles = []
    usages = [name for name in head.names if "usage" in name]
    if len(pairs) != len(usages) and closed and head.spans:
        pairs = []
    return dict(zip(figures, singles, strict=False)) | dict(zip(usages, pairs, strict=False))


def _pair(text: str | None) -> tuple[str, str]:
    used, _, total = (text or "").partition("/")
    return used.strip(), total.strip()


READER: Final = Reader(name="npu-smi table", signs=_SIGNS, read=read)
