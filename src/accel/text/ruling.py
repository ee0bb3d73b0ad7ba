"""Evidence about the status of a text's statements: cues, events, and rulings on a mention."""

from accel.model.dataclass import dataclass
from accel.model.grade import Status


@dataclass(frozen=True, slots=True)
class Cue:
    """A cue in the text, with its character span."""

    kind: str
    reach: str
    strong: bool
    start: int
    end: int


@dataclass(frozen=True, slots=True)
class Ruling:
    """A judgement about a mention.

    weak       it counts only with a resolution elsewhere in the text
    tentative  it becomes an open question if the words of the whole text clearly are those of a report
    """

    status: Status
    reason: str
    weak: bool = False
    tentative: bool = False


@dataclass(frozen=True, slots=True)
class Event:
    """What the writer says happened to the fault: an event kind from specs/language/status.yaml."""

    line: int
    kind: str
    place: int
