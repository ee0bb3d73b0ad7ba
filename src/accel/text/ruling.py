"""What is found in a text about the status of its statements: cues, events, and what they make of a mention."""

from accel.model.dataclass import dataclass
from accel.model.grade import Status


@dataclass(frozen=True, slots=True)
class Cue:
    """A cue in the text, with the characters that it covers."""

    kind: str
    reach: str
    strong: bool
    start: int
    end: int


@dataclass(frozen=True, slots=True)
class Ruling:
    """What a text makes of a mention.

    weak       it needs a resolution elsewhere in the text to count
    tentative  it is an open question where the words of the whole text surely are those of a report
    """

    status: Status
    reason: str
    weak: bool = False
    tentative: bool = False


@dataclass(frozen=True, slots=True)
class Event:
    """What the writer says became of the fault: a kind of specs/language/status.yaml that is an event of the text."""

    line: int
    kind: str
    place: int
