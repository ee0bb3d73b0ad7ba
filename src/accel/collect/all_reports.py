"""The result of a backend's probe, in this process or in a child."""

from collections.abc import Sequence
from itertools import islice
from typing import Final

from accel.model.report import Report

_MOST_REPORTS: Final = 64  # of one probe: one a source


def all_reports(answer: "Sequence[Report]") -> "tuple[Report, ...]":
    """Return a probe's result; raise TypeError if it contains anything but Reports."""
    reports = tuple(islice(answer, _MOST_REPORTS + 1))
    if len(reports) > _MOST_REPORTS:
        raise TypeError(f"probe() returned more than {_MOST_REPORTS} reports")
    for report in reports:
        if not isinstance(report, Report):
            raise TypeError(f"probe() returned a {type(report).__name__} where a Report was expected")
    return reports
