"""The results of trying a plugin: records that the rules judge. Pure data, sent by the child."""

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
_MOST_REPORTS = 100  # reports of one probe to examine
SIMULATING = "with its simulation on"
EMPTY_SNAPSHOT = "a snapshot in which nothing is known"

EffectKind = Literal[
    "write", "socket", "process", "library", "framework", "environment", "read", "print", "thread", "signal"
]


@dataclass(frozen=True, slots=True, kw_only=True)
class Effect:
    """A side effect outside the Machine. what: as shown to the user; where: "accel_acme/x.py:31"."""

    kind: EffectKind
    what: str
    where: str | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class Answer:
    """One call to the plugin and its outcome.

    call      "probe", "probe again", "memory of acme:0", "visible with ACME_MASK=0"; method is its first word
    value     the return value, in plain containers; None also if the call raised or the value could not be sent
    raised    "ValueError: odd row"; where: the plugin's own line, "accel_acme/backend.py:31"
    carried   why the value could not be sent; None if it was
    endless   it returned more items than is sensible and was truncated
    commands  (command line, timeout in seconds) of every command it ran through the Machine
    waited    seconds it would have waited for commands that hang
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
        """Describe the call for a fault's sentence."""
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
    """A call that did not return: it ran into its time limit, or crashed the process."""

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
    """The calls on one machine in one situation.

    signs_shown  whether one of the signs in its metadata is present; None if it states none
    findings  (code, name) of the plugin's findings; None: its checks were not run
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
        """Return the Reports that a probe returned."""
        found = self.answer(call)
        given = found.value if found and isinstance(found.value, tuple) else ()
        return tuple(r for r in given[:_MOST_REPORTS] if isinstance(r, Report))

    def devices(self, call: str = "probe") -> tuple[Device, ...]:
        """Return the devices that a probe returned, merged over its reports."""
        from accel.model.merge import merged_devices

        return merged_devices(sound(self.reports(call)))[0]


@dataclass(frozen=True, slots=True, kw_only=True)
class FoundProblem:
    """The parts of a finding that the rules use."""

    code: str
    title: str
    remedies: int
    evidence: int


@dataclass(frozen=True, slots=True, kw_only=True)
class TextTrial:
    """The plugin's readers applied to one text.

    cut      the fraction of the text that was given, 1.0 for all; foreign: of no vendor
    read     the readers that recognised something; raised: (reader, sentence, where)
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
    """A registered check.

    page      its docstring; taken_by: the plugin that already uses its code or name
    explains  names of checks whose findings follow from its own; if it has no fixes it uses theirs
    """

    code: str
    name: str
    layer: str
    page: str
    taken_by: str | None = None
    explains: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True, kw_only=True)
class SeenReader:
    """A registered reader. documented: its module or function says which text it reads."""

    name: str
    signs: tuple[str, ...]
    documented: bool


@dataclass(frozen=True, slots=True, kw_only=True)
class Loading:
    """The result of importing the plugin and calling its hooks.

    error        why it could not be loaded; None if it could
    hooks        the hooks it has; wrong: (hook, sentence) for each that raised or returned an invalid value
    seconds      wall time of the import; processor_seconds: CPU time of it
    backend      the backend's name; members: missing or invalid members of the protocol, with what is wrong
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
    """Everything known about the plugin. expected, texts_expected: what the recordings' owner expects of each."""

    subject: Subject
    loading: Loading | None
    kit_runs: tuple[KitRun, ...] = ()
    texts: tuple[TextTrial, ...] = ()
    endings: tuple[Ending, ...] = ()
    expected: Mapping[str, Expected] = field(default_factory=dict)
    texts_expected: Mapping[str, Expected] = field(default_factory=dict)
    unusable: tuple[str, ...] = ()

    def answers(self, chosen: Callable[[Answer], bool] = lambda _: True) -> Iterator[Answer]:
        """Yield the answers of all machines and situations."""
        return (a for kit_run in self.kit_runs for a in kit_run.answers if chosen(a))

    def recorded(self) -> tuple[KitRun, ...]:
        """Return the trials of the unmodified recorded machines."""
        return tuple(t for t in self.kit_runs if t.situation == AS_RECORDED)

    def situation(self, name: str) -> tuple[KitRun, ...]:
        return tuple(t for t in self.kit_runs if t.situation == name)

    def as_recorded(self, machine: str) -> KitRun | None:
        return next((t for t in self.recorded() if t.machine == machine), None)


def sound(reports: tuple[Report, ...]) -> tuple[Report, ...]:
    """Return the reports whose trust and devices can be sorted; another rule judges the rest."""
    return tuple(
        r
        for r in reports[:_MOST_REPORTS]
        if isinstance(r.trust, int)
        and isinstance(r.devices, tuple)
        and all(isinstance(d, Device) and isinstance(d.index, int) and isinstance(d.id, str) for d in r.devices)
    )
