"""Shared code of the readers of `npu-smi info -t …`: from sections and a table of keys to devices.

A reader is a table: key in the text -> field of AscendDevice, and how to parse that field's values.
"""

from collections.abc import Callable, Iterator, Mapping
from typing import Any, Final

from accel.model.observation import Noted
from accel.model.report import Driver, Report
from accel.vendors.contract.backend import Reader, Reading
from accel_ascend.chips import BACKEND, VENDOR
from accel_ascend.model import AscendDevice
from accel_ascend.readers.placing import Place, places
from accel_ascend.readers.smi_sections import Section, sections, value_of

TRUST: Final = 62
_HEADS: Final = ("npu id", "npu-smi info", "health status")  # without one of these no section has a place or a fact
_MOST_CHIPS: Final = 64  # of one NPU; a larger "Chip Count" is no chip count

Convert = Callable[[str], Any]
Complete = Callable[[dict[str, Any]], dict[str, Any]]


def query_reader(
    name: str,
    signs: tuple[str, ...],
    keys: Mapping[str, tuple[str, Convert]],
    *,
    for_each_chip: bool = False,
    complete: Complete | None = None,
    driver: Callable[[Mapping[str, Any]], Driver | None] | None = None,
    noted: Callable[[Section, str | None], tuple[Noted, ...]] | None = None,
) -> Reader:
    """Create the reader of one query.

    for_each_chip  a section about a whole NPU applies to each of its chips (its board); else only to a sole chip
    complete       adds fields derived from the others
    """
    names = {key: field for key, (field, _) in keys.items()}
    converts = dict(keys.values())

    def read(text: str) -> Iterator[Reading]:
        lower = text.lower()
        if not any(head in lower for head in _HEADS):
            return
        found: dict[int, AscendDevice] = {}
        said: list[Noted] = []
        driver_found: Driver | None = None
        first_line = None
        known = places(text)
        for section in sections(_without_cut_capacity(text)):
            facts = {field: converts[field](value) for field, value in value_of(section, names)}
            if not facts or section.is_controller:
                continue
            first_line = first_line or section.first_line
            indices = _indices(section, known, for_each_chip)
            if complete is not None:
                facts = complete(facts)
            if driver is not None:
                driver_found = driver_found or driver(facts)
            if noted is not None:
                said += noted(section, f"{BACKEND}:{indices[0][1]}" if indices else None)
            for chip_id, index in indices:
                found.setdefault(index, _device(index, section, chip_id, facts))
        if found or said or driver_found:
            report = Report(
                backend=BACKEND,
                source=name,
                trust=TRUST,
                driver=driver_found,
                devices=tuple(found[index] for index in sorted(found)),
                observations=tuple(said),
            )
            yield Reading(source=name, reports=(report,), first_line=first_line)

    return Reader(name=name, signs=signs, read=read)


def _without_cut_capacity(text: str) -> str:
    """Return the text without a capacity at its very end: its number may be truncated, since a clock speed follows."""
    before, _, last = text.rpartition("\n")
    return before if "capacity" in last.lower() else text


def _indices(section: Section, known: Mapping[Place, int], for_each_chip: bool) -> list[tuple[int | None, int]]:
    if section.npu_id is None:
        return []
    chips: list[int | None] = [section.chip_id]
    count = section.chip_count or 1
    if section.chip_id is None and count > 1:
        chips = list(range(count)) if for_each_chip and count <= _MOST_CHIPS else []
    return [(chip, known[(section.npu_id, chip)]) for chip in chips if (section.npu_id, chip) in known]


def _device(index: int, section: Section, chip_id: int | None, facts: Mapping[str, Any]) -> AscendDevice:
    return AscendDevice(
        id=f"{BACKEND}:{index}",
        index=index,
        backend=BACKEND,
        vendor=VENDOR,
        kind="npu",
        npu_id=section.npu_id,
        chip_id=chip_id,
        **facts,
    )
