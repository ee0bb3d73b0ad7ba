"""The answer to `accel restrictions`: the export rules and the technical limits of one chip."""

from typing import TYPE_CHECKING, Final

from accel.errors import BadInput
from accel.export_rules.evaluate import ExportFinding, export_finding
from accel.export_rules.rules import destination
from accel.export_rules.technical import Limit, Surroundings, limits
from accel.record import record

if TYPE_CHECKING:
    from accel.specs import Chip, Specs

SCHEMA: Final = "accel.restrictions/1"


@record
class Restrictions:
    """What one chip may not and cannot do. device: its id on this machine; None if a product was asked about."""

    chip: str
    export: ExportFinding
    technical: tuple[Limit, ...]
    device: str | None = None


def restrictions_of(
    specs: "Specs",
    chip: "Chip",
    date: str,
    to: str | None = None,
    around: Surroundings | None = None,
    device: str | None = None,
) -> Restrictions:
    """Judge a chip as of the day. Raises BadInput for a date or a country that cannot be read."""
    check_date(date)
    return Restrictions(
        chip=chip.name,
        export=export_finding(specs, chip, date, destination(specs, to)),
        technical=limits(specs, chip, around),
        device=device,
    )


def check_date(text: str) -> None:
    """Raise BadInput for what is no day like "2023-11-17"."""
    from datetime import date

    try:
        exact = date.fromisoformat(text).isoformat() == text
    except ValueError:
        exact = False
    if not exact:
        raise BadInput(f"--date {text}: expected a day of the calendar like 2023-11-17.")
