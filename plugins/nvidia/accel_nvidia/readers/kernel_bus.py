"""Kernel log messages about a GPU's bus, power states, and devices that no longer respond.

    NVRM: The NVIDIA GPU 0000:b3:00.0 / NVRM: (PCI ID: …) installed in this system has / NVRM: fallen off the bus …
    pcieport 0000:00:03.0: AER: Corrected error received: 0000:2d:00.0
    nvidia 0000:3b:00.0: PCIe Bus Error: severity=Uncorrected (Fatal), type=Transaction Layer, (Receiver ID)
    pcieport 0000:80:01.0: DPC: containment event, status:0x1f01 source:0x0000
    ACPI Error: Aborting method \\_SB.PC00.RP12.PXSX.GC6O due to previous error (AE_AML_LOOP_TIMEOUT)
    nvidia 0000:01:00.0: Unable to change power state from D3cold to D0, device inaccessible
    {1}[Hardware Error]:   section_type: PCIe error … device_id: 0000:c1:00.0       the firmware's report (APEI)
    -[0000:00]-+-00.0  Intel Corporation …      +-1c.5-[02]----00.0  Realtek …          lspci -tv

Seen    kernels 3.10 to 7.0, which write "Corrected", "Correctable", "error message received from" and "id=00e0".
Notes   gpu-off-bus (pci); pcie-error (severity: corrected, non-fatal, fatal; reporter, driver, device, pci_id);
        gpu-power-state (pci, what); behind-port (port, gpu: yes or no), if the tree names what is behind it
"""

import re
from collections.abc import Iterator
from typing import Final

from accel.model.dataclass import replace
from accel.model.observation import Noted
from accel.text.amounts import pci_address
from accel.text.pattern import pattern
from accel.vendors.contract.backend import Reader, Reading
from accel.vendors.toolkit.notes import noted, noted_at, reading_of

SOURCE: Final = "kernel log"
_FULL: Final = r"[0-9A-Fa-f]{4}:[0-9A-Fa-f]{2}:[0-9A-Fa-f]{2}\.[0-7]"
_LOST: Final = pattern(
    r"(?:The NVIDIA GPU|GPU at(?: PCI:)?|NVIDIA GPU|GPU)\s+(?:PCI:)?"
    r"([0-9A-Fa-f]{4,8}:[0-9A-Fa-f]{2}:[0-9A-Fa-f]{2}(?:\.[0-7])?)"
    r"(?:(?!Xid|\bGPU at\b|The NVIDIA GPU)[\s\S]){0,160}?fallen\s+off\s+the\s+bus",
    re.IGNORECASE,
)
_LOST_ALONE: Final = pattern(
    r"\bfallen\s+off\s+(?:of\s+)?the\s+(?:PCI[e\s-]{0,3})?bus\b|\bfell off the bus\b", re.IGNORECASE
)
_ROOT: Final = pattern(
    rf"(?:\b(\w[\w-]*) ({_FULL}): )?AER: (?:Multiple )?(Correct(?:ed|able)|Uncorrect(?:ed|able) \((?:Non-)?Fatal\))"
    r" errors? (?:message )?received(?: from|:)? ?(?:id=)?([0-9A-Fa-f:.]+)",
    re.IGNORECASE,
)
_DEVICE: Final = pattern(
    rf"(?:\b(\w[\w-]*) )?({_FULL}): (?:AER: )?PCIe Bus Error: severity="
    r"(Correct(?:ed|able)|Uncorrect(?:ed|able) ?\((?:Non-)?Fatal\))",
    re.IGNORECASE,
)
_CONTAINED: Final = pattern(
    rf"\b(\w[\w-]*) ({_FULL}): (?:DPC: containment event|AER: device recovery failed|AER: can't recover)", re.IGNORECASE
)
_IDS: Final = pattern(rf"({_FULL}):\s{{0,4}}device \[([0-9A-Fa-f]{{4}}:[0-9A-Fa-f]{{4}})\] error status", re.IGNORECASE)
_DETAIL: Final = pattern(rf"\b{_FULL}:\s{{2,8}}(?:device \[|\[\s{{0,2}}\d{{1,2}}\]|TLP Header:)", re.IGNORECASE)
_MOST_DETAILS: Final = 8  # lines of one message
_ACPI: Final = pattern(
    r"ACPI (?:BIOS )?Error[^\n]{0,40}?Aborting method \S*?"
    r"\.(GC6\w?|NC6\w?|PXSX\.\w{4}|PEGP\._\w{2,3}|NVP\w?\.\w{3,4}|_PS0|_PS3|PGON|PGOF)\b",
    re.IGNORECASE,
)
_STATE: Final = pattern(
    rf"\bnvidia\w* ({_FULL}): (?:Unable to change power state|can't change power state|Refused to change power state"
    r"|PM: (?:failed to (?:resume|suspend)|pci_pm_(?:resume|suspend))|not ready \d+ms after)",
    re.IGNORECASE,
)
_TREE: Final = pattern(r"^\s{0,8}-\[([0-9A-Fa-f]{4}):([0-9A-Fa-f]{2})\]-")
_BRANCH: Final = pattern(r"[+\\-]-([0-9A-Fa-f]{2}\.[0-7])(-\[[0-9A-Fa-f-]{2,8}\])?")
_NAMED_DEVICE: Final = pattern(r"[0-9A-Fa-f]{2}\.[0-7]\s{2}\S")
_NVIDIA: Final = "NVIDIA"
_FIRMWARE: Final = pattern(
    r"\[Hardware Error\]:\s{0,8}(?:(?P<what>event severity|section_type):\s{0,4}(?P<value>[^\n,]{1,40})"
    rf"|device_id:\s{{0,4}}(?P<device>{_FULL}))",
    re.IGNORECASE,
)
_MOST: Final = 300


def read(text: str) -> Iterator[Reading]:
    """Yield one reading with the statements of the whole text, in order."""
    found: list[Noted] = []
    covered: set[int] = set()
    for hit in _LOST.finditer(text):
        lost = noted_at("gpu-off-bus", hit, SOURCE, pci=pci_address(hit[1]))
        covered.update(range(lost.line or 0, (lost.last_line or 0) + 1))
        found.append(lost)
    for hit in _LOST_ALONE.finditer(text):
        alone = noted_at("gpu-off-bus", hit, SOURCE)
        if alone.line not in covered:
            covered.add(alone.line or 0)
            found.append(alone)
    lines = text.split("\n")
    found += _tree(lines)
    found += _firmware(lines)
    ids = {hit[1].lower(): hit[2].lower() for hit in _IDS.finditer(text)}
    for number, line in enumerate(lines, 1):
        if len(found) < _MOST and len(line) < 1000:
            found += (_whole(one, lines) for one in _of_line(line, number, ids))
    yield from reading_of(SOURCE, found)


def _firmware(lines: list[str]) -> Iterator[Noted]:
    """Yield the PCIe errors that the firmware reports: severity first, vendor number last."""
    severity, of_pcie = "corrected", False
    for number, line in enumerate(lines, 1):
        hit = _FIRMWARE.search(line) if "Hardware Error" in line else None
        if hit is None:
            continue
        what, value = (hit["what"] or "").lower(), (hit["value"] or "").strip().lower()
        if what == "event severity":
            words = {"fatal": "fatal", "recoverable": "non-fatal"}
            severity, of_pcie = words.get(value, "corrected"), False
        elif what == "section_type":
            of_pcie = "pcie" in value
        elif hit["device"] and of_pcie:
            after = " ".join(lines[number : number + 3])
            vendor = re.search(r"vendor_id:\s?0x([0-9a-f]{4}),\s?device_id:\s?0x([0-9a-f]{4})", after, re.IGNORECASE)
            address = hit["device"].lower()
            yield noted(
                "pcie-error",
                line,
                SOURCE,
                number,
                severity=severity,
                driver="nvidia" if vendor and vendor[1].lower() == "10de" else None,
                reporter=address,
                device=address,
                pci_id=f"{vendor[1]}:{vendor[2]}".lower() if vendor else None,
            )


def _tree(lines: list[str]) -> Iterator[Noted]:
    """Yield each root port in lspci's tree, with whether an NVIDIA device is behind it."""
    domain = bus = ""
    column = -1
    port: tuple[str, int] | None = None
    behind: list[str] = []
    for number, line in enumerate((*lines, ""), 1):
        root = _TREE.match(line)
        inside = root is None and column >= 0 and len(line) > column and line[column] in "+\\| "
        starts = bool(root) or (inside and line[column] in "+\\")
        if port and (starts or not inside):
            if any(_NAMED_DEVICE.search(text) for text in behind):
                gpu = "yes" if any(_NVIDIA in text for text in behind) else "no"
                yield noted("behind-port", behind[0], SOURCE, port[1], port=port[0], gpu=gpu)
            port, behind = None, []
        if root:
            domain, bus, column = root[1].lower(), root[2].lower(), root.end()
        elif not inside:
            column = -1
        if starts and (branch := _BRANCH.search(line, column)) and branch[2]:
            port, behind = (f"{domain}:{bus}:{branch[1].lower()}", number), [line]
        elif port:
            behind.append(line)


def _of_line(line: str, number: int, ids: dict[str, str]) -> Iterator[Noted]:
    if hit := _ROOT.search(line):
        yield noted(
            "pcie-error",
            line,
            SOURCE,
            number,
            severity=_severity(hit[3]),
            driver=(hit[1] or "").lower() or None,
            reporter=(hit[2] or "").lower() or None,
            device=_endpoint(hit[4]),
        )
    if hit := _DEVICE.search(line):
        address = hit[2].lower()
        yield noted(
            "pcie-error",
            line,
            SOURCE,
            number,
            severity=_severity(hit[3]),
            driver=(hit[1] or "").lower() or None,
            reporter=address,
            device=address,
            pci_id=ids.get(address),
        )
    if hit := _CONTAINED.search(line):
        address = hit[2].lower()
        yield noted(
            "pcie-error",
            line,
            SOURCE,
            number,
            severity="fatal",
            driver=hit[1].lower(),
            reporter=address,
            device=address,
            pci_id=ids.get(address),
        )
    if hit := _ACPI.search(line):
        yield noted("gpu-power-state", line, SOURCE, number, what=f"ACPI method {hit[1]}")
    if hit := _STATE.search(line):
        yield noted("gpu-power-state", line, SOURCE, number, what="power state", pci=hit[1].lower())


def _whole(one: Noted, lines: list[str]) -> Noted:
    """Return a device's error with its detail lines: "nvme 0000:04:00.0:   device [144d:a808] error …"."""
    device, last = dict(one.values).get("device"), one.line or 0
    while (
        device
        and one.fact == "pcie-error"
        and last < len(lines)
        and last - (one.line or 0) < _MOST_DETAILS
        and _DETAIL.search(lines[last])
        and device in lines[last].lower()
    ):
        last += 1
    return one if last == one.line else replace(one, last_line=last)


def _endpoint(printed: str) -> str | None:
    """Return the address of a message's source; older kernels print bus, device and function as one number."""
    if re.fullmatch(r"[0-9A-Fa-f]{4}", printed):
        number = int(printed, 16)
        return f"0000:{number >> 8:02x}:{(number >> 3) & 31:02x}.{number & 7}"
    return pci_address(printed.rstrip(".:"))


def _severity(words: str) -> str:
    """Return "corrected", "non-fatal" or "fatal"."""
    low = words.lower()
    if low.startswith("correct"):
        return "corrected"
    return "non-fatal" if "non-fatal" in low else "fatal"


READER: Final = Reader(
    name="PCIe errors",
    signs=(
        "off the bus",
        "AER:",
        "PCIe Bus Error",
        "Aborting method",
        "power state",
        "DPC:",
        "pci_pm_",
        "off of the",
        "PCIe error",
    ),
    read=read,
)
