"""What the trying of a plugin came to: records that the rules judge. Pure data, which the child sends."""

from collections.abc import Callable, Iterator, Mapping
from dataclasses import field
from typing import Any, Literal

from accel.kit.expected import Expected
from accel.kit.subject import Subject
from accel.model.dataclass import dataclass
from accel.model.device import Device
from accel.model.report import Report

AS_RECORDED = "as recorded"
NOTHING_HERE = "nothing here"
LIVE = "this machine"
_MOST_REPORTS = 100  # of one probe that are looked at
SIMULATING = "with its simulation on"
EMPTY_SNAPSHOT = "a snapshot in which nothing is known"

EffectKind = Literal[
    "write", "socket", "process", "library", "framework", "environment", "read", "print", "thread", "signal"
]


@dataclass(frozen=True, slots=True, kw_only=True)
class Effect:
    """Something done to the world past the Machine. what: as the user should read it; where: "accel_acme/x.py:31"."""

    kind: EffectKind
    what: str
    where: str | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class Answer:
    """One call of the plugin and its outcome.

    call      "probe", "probe again", "memory of acme:0", "visible with ACME_MASK=0"; method is the first word of it
    value     what it returned, in plain containers; None also if it raised or could not be carried over
    raised    "ValueError: odd row"; where the plugin's own line, "accel_acme/backend.py:31"
    carried   why the value could not be sent; None if it could
    endless   it gave more items than anybody needs, and was cut
    commands  (command line, seconds it was given) of every command it ran through the Machine
    waited    the seconds it would have waited for commands that hang
    """

    call: str
    machine: str
    situation: str
    value: Any = None
    raised: str | None = None
    where: str | None = None
    carried: str | None = None
    endless: bool = False
    seconds: float = 0.0
    effects: tuple[Effect, ...] = ()
    commands: tuple[tuple[str, float], ...] = ()
    waited: float = 0.0

    @property
    def method(self) -> str:
        return self.call.split(" ", 1)[0]

    @property
    def place(self) -> str:
        """The call in words, for a fault's sentence."""
        where = f"on the machine {self.machine!r}" if self.machine else ""
        if self.situation == NOTHING_HERE:
            where = "on a machine that has nothing"
        elif self.situation == LIVE:
            where = "on this machine"
        elif self.situation != AS_RECORDED:
            where = f"{where}, {self.situation}" if where else self.situation
        return f"{self.call} {where}".strip()


@dataclass(frozen=True, slots=True, kw_only=True)
class Ending:
    """A call that did not return: it hung until its deadline, or took the process with it."""

    call: str
    machine: str
    situation: str
    how: Literal["hang", "crash"]
    detail: str
    where: str | None = None

    @property
    def place(self) -> str:
        return Answer(call=self.call, machine=self.machine, situation=self.situation).place


@dataclass(frozen=True, slots=True, kw_only=True)
class KitRun:
    """The calls of one machine in one situation.

    signs_shown  whether one of the signs of its metadata is there; None if it states none
    findings  (code, name) of what the plugin's checks found; None: they were not run
    broken    (code, sentence) of checks that raised
    """

    machine: str
    situation: str
    signs_shown: bool | None = None
    answers: tuple[Answer, ...] = ()
    findings: tuple[tuple[str, str], ...] | None = None
    broken: tuple[tuple[str, str], ...] = ()
    problems: tuple["FoundProblem", ...] = ()

    def answer(self, call: str) -> Answer | None:
        return next((a for a in self.answers if a.call == call), None)

    def reports(self, call: str = "probe") -> tuple[Report, ...]:
        """Return the Reports among what a probe gave."""
        found = self.answer(call)
        given = found.value if found and isinstance(found.value, tuple) else ()
        return tuple(r for r in given[:_MOST_REPORTS] if isinstance(r, Report))

    def devices(self, call: str = "probe") -> tuple[Device, ...]:
        """Return the devices of a probe, merged over its reports."""
        from accel.model.merge import merged_devices

        return merged_devices(sound(self.reports(call)))[0]


@dataclass(frozen=True, slots=True, kw_only=True)
class FoundProblem:
    """A finding, as far as the rules look at it."""

    code: str
    title: str
    remedies: int
    evidence: int


@dataclass(frozen=True, slots=True, kw_only=True)
class TextTrial:
    """The plugin's readers on one text. cut: the share of it that was given, 1.0 for the whole; foreign: no vendor's.

    read: which readers recognised something; raised: (reader, sentence, where).
    """

    name: str
    cut: float = 1.0
    foreign: bool = False
    reports: tuple[Report, ...] = ()
    read: tuple[str, ...] = ()
    raised: tuple[tuple[str, str, str | None], ...] = ()
    odd: tuple[tuple[str, str], ...] = ()
    carried: str | None = None
    seconds: float = 0.0
    effects: tuple[Effect, ...] = ()
    findings: tuple[tuple[str, str], ...] | None = None
    broken: tuple[tuple[str, str], ...] = ()
    problems: tuple[FoundProblem, ...] = ()


@dataclass(frozen=True, slots=True, kw_only=True)
class SeenCheck:
    """A check as it is registered.

    page      its docstring; taken_by: who has its code or name already
    explains  names of checks whose findings follow from its own: without fixes it takes theirs
    """

    code: str
    name: str
    layer: str
    page: str
    taken_by: str | None = None
    explains: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True, kw_only=True)
class SeenReader:
    """A reader as it is registered. documented: its module or function says what text it reads."""

    name: str
    signs: tuple[str, ...]
    documented: bool


@dataclass(frozen=True, slots=True, kw_only=True)
class Loading:
    """The plugin's import and its hooks.

    error        why it could not be loaded; None if it could
    hooks        the hooks it has; wrong: (hook, sentence) where one raised or gave what does not fit
    seconds      that it took; processor_seconds: that it worked
    backend      the backend's name; members: those of the protocol that it lacks, with what is wrong with each
    """

    error: str | None = None
    where: str | None = None
    seconds: float = 0.0
    processor_seconds: float = 0.0
    effects: tuple[Effect, ...] = ()
    hooks: tuple[str, ...] = ()
    wrong: tuple[tuple[str, str], ...] = ()
    backend: str | None = None
    vendor: str | None = None
    members: tuple[tuple[str, str], ...] = ()
    documented: bool = False
    readers: tuple[SeenReader, ...] = ()
    checks: tuple[SeenCheck, ...] = ()
    specs: str | None = None
    specs_problems: tuple[str, ...] = ()
    machines: str | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class Evidence:
    """All that is known of the plugin. expected, texts_expected: what the recordings' owner says of each."""

    subject: Subject
    loading: Loading | None
    kit_runs: tuple[KitRun, ...] = ()
    texts: tuple[TextTrial, ...] = ()
    endings: tuple[Ending, ...] = ()
    expected: Mapping[str, Expected] = field(default_factory=dict)
    texts_expected: Mapping[str, Expected] = field(default_factory=dict)
    machines_folder: str | None = None
    unusable: tuple[str, ...] = ()

    def answers(self, chosen: Callable[[Answer], bool] = lambda _: True) -> Iterator[Answer]:
        """Yield the answers of every machine and situation."""
        return (a for kit_run in self.kit_runs for a in kit_run.answers if chosen(a))

    def recorded(self) -> tuple[KitRun, ...]:
        """The trials of recorded machines as they were recorded."""
        return tuple(t for t in self.kit_runs if t.situation == AS_RECORDED)

    def situation(self, name: str) -> tuple[KitRun, ...]:
        return tuple(t for t in self.kit_runs if t.situation == name)

    def as_recorded(self, machine: str) -> KitRun | None:
        return next((t for t in self.recorded() if t.machine == machine), None)


def sound(reports: tuple[Report, ...]) -> tuple[Report, ...]:
    """Return the reports whose trust and devices can be sorted at all; the others are another rule's matter."""
    return tuple(
        r
        for r in reports[:_MOST_REPORTS]
        if isinstance(r.trust, int)
        and isinstance(r.devices, tuple)
        and all(isinstance(d, Device) and isinstance(d.index, int) and isinstance(d.id, str) for d in r.devices)
    )
