"""Xid and SXid codes: the driver's own report of what failed, in the kernel log, in monitors' logs and in prose.

    NVRM: Xid (PCI:0000:3b:00): 79, pid='<unknown>', name=<unknown>, GPU has fallen off the bus.
    NVRM: Xid (PCI:0000:01:00 GPU-I:05): 43, pid=4242, …                     a MIG instance
    NVRM: Xid (PCI:0000:dc:00): 45, pid=18, name=python3, Ch 00000001 caused by previous Xid 149
    Xid 31 PCI:0000:f0:00 pid=4774 … UNRECOGNIZED_CLIENT …                   noted down by hand
    XidCriticalError: Xid=48 on Device=GPU-…        the Kubernetes device plugin
    DCGM_FI_DEV_XID_ERRORS (230) 79                 DCGM
    then Xid 79, 143, 154; only a reboot helps      prose
    NVRM: GPU at PCI:0000:41:00: Timeout waiting for RPC from GSP1! …        the words of a code, without it
    nvidia-nvswitch3: SXid (PCI:0000:c1:00.0): 28006, Non-fatal, Link 46 …
    detected NVSwitch fatal error 20034 on fid 0 on NVSwitch pci bus id 00000000:c4:00.0     the fabric manager

Seen    drivers 331 to 610. A line may be wrapped, by hand or by a terminal, to up to four lines.
Notes   xid (code, pci, pid, process, unit, cause, words, form: "logged" or "said"), sxid (code, pci, fatal)
Left out  codes that a text only mentions: "see the table for Xid 79", "no Xid"
"""

import re
from collections.abc import Iterator
from typing import Final

from accel.model.observation import Noted
from accel.text.amounts import pci_address
from accel.text.pattern import pattern
from accel.vendors.contract.backend import Reader, Reading
from accel.vendors.toolkit.notes import noted, reading_of

SOURCE: Final = "kernel log"
_ADDRESS: Final = r"(?:[0-9A-Fa-f]{4,8}:)?[0-9A-Fa-f]{1,2}:[0-9A-Fa-f]{2}(?:\.[0-7])?"
_LOGGED: Final = pattern(
    rf"\b(S?)Xid\s{{0,2}}\(\s?(?:PCI:)?({_ADDRESS})(?:\s(?:GPU-I|GPU-CI):\w+){{0,2}}\s?\)\s?:\s{{0,3}}(\d{{1,5}})\b",
    re.IGNORECASE,
)
_SHORT: Final = pattern(
    rf"\bXid[\s:=#]{{0,3}}(\d{{1,3}})\b[,:]?\s(?:on |at |for )?(?:GPU )?\(?(?:PCI[: ])?({_ADDRESS})\b", re.IGNORECASE
)
_SAID: Final = pattern(
    r"\bXID(?:s|\(s\))?(?: critical)?(?: errors?| error\(s\)| codes?| events?| numbers?| error codes?)?"
    r"\s?(?:[:=#]|is|was|of)?\s?[\"'(]{0,2}(\d{1,3})\b(?![.:]\d|\s?%)"
    r"((?:\s?(?:,|/|\+|&|and|then|or|,\s?and)\s?(?:Xid )?\d{1,3}\b"
    r"(?![.:\d]|\s?(?:%|GPU|card|W\b|C\b|MiB|GiB|GB|times|s\b|h\b))){0,8})",
    re.IGNORECASE,
)
_FIELD: Final = pattern(
    r"\bDCGM_FI_DEV_XID_ERRORS?\b(?:\s?\(230\))?(?:\{[^}\n]{0,600}\})?[\s:=|]{0,20}(\d{1,3})\b(?!\.\d)", re.IGNORECASE
)
_EVENT: Final = pattern(r"[\"']?\bxid(?:_?(?:code|id|error))?[\"']?\s?[:=]\s?[\"']?(\d{1,3})\b(?!\.\d)", re.IGNORECASE)
_MENTIONED: Final = pattern(
    r"(?i)\b(?:no|not|without|never|any|if|like|such as|e\.g\.?|see|table|list|guide|docs?|documentation|catalogue?"
    r"|about|means?|meaning|explains?|describes?|example|whether|for instance|similar|unlike|ignores?|skip|filter)"
    r"\b[^.;\n]{0,30}$"
)
_QUOTED_SPANS: Final = pattern(
    r"(?i)\b(?:i(?:'ve| have)? (?:also )?(?:read|heard|googled)|(?:people|others|some|they) (?:say|report|claim|write)"
    r"|according to|(?:found|seen|saw) (?:posts|threads|reports|somewhere))\b[^.;\n]{0,160}$"
)
_MENTIONING: Final = pattern(
    r"(?i)^[\"')\s]{0,3}(?:table|section|page|docs?|documentation|entry|means|stands for|would|catalog"
    r"|(?:can|could|may|might) be (?:avoided|ignored|caused|triggered))\b"
)
_PROCESS: Final = pattern(r"\bpid\s?=\s?'?(\d+)'?(?:,\s{0,3}name\s?=\s?([^,\s<]+))?", re.IGNORECASE)
_UNIT: Final = pattern(
    r"\b((?:GPC\d{1,2}\s)?(?:GPCCLIENT|HUBCLIENT|UNRECOGNIZED_CLIENT)\w{0,30}"
    r"|GPC \d{1,2},? TPC \d{1,2}(?:,? SM \d{1,2})?)",
    re.IGNORECASE,
)
_CAUSE: Final = pattern(r"\bcaused\s+by\s+(?:a\s+)?previous\s+Xid\s+(\d{1,3})\b", re.IGNORECASE)
_WORDS: Final = pattern(
    r"\b(GPU\s+Reset\s+Required|Node\s+Reboot\s+Required|Drain\s+and\s+Reset|Drain\s+P2P|Reset\s+Required|None)\b"
    r"(?![\s\S]*\b(?:Reset\s+Required|Reboot\s+Required|Drain\s+and\s+Reset|Drain\s+P2P|None)\b)",
    re.IGNORECASE,
)
_FRESH: Final = pattern(
    r"^\s*$|^\S{0,40}\s?kernel:|^\s*NVRM:|^\s*\[\s*\d|^\s*\d\d:\d\d|^\s*\d{4}-\d\d|^[$#>|+]|^[A-Za-z]{3}\s+\d"
    r"|\bXid\b|^\w[\w.-]*:\s",
    re.IGNORECASE,
)
# What the driver writes when it raises a code: a log that was cut, or an older driver's, holds the words alone.
_WORDS_OF: Final = tuple(
    (code, pattern(form, re.IGNORECASE))
    for code, form in (
        ("119", r"Timeout (?:after \d{1,4}s of )?waiting for RPC (?:response )?from (?:GPU\d{1,3} )?GSP"),
        ("119", r"_kgspLogXid119|\*{3} GSP Timeout \*{3}"),
        ("120", r"GSP-CrashCat|GSP task (?:exception|\d{1,3} raised)"),
        ("62", r"PMU has halted|PmuHalted"),
        ("74", r"NVLink: fatal error detected on link"),
    )
)
_SWITCH: Final = pattern(
    r"\bNVSwitch (?P<fatal>non-?fatal|fatal) error (?P<code>\d{4,5})\b"
    rf"(?:[^\n]{{0,60}}?pci bus id (?P<pci>{_ADDRESS}))?",
    re.IGNORECASE,
)
_OF_DRIVER: Final = pattern(r"\bNVRM\b", re.IGNORECASE)
_PLACE: Final = pattern(rf"\bPCI:({_ADDRESS})\b", re.IGNORECASE)
_MOST_LINES: Final = 4
_MOST: Final = 500
_HIGHEST: Final = 200


def read(text: str) -> Iterator[Reading]:
    """Yield one reading with the codes of the whole text, in order."""
    lines = text.split("\n")
    starts = _starts(lines)
    found: list[tuple[int, Noted]] = []
    taken: set[int] = set()
    for form in (_LOGGED, _SHORT):
        for hit in form.finditer(text):
            number = _line_at(starts, hit.start())
            if form is _SHORT and number in taken:
                continue
            taken.update(range(number, _line_at(starts, hit.end()) + 1))
            found.append((hit.start(), _logged(hit, form is _SHORT, lines, number, _line_at(starts, hit.end()))))
            if len(found) >= _MOST:
                break
    for number, line in enumerate(lines):
        if number not in taken and "xid" in line.lower() and len(line) <= 4000:
            found += [(starts[number] + at, one) for at, one in _mentioned(line, number)]
    for hit in _SWITCH.finditer(text):
        number = _line_at(starts, hit.start())
        told = {"code": hit["code"], "fatal": "yes" if hit["fatal"].lower() == "fatal" else "no"}
        pci = pci_address(hit["pci"]) if hit["pci"] else None
        found.append((hit.start(), noted("sxid", lines[number], SOURCE, number + 1, pci=pci, **told)))
    codes = {dict(one.values)["code"] for _, one in found if one.fact == "xid"}
    for number, line in enumerate(lines):
        if number not in taken and len(line) <= 4000 and _OF_DRIVER.search(line):
            for code, form in _WORDS_OF:
                if code not in codes and form.search(line):
                    codes.add(code)
                    place = _PLACE.search(line)
                    pci = pci_address(place[1]) if place else None
                    one = noted("xid", line, SOURCE, number + 1, code=code, pci=pci, form="logged", text=line[:200])
                    found.append((starts[number], one))
    yield from reading_of(SOURCE, (one for _, one in sorted(found, key=lambda pair: pair[0])[:_MOST]))


def _logged(hit: "re.Match[str]", short: bool, lines: list[str], first: int, last: int) -> Noted:
    """Return the code of one log line, with the lines it was wrapped into."""
    code, pci = (hit[1], hit[2]) if short else (hit[3], hit[2])
    end = last
    while end + 1 < len(lines) and end - first < _MOST_LINES - 1 and not _FRESH.search(lines[end + 1]):
        end += 1
    whole = " ".join(" ".join(lines[first : end + 1]).split())
    rest = whole[whole.lower().find("xid") :]
    if not short and hit[1]:
        fatal = "non-fatal" not in rest.lower() and "nonfatal" not in rest.lower() and "fatal" in rest.lower()
        told = {"code": str(int(code)), "pci": pci_address(pci), "fatal": "yes" if fatal else "no"}
        return noted("sxid", whole, SOURCE, first + 1, end + 1, **told)
    process, unit, cause, words = (form.search(rest) for form in (_PROCESS, _UNIT, _CAUSE, _WORDS))
    return noted(
        "xid",
        whole,
        SOURCE,
        first + 1,
        end + 1,
        code=str(int(code)),
        pci=pci_address(pci),
        form="logged",
        pid=process[1] if process else None,
        process=process[2] if process else None,
        unit=unit[1].upper() if unit else None,
        cause=cause[1] if cause else None,
        words=" ".join(words[1].lower().split()) if words else None,
        text=rest[:200],
    )


def _mentioned(line: str, number: int) -> Iterator[tuple[int, Noted]]:
    """Yield the codes that a line of prose, or of a monitor's log, states."""
    seen: set[str] = set()
    for form, certain in ((_FIELD, True), (_EVENT, True), (_SAID, False)):
        for hit in form.finditer(line):
            before = line[: hit.start()]
            if not certain and (
                _MENTIONED.search(before) or _QUOTED_SPANS.search(before) or _MENTIONING.search(line[hit.end() :])
            ):
                continue
            more = re.findall(r"\d{1,3}", hit[2] or "") if form is _SAID else []
            for code in (hit[1], *more):
                code = str(int(code))
                if code in seen or not 0 < int(code) < _HIGHEST:
                    continue
                seen.add(code)
                cause = _CAUSE.search(line)
                words = _WORDS.search(line)
                one = noted(
                    "xid",
                    line,
                    SOURCE,
                    number + 1,
                    code=code,
                    form="logged" if certain else "said",
                    cause=cause[1] if cause and cause[1] != code else None,
                    words=" ".join(words[1].lower().split()) if words else None,
                )
                yield hit.start(), one


def _starts(lines: list[str]) -> list[int]:
    at, found = 0, []
    for line in lines:
        found.append(at)
        at += len(line) + 1
    return found


def _line_at(starts: list[int], place: int) -> int:
    from bisect import bisect_right

    return bisect_right(starts, place) - 1


READER: Final = Reader(
    name="Xid codes",
    signs=("xid", "from GSP", "GSP-CrashCat", "GSP task", "PMU has halted", "NVLink: fatal", " GSP", "NVSwitch"),
    read=read,
)
