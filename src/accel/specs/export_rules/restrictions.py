"""The answer to `accel restrictions`: the export rules and the technical limits of one chip."""

from typing import TYPE_CHECKING, Final

from accel.model.dataclass import dataclass
from accel.model.errors import BadInput
from accel.specs.export_rules.evaluate import ExportFinding, export_finding
from accel.specs.export_rules.rules import destination
from accel.specs.export_rules.technical import Limit, Surroundings, limits

if TYPE_CHECKING:
    from collections.abc import Sequence

    from accel.specs import Chip, Specs

SCHEMA: Final = "accel.restrictions/1"


@dataclass(frozen=True, slots=True, kw_only=True)
class Restrictions:
    """What one chip may not do and cannot do.

    device    its ID on this machine; None if the question was about a product
    same_for  other products that the given name can mean and that have the same licence verdict
    """

    chip: str
    export: ExportFinding
    technical: tuple[Limit, ...]
    device: str | None = None
    same_for: tuple[str, ...] = ()


def restrictions_of(
    specs: "Specs",
    chip: "Chip",
    date: str,
    to: str | None = None,
    around: Surroundings | None = None,
    device: str | None = None,
) -> Restrictions:
    """Judge a chip as of a date. Raises BadInput for a date or a country that cannot be parsed."""
    check_date(date)
    return Restrictions(
        chip=chip.name,
        export=export_finding(specs, chip, date, destination(specs, to)),
        technical=limits(specs, chip, around),
        device=device,
    )


def verdicts(name: str, found: "Sequence[Restrictions]") -> str:
    """Return one sentence on what the answers for a name's possible products share; "" for fewer than two.

    >>> verdicts("H100", [])
    ''
    """
    if len(found) < 2:
        return ""
    by_licence: dict[str, list[str]] = {}
    for item in found:
        by_licence.setdefault(item.export.licence, []).append(item.chip)
    what = f"{name!r} is the name of {len(found)} products, and"
    if [*by_licence] == ["undecided"]:
        return f"{what} for all of them it is undecided whether a licence is needed."
    if len(by_licence) == 1:
        return f"{what} for all of them a licence is {next(iter(by_licence))}."
    each = "; ".join(f"{licence} for {', '.join(chips)}" for licence, chips in by_licence.items())
    return f"{what} they differ: a licence is {each}."


def check_date(text: str) -> None:
    """Raise BadInput if the text is not a date like "2023-11-17"."""
    from datetime import date

    try:
        exact = date.fromisoformat(text).isoformat() == text
    except ValueError:
        exact = False
    if not exact:
        raise BadInput(f"--date {text}: expected a day of the calendar like 2023-11-17.")
