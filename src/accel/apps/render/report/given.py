"""The input of a report."""

from collections.abc import Iterable, Sequence
from typing import TYPE_CHECKING, Final

from accel.apps.render.report.document import Block, Fact, Paragraph
from accel.apps.render.report.document import Facts as FactRows
from accel.facts.questions import Facts
from accel.model.dataclass import dataclass
from accel.model.device import Device, Gap
from accel.model.diagnosis import Diagnosis
from accel.specs import Specs

if TYPE_CHECKING:
    from accel.apps.fitting import Fit
    from accel.measure.bench.records import Bench
    from accel.watch.sampling.condensed import Condensed

_NOT_TOLD: Final = "no source that answered reports it"
_NOT_WRITTEN: Final = "not in what was read"


@dataclass(frozen=True, slots=True, kw_only=True)
class Given:
    """The data that the sections are built from.

    day           the day whose export rules are applied to the chips; None: restrictions are left out
    destination   a country by name or code; None: the one that the rules assume
    identifiers   whether names, serials and unique ids are kept; if not, `facts` is from a redacted snapshot
    past          the contents of an accel watch recording; None: none was given
    bench         a saved benchmark; None: none was given
    fit           whether a model fits; None: none was given
    written_at    ISO 8601 in UTC
    """

    facts: Facts
    diagnosis: Diagnosis
    specs: Specs
    day: str | None
    destination: str | None
    identifiers: bool
    written_at: str
    accel_version: str
    past: "Condensed | None" = None
    bench: "Bench | None" = None
    fit: "Fit | None" = None

    @property
    def otherwise(self) -> str:
        """The reason for an unknown fact if no gap gives one."""
        return _NOT_TOLD if self.facts.live else _NOT_WRITTEN

    def why(self, fields: Sequence[str], device: Device | None = None) -> str:
        """Return why none of these fields is known, for a device or the machine."""
        gaps = [gap for gap in self.diagnosis.gaps if gap.fact in fields]
        if device is None:
            return _first(gaps) or self.otherwise
        own = [gap for gap in gaps if gap.device == device.id]
        shared = [gap for gap in gaps if gap.device is None and gap.backend in (None, device.backend)]
        return _first(own) or _first(shared) or self.otherwise


def known_facts(rows: Iterable[Fact]) -> tuple[Block, ...]:
    """Return the facts, followed by the names of the unknown ones grouped by reason."""
    every = tuple(rows)
    known = tuple(row for row in every if row.value is not None)
    reasons: dict[str, list[str]] = {}
    for row in every:
        if row.value is None:
            reasons.setdefault(row.why or "", []).append(row.label)
    lines = [f"{', '.join(names)}{f' ({why})' if why else ''}" for why, names in reasons.items()]
    unknown = (Paragraph(text=f"Unknown: {'; '.join(lines)}.", tone="quiet"),) if lines else ()
    return (*((FactRows(rows=known),) if known else ()), *unknown)


def _first(gaps: Sequence[Gap]) -> str | None:
    return " ".join(gaps[0].reason.split()) if gaps else None
