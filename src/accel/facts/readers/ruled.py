"""Make readers from the reader rules in spec folders."""

from collections.abc import Iterable, Iterator
from functools import partial

from accel.model.report import Report
from accel.text.layouts.layout import ReaderRule, read
from accel.vendors.contract.backend import Reader, Reading


def ruled_readers(rules: Iterable[ReaderRule]) -> tuple[Reader, ...]:
    """Return one reader per rule."""
    return tuple(Reader(name=rule.name, signs=rule.signs, read=partial(_read, rule)) for rule in rules)


def _read(rule: ReaderRule, text: str) -> Iterator[Reading]:
    for found in read(rule, text):
        report = Report(
            backend=rule.backend,
            source=rule.name,
            status="partial" if found.gaps else "ok",
            trust=rule.trust,
            driver=found.driver,
            devices=found.devices,
            gaps=found.gaps,
        )
        yield Reading(source=rule.name, reports=(report,), first_line=found.first_line, last_line=found.last_line)
