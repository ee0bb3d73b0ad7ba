"""The role of each Xid in a text: a program fault, a hardware fault, a required action, or a consequence."""

from collections.abc import Iterable, Iterator, Mapping
from typing import Any, Final

from accel.model.dataclass import replace
from accel.model.observation import Fact, Noted
from accel.vendors.contract.rule import Seen, Specs, fact_from, rule

_LOST: Final = "79"
_MEMORY: Final = ("48", "94", "95", "140")
_ROW_MARKED: Final = "63"
_ROW_FAILED: Final = ("64",)
_RECOVERY: Final = "154"
_SWITCH_TIMEOUT: Final = "109"
_OF_LINKS: Final = ("74", "137", "144", "145", "146", "147", "148", "149", "150")
# A code is a consequence of one of these at the same address: the log tells what went first, this what it led to.
_LED_TO: Final[Mapping[str, tuple[str, ...]]] = {
    "109": ("62", "74", "79", "119", "120", *_MEMORY),
    "119": ("61", "62", "74", "79", "120", "48", "95", *_OF_LINKS),
    "120": ("79",),
    "61": ("62", "79"),
    "62": ("79",),
    "143": ("79", "119", "120"),
    "145": ("149",),
    "158": ("79",),
}
_AFTER_SLEEP_LINES: Final = 15  # a resume this few lines before an error is related to it
_LOST_AFTER_SLEEP_LINES: Final = 60
_AFTER_BREAK_LINES: Final = 30
_SAME_UNIT: Final = 3  # programs that fail in one unit of one GPU


@rule(
    gives={
        "xid-program": "an Xid code that a program causes",
        "xid-hardware": "an Xid code that indicates a failing GPU, its firmware or its links",
        "xid-memory": "an Xid code of memory errors that could not be corrected",
        "xid-row-pending": "a bad row or page of memory waits for a reset to be taken out of use",
        "xid-row-failed": "a bad row of memory could not be taken out of use",
        "xid-lost": "Xid 79: the GPU no longer answers on the bus",
        "xid-after-sleep": "an Xid right after the machine, or the GPU, woke up from sleep",
        "xid-recovery": "the driver requests a reset, a drain or a reboot",
        "xid-note": "an Xid code that requires no action",
        "xid-one-unit": "different programs fail in the same unit of the same GPU, or on one GPU only",
    },
    triggers=("xid",),
)
def xid_roles(seen: Seen, specs: Specs) -> Iterator[Fact]:
    """Each code has the role in NVIDIA's catalogue (specs/nvidia/xid.yaml), unless the surrounding lines change it: the
    code that a 45 names as its cause counts; a code that follows from another at the same address is skipped; after a
    resume the cause is the suspend, after an uncorrected bus error the bus; three programs that fail in one unit of one
    GPU point to the GPU, as does one GPU that fails while all others work.
    """
    noted = [one for one in seen.of(Noted) if one.fact == "xid"]
    if not noted:
        return
    catalogue = {str(row["code"]): row for row in (specs.table("nvidia/xid") or {"codes": ()})["codes"]}
    marks = list(_with_causes(noted, catalogue))
    slept = [fact.line or 0 for fact in seen.facts("woke-from-sleep", "gpu-power-state")]
    first_bad: dict[str | None, int] = {}
    for fact in marks:
        if _is_hard(fact, catalogue):
            first_bad.setdefault(fact.value("pci"), fact.line or 0)
    breaks = [(dict(one.values), one.line or 0) for one in seen.of(Noted) if one.fact == "pcie-error"]
    breaks = [(values, line) for values, line in breaks if values.get("severity") in ("fatal", "non-fatal")]
    for fact in marks:
        role = _role(fact, marks, catalogue, slept, first_bad)
        if role == "xid-program" and any(_broke(values, line, fact) for values, line in breaks):
            role = "xid-note"
        if role is not None:
            page = role == "xid-row-pending" and "page retire" in fact.text.lower()
            yield replace(fact, name=role, values=(*fact.values, ("kind", "page")) if page else fact.values)
    yield from _accused(marks, seen)


def _with_causes(noted: Iterable[Noted], catalogue: Mapping[str, Any]) -> Iterator[Fact]:
    """Yield a fact for each line, and one for each code that a line names as its cause and that has no line itself."""
    facts = [fact_from("xid", one, **dict(one.values)) for one in noted]
    logged = {(fact.value("code"), fact.value("pci")) for fact in facts}
    for fact in facts:
        yield fact
        cause, pci = fact.value("cause"), fact.value("pci")
        if cause and cause in catalogue and (cause, pci) not in logged:
            logged.add((cause, pci))
            yield replace(fact, values=tuple({**dict(fact.values), "code": cause, "by": "45"}.items()))


def _is_hard(fact: Fact, catalogue: Mapping[str, Any]) -> bool:
    code = fact.value("code") or ""
    row = catalogue.get(code)
    return code in (_LOST, *_MEMORY) or (
        row is not None and row["by"] == "hardware" and row["severity"] == "error" and code not in _ROW_FAILED
    )


def _role(
    fact: Fact,
    marks: list[Fact],
    catalogue: Mapping[str, Any],
    slept: list[int],
    first_bad: Mapping[str | None, int],
) -> str | None:
    """Return the name of the fact that a line establishes; None if it adds nothing."""
    code, pci, line = fact.value("code") or "", fact.value("pci"), fact.line or 0
    row = catalogue.get(code)
    if code == _LOST:
        return "xid-after-sleep" if _slept(slept, line, _LOST_AFTER_SLEEP_LINES) else "xid-lost"
    if code == _RECOVERY:
        words = fact.value("words")
        return "xid-recovery" if words and words != "none" else "xid-note"
    if row is None:
        return None
    if row["severity"] == "info" or row["by"] == "info":
        return "xid-note"
    if any(other.value("code") in _LED_TO.get(code, ()) and _same_place(other, fact) for other in marks):
        return "xid-note"
    if _slept(slept, line, _AFTER_SLEEP_LINES):
        return "xid-after-sleep"
    if code in _MEMORY:
        return "xid-memory"
    if code == _ROW_MARKED:
        return "xid-row-pending"
    if code in _ROW_FAILED:
        return "xid-row-failed"
    if row["by"] == "application" or code == _SWITCH_TIMEOUT:
        return "xid-note" if first_bad.get(pci, line) < line else "xid-program"
    return "xid-hardware"


def _broke(values: Mapping[str, str], line: int, fact: Fact) -> bool:
    """Return whether the GPU's bus lost a transaction shortly before: the program then reads invalid data."""
    places = [place for key in ("device", "reporter") if (place := values.get(key))]
    near = 0 <= (fact.line or 0) - line <= _AFTER_BREAK_LINES
    here = (fact.value("pci") or "")[:10]
    return near and any(place.startswith(here) for place in places)


def _slept(slept: list[int], line: int, lines: int) -> bool:
    return any(0 <= line - woke <= lines for woke in slept)


def _same_place(other: Fact, fact: Fact) -> bool:
    """Return whether two lines may be about one GPU; NVLink codes of its peers count too."""
    if fact.value("code") in _OF_LINKS and other.value("code") in _OF_LINKS:
        return True
    return None in (other.value("pci"), fact.value("pci")) or other.value("pci") == fact.value("pci")


def _accused(marks: list[Fact], seen: Seen) -> Iterator[Fact]:
    """Yield the lines that together point to one GPU rather than to the programs."""
    units: dict[tuple[str, str], list[Fact]] = {}
    for fact in marks:
        pci, unit = fact.value("pci"), fact.value("unit")
        if pci and unit and fact.value("pid") and fact.value("code") in ("13", "31") and "UNRECOGNIZED" not in unit:
            units.setdefault((pci, unit), []).append(fact)
    for facts in units.values():
        if len({fact.value("pid") for fact in facts}) >= _SAME_UNIT:
            yield from _of_one_unit(facts)
            return
    elsewhere = seen.facts("other-gpus-work")
    faults = [fact for fact in marks if fact.value("code") in ("13", "31") and fact.value("pci")]
    if elsewhere and len({fact.value("pci") for fact in faults}) == 1 and len({f.value("pid") for f in faults}) > 1:
        yield from _of_one_unit(faults)


def _of_one_unit(facts: list[Fact]) -> Iterator[Fact]:
    processes = str(len({fact.value("pid") for fact in facts}))
    for fact in facts:
        yield replace(fact, name="xid-one-unit", values=(*fact.values, ("processes", processes)))
