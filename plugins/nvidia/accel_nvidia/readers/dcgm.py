"""DCGM's statements about GPUs: the sentences of `dcgmi diag` and `dcgmi health`, and its fields.

    | GPU Memory                | Fail - GPU: 2                                 |
    | Warning                   | GPU 2 had memory errors and row remappings a  |
    |                           | re pending                                    |
    DCGM_FI_DEV_ROW_REMAP_FAILURE (395)   1
    DCGM_FI_DEV_CLOCKS_EVENT_REASONS{gpu="0",…} 128
    $ dcgmi dmon -e 395,150
    #Entity   RRF   TMPTR
    GPU 1     1     41

Seen    DCGM 2.3 to 4.4. dcgmi breaks words at the end of a column, so sentences are compared without spaces.
Notes   row-remap-waits, row-remap-failure, page-retirement-waits (kind), ecc-uncorrectable, inforom-corrupt,
        thermal-violation, power-brake-said, nvlink-said-down (gpu, link), nvlink-count-low (up, expected),
        pcie-replays-said, pcie-link-said-slow, sxid: each with `gpu`; dcgm-unhealthy (system, state), a row of
        `dcgmi health`. Blank and N/A values say nothing.
"""

from collections.abc import Iterator
from typing import Final

from accel.model.observation import Noted
from accel.text.pattern import Pattern, pattern
from accel.vendors.contract.backend import Reader, Reading
from accel.vendors.toolkit.notes import noted, reading_of

SOURCE: Final = "DCGM"
_SENTENCES: Final[tuple[tuple[str, str], ...]] = (
    ("row-remap-waits", r"GPUhad(?:uncorrectable)?memoryerrorsandrowremappingsarepending"),
    ("row-remap-waits", r"pendingrowremap(?:ping)?s?(?:on|for|in)GPU"),
    ("row-remap-failure", r"GPUhaduncorrectablememoryerrorsandrowremappingfailed"),
    ("ecc-uncorrectable", r"GPUhaduncorrectablememoryerrorsand\d+rowswereremapped"),
    ("page-retirement-waits", r"apendingretiredpagehasbeendetectedinGPU"),
    ("page-retirement-waits", r"pendingpageretirementstogetherwithadbeweredetectedonGPU"),
    ("ecc-uncorrectable", r"detected[1-9]\d*volatiledouble-biteccerror\(?s?\)?inGPU"),
    ("ecc-uncorrectable", r"adouble-biteccerrorhasoccur+edonGPU"),
    ("ecc-uncorrectable", r"found[1-9]\d*faultymemoryelementsonGPU"),
    ("ecc-uncorrectable", r"gpuhadanuncontainederror\(xid95\)"),
    ("inforom-corrupt", r"corruptinforomhasbeendetectedinGPU"),
    ("thermal-violation", r"thermalviolationstotall?ing[\d.]+seconds(?:startedat[\d.]+secondsintothetest)?(?:forGPU)?"),
    ("thermal-violation", r"clocks?(?:throttling|event)duetothermalviolationinGPU"),
    ("thermal-violation", r"temperature\d+ofGPUexceededuser-specifiedmaximum"),
    ("thermal-violation", r"clocksarebeingthrottledforGPUbecause.{0,160}?(?:thermal|heat)"),
    ("power-brake-said", r"clocksarebeingthrottledforGPUbecause.{0,160}?(?:powerbrake|hwslowdown)"),
    ("nvlink-said-down", r"GPU'?snvlinklink(?P<link>\d{1,2})iscurrentlydown"),
    ("nvlink-count-low", r"only(?P<up>\d{1,3})nvlinksareupoutoftheexpected(?P<expected>\d{1,3})"),
    ("sxid", r"detected(?P<kind>nonfatal|fatal)errorsonnvswitch(?P<switch>\d{1,3})link"),
    ("pcie-replays-said", r"detectedmorethan\d+pciereplaysperminuteforGPU"),
    ("pcie-replays-said", r"GPUhost-sidepciereplayviolation"),
    ("pcie-link-said-slow", r"GPUisrunningatpcilink(?:generation|width)(?P<now>\d{1,2})x?,whichisbelowtheminimum"),
)
_FORMS: Final[tuple[tuple[str, Pattern], ...]] = tuple(
    (fact, pattern(form.replace("GPU", r"gpu(?P<gpu>\d{1,3})"))) for fact, form in _SENTENCES
)
_FIELD: Final = pattern(
    r"\bDCGM_FI_DEV_(ROW_REMAP_FAILURE|ROW_REMAP_FAILED|ROW_REMAP_PENDING|RETIRED_PENDING|PAGE_RETIRED_PENDING"
    r"|CLOCKS?_(?:THROTTLE|EVENTS?)_REASONS)\b"
    r"(?:\s?\((\d{2,4})\))?(?:\{([^}\n]{0,600})\})?[\s:=|]{1,20}(\d{1,6})\b(?!\.\d)",
    2,
)
_NUMBERED: Final = pattern(r"\bfield (?:id )?(395|396|392)\b[^\n\d]{0,40}?\b1\b(?!\d)", 2)
_LABEL: Final = pattern(r"gpu=\"?(\d{1,3})")
_BITS: Final = ((0x40, "thermal-violation"), (0x20, "thermal-violation"), (0x80, "power-brake-said"))
_BY_FIELD: Final = {
    "ROW_REMAP_FAILURE": "row-remap-failure",
    "ROW_REMAP_FAILED": "row-remap-failure",
    "ROW_REMAP_PENDING": "row-remap-waits",
    "PAGE_RETIRED_PENDING": "page-retirement-waits",
    "RETIRED_PENDING": "page-retirement-waits",
    "395": "row-remap-failure",
    "396": "row-remap-waits",
    "392": "page-retirement-waits",
}
_HEALTH: Final = pattern(
    r"^\s{0,8}\|\s{0,4}(?P<what>Overall Health|->\s{0,2}(?:GPU\s{0,2})?\d{1,3}|->\s{0,2}[A-Za-z][\w ]{1,30} system)"
    r"\s{0,60}\|\s{0,4}(?P<state>Healthy|Warning|Failure)\b"
)
_MONITORED: Final = pattern(r"\bdcgmi\s+dmon\b[^\n]*?\s(?:-e|--field-id)[= ]?\s?(\d{1,4}(?:,\d{1,4}){0,60})")
_ENTITY: Final = pattern(r"^[#\s]{0,4}(?:Entity|Id)\b\s+(\S.*)$")
_ROW: Final = pattern(r"^\s{0,8}GPU\s+(\d{1,3})\s+((?:[\d.]+|N/A|-+)(?:\s+(?:[\d.]+|N/A|-+)){0,60})\s*$")
_COLUMNS: Final = {
    "RRF": "395",
    "RRP": "396",
    "RPP": "392",
    "DBEVT": "311",
}  # short field names, if the command is not shown
_LONGEST: Final = 2000


def read(text: str) -> Iterator[Reading]:
    """Yield one reading with DCGM's statements about individual GPUs."""
    lines = text.split("\n")
    found = [*_fields(lines), *_monitored(lines), *_health(lines)]
    for first, last, joined, shown in _passages(lines):
        squeezed = "".join(joined.lower().split())
        for fact, form in _FORMS:
            for hit in form.finditer(squeezed):
                values = {key: value for key, value in hit.groupdict().items() if value}
                if fact == "page-retirement-waits":
                    values["kind"] = "page"
                if fact == "sxid":
                    values = {"fatal": "yes" if values["kind"] == "fatal" else "no", "switch": values["switch"]}
                found.append(_noted(fact, shown, first, last, values))
    yield from reading_of(SOURCE, dict.fromkeys(found))


def _passages(lines: list[str]) -> Iterator[tuple[int, int, str, str]]:
    """Yield table cells, joined over their rows, and the other lines: first and last line, text, as printed."""
    cell: list[str] = []
    start = 0
    for number, line in enumerate((*lines, "")):
        parts = [part.strip() for part in line.strip().strip("|").split("|")] if "|" in line else []
        if len(parts) >= 2 and not parts[0] and cell:
            cell.append(parts[-1])
            continue
        if cell:
            yield start + 1, number, "".join(cell), " ".join(lines[start:number])
            cell = []
        if len(parts) >= 2:
            cell, start = [parts[-1]], number
        elif line.strip() and len(line) < _LONGEST:
            yield number + 1, number + 1, line, " ".join(line.split())


def _fields(lines: list[str]) -> Iterator[Noted]:
    for number, line in enumerate(lines, 1):
        if len(line) >= _LONGEST:
            continue
        for hit in _FIELD.finditer(line):
            label = _LABEL.search(hit[3] or "")
            values = {"gpu": label[1]} if label else {}
            name, value = hit[1].upper(), int(hit[4])
            if "REASONS" in name:
                for bit, fact in _BITS:
                    if value & bit:
                        yield _noted(fact, line, number, number, values)
                        break
            elif value == 1:
                kind = {"kind": "page"} if name.endswith("RETIRED_PENDING") else {}
                yield _noted(_BY_FIELD[name], line, number, number, {**values, **kind})
        if (numbered := _NUMBERED.search(line)) and not _FIELD.search(line):
            kind = {"kind": "page"} if numbered[1] == "392" else {}
            yield _noted(_BY_FIELD[numbered[1]], line, number, number, kind)


def _health(lines: list[str]) -> Iterator[Noted]:
    """Yield each row of `dcgmi health -c` that is not healthy; system: "nvlink", None for the summary rows."""
    for number, line in enumerate(lines, 1):
        row = _HEALTH.match(line) if len(line) < _LONGEST else None
        if row is not None and row["state"].lower() != "healthy":
            words = row["what"].lower().split()
            system = words[-2] if words[-1] == "system" else ""
            yield noted("dcgm-unhealthy", line, SOURCE, number, system=system, state=row["state"].lower())


def _monitored(lines: list[str]) -> Iterator[Noted]:
    """Yield the readings of the `dcgmi dmon` table, whose columns are the fields in the command."""
    asked: list[str] = []
    for number, line in enumerate(lines, 1):
        if len(line) >= _LONGEST:
            continue
        if command := _MONITORED.search(line):
            asked = command[1].split(",")
        elif heading := _ENTITY.match(line):
            names = heading[1].split()
            asked = asked if len(asked) == len(names) else [_COLUMNS.get(name.upper(), "") for name in names]
        elif (row := _ROW.match(line)) and asked:
            values = row[2].split()
            for field, value in zip(asked, values, strict=False):
                if len(values) == len(asked) and value.isdecimal() and int(value) > 0:
                    yield from _monitored_field(field, int(value), line, number, {"gpu": row[1]})


def _monitored_field(field: str, value: int, line: str, number: int, of: dict[str, str]) -> Iterator[Noted]:
    if field in _BY_FIELD and value == 1:
        kind = {"kind": "page"} if field == "392" else {}
        yield _noted(_BY_FIELD[field], line, number, number, {**of, **kind})
    elif field == "311":
        yield _noted("ecc-uncorrectable", line, number, number, of)
    elif field == "112":
        yield from (_noted(fact, line, number, number, of) for bit, fact in _BITS[1:] if value & bit)


def _noted(fact: str, text: str, first: int, last: int, values: dict[str, str]) -> Noted:
    device = f"nvidia:{int(values['gpu'])}" if "gpu" in values else None
    return noted(fact, text, SOURCE, first, last, of=device, **values)


READER: Final = Reader(
    name=SOURCE,
    signs=(
        *(
            "DCGM_FI_",
            "dcgm",
            "row remapping",
            "thermal violation",
            "NvLink",
            "field 395",
            "InfoROM",
            "PCIe replay",
            "Entity",
        ),
        *("nvvs", "ECC error", "| Warning", "| Error", "Fail - GPU", "system       |"),
    ),
    read=read,
)
