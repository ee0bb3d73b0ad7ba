"""Whether each statement of a text holds now: present, past, negated, quoted, source, expected, hypothetical,
elsewhere.

The order of judgement; the first that applies decides.

1. The kind of the text around it (accel.text.segments): a quotation, a patch, code, a passed test, documentation.
2. The words of its sentence (accel.text.cues): "would I get", "never saw", "on the old server, which is retired". A
   message in quotation marks counts only where its sentence says that it appeared (accel.text.quotations).
3. The sentence that leads a block in: "Before the repair:", "The docs say:".
4. What became of it later: said to be solved, the same command works, the work is done again, its record is closed,
   later entries of a log tell of a repair and of no trouble (accel.text.records). That counts only where nothing below
   contradicts it: a fault that is printed again, "still", "any ideas?".
5. A text that is a plan, or says that nothing is wrong, and shows no output with a fault.

Without a positive reason a statement is present: that a text is silent proves nothing.
"""

from collections.abc import Sequence

from accel.collect.status.company import with_company
from accel.collect.status.faults import FAULTS, kind_of
from accel.collect.status.later import Later
from accel.collect.status.place import Places
from accel.collect.status.told import Told
from accel.model.dataclass import replace
from accel.model.observation import Observation
from accel.text.ruling import Ruling

__all__ = ["Told", "with_status"]

_SAID = frozenset(("product", "installed", "command", "experiment"))  # hold in whatever tense they are told


def with_status(observations: Sequence[Observation], told: Told) -> list[Observation]:
    """Return the observations with their status. Their lines are those of `told`."""
    places = Places(observations, told)
    later = Later(observations, told, places)
    return with_company([_judged(one, places, later) for one in observations], told, later)


def _judged(one: Observation, places: Places, later: Later) -> Observation:
    kind = kind_of(one)
    if one.line is None or (kind not in FAULTS and kind not in _SAID):
        return replace(one, doubt=None) if one.doubt is not None else one
    ruling = places.by_kind(one.line) if kind in _SAID else _ruling(one, places, later)
    if ruling is None or ruling.weak:
        return (
            one
            if (one.status, one.doubt) == ("present", None)
            else replace(one, status="present", why=None, doubt=None)
        )
    return replace(one, status=ruling.status, why=ruling.reason, doubt=None)


def _ruling(one: Observation, places: Places, later: Later) -> Ruling | None:
    here = places.of(one)
    if here is not None and not here.weak:
        return here
    if later.is_closed_record(one):
        return Ruling("past", "its record is closed")
    if entry := later.by_records(one):
        return entry
    plain = kind_of(one) == "noted" and one.line not in later.trouble_lines
    if plain and (here is None or here.status == "quoted"):
        return later.by_whole_text(one) or here  # what no error is read on stays as it is
    return later.by_events(one, here) or later.by_runs(one) or later.by_whole_text(one) or here
