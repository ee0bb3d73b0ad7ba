"""What was tried already: remedies that repeat a failed attempt are dropped, and one that helped comes first. Pure.

    NCCL_P2P_DISABLE=1: no change          export NCCL_P2P_DISABLE=1 is dropped
    $ docker run --gpus all app            so is a start with --gpus all, if the error follows it
    $ pip install torch==2.4.0             and an installation of the same package from the same index
    after rebooting: the same              and a step that only reboots, or only resets the device
    power-cycled it: still the same        and each of the three
    the redistributable is installed       and its installation: it is in place and did not help
    --gpu-reset is unsupported here        and a reset
    Environment="A=1" in the unit          and setting A to 1 in that unit
    docker.service: Active: failed         and starting it: it ended by itself
    sudo pip install, and a venv           not tried in the environment: sudo's pip is the system's
    pip: command not found                 what the shell did not run was not tried
    with --ipc=host it works               docker run --ipc=host … comes first, and its finding with it
    I reinstalled the driver               and each command that installs one, by specs/language/done_acts.yaml

Attempts are the text's own commands before the failure, and what its writer reports having tried
(mechanisms/experiments.py, mechanisms/told_attempts.py). They are compared with remedies by effect: a wheel from
another index, another value and a forced reinstallation are different.
"""

from collections.abc import Iterable, Iterator, Mapping, Sequence
from fnmatch import fnmatchcase
from typing import TYPE_CHECKING, Any, Final, Literal

from accel.facts.infer import observations_of
from accel.model.dataclass import dataclass, replace
from accel.model.observation import Command, Complaint, Experiment, Missing, Raised
from accel.remedies.actions import (
    REBOOT,
    RUNGS,
    Action,
    ChangeModule,
    ChangePackages,
    ControlService,
    Effect,
    Inspect,
    StartWith,
    actions_of,
    effects_of,
    names_of,
    type_of,
)
from accel.remedies.containers import is_started_with, tries_other_image
from accel.specs.versions import numbers
from accel.text.pattern import pattern
from accel.text.segments import is_prompted
from accel.text.shells import Step, steps_of

if TYPE_CHECKING:
    from accel.model.diagnosis import Remedy
    from accel.remedies.environment import Environment
    from accel.specs import Specs
    from accel.vendors.contract.check import Problem

_SET: Final = pattern(r"(?<![\w-])(?P<name>[A-Z][A-Z0-9_]{2,60})=(?P<value>[\w./:,+$@{}~-]{1,120})", exact_case=True)
_VARIABLE: Final = pattern(r"[A-Z][A-Z0-9]{0,30}_[A-Z0-9_]{1,60}", exact_case=True)
_ANY: Final = "*"  # a variable reported as set, without its value
_OPTION: Final = pattern(r"(?<![\w-])(?P<name>--[a-z][a-z-]{1,40})[= ](?P<value>[\w./:+-]{1,60})", exact_case=True)
_REBOOT: Final = pattern(
    r"\breboot(?:ed|ing|s)?\b|\brestart(?:ed|ing)? (?:the |my )?(?:machine|computer|server|pc|host|node)\b"
)
_WHERE_IT_RUNS: Final = ("unit", "container", "compose", "pod", "image")
_SHORTEST_NAME: Final = 3
_TELLING: Final = 8  # letters that tell one name from another: "flashatt"
_DONE: Final = "language/done_acts"
_TORCH: Final = pattern(r"\btorch==(?P<version>\d[\d.]{0,20})", exact_case=True)
_BUILD: Final = pattern(r"/whl/(?P<build>(?:cu|rocm)[\d.]{2,6})\b", exact_case=True)
_DRIVER: Final = pattern(r"\bdriver (?P<version>\d[\d.]{0,20}) or newer")
_ACT: Final = "act "  # begins the condition of an experiment that is told in words, as in specs/language/attempts.yaml
_STOPGAP: Final = "Until then"  # helps, and cures nothing


@dataclass(frozen=True, slots=True, kw_only=True)
class Attempt:
    """Something that was tried.

    start  of a container: the command that did it
    typed  each step of a command that somebody reports having typed, word for word
    in_place  a variable that the program has already, where it runs
    """

    text: str
    effects: frozenset[Effect]
    outcome: Literal["works", "fails"]
    start: Command | None = None
    typed: frozenset[str] = frozenset()
    in_place: bool = False


def attempts_of(problem: "Problem", here: "Environment") -> tuple[Attempt, ...]:
    """Return what the text shows was tried against a problem, in order."""
    seen = observations_of(here.facts.snapshot)
    failing = [e.line for e in problem.evidence if e.line is not None]
    failing += [
        one.line
        for one in seen
        if one.line is not None and (isinstance(one, Raised) or (isinstance(one, Complaint) and one.certain))
    ]
    typed = [one for one in seen if isinstance(one, Command) and not one.advice and is_prompted(one.text)]
    # Whoever goes on typing after the failure, and says nothing of a success, has tried what stands above.
    last = max((*failing, *(one.line for one in typed if one.line is not None)), default=0)
    done = here.facts.cached(("attempts", id(here)), lambda: _exact([*_attempts(seen, here), *_in_place(here)], here))
    return tuple(attempt for line, attempt in done if line is None or 0 < line < last)


def _exact(done: Sequence[tuple[int | None, Attempt]], here: "Environment") -> tuple[tuple[int | None, Attempt], ...]:
    """Return the attempts without acts that the text also tells exactly: "I joined video" is not "the groups"."""
    kinds = {kind for _, attempt in done for kind, _, _ in attempt.effects}
    loose = {("act", row["act"], "") for row in _acts(here) if row.get("exact") in kinds}
    return tuple((line, replace(one, effects=one.effects - loose)) for line, one in done)


def outcome_of(
    remedy: "Remedy", actions: Sequence[Action], attempts: Iterable[Attempt], here: "Environment"
) -> Attempt | None:
    """Return the attempt equivalent to a remedy, one that worked before one that failed; None if there is none."""
    attempts = tuple(attempts)
    found = [one for one in attempts if _is_same(remedy, actions, one, here)]
    vain = [one for one in attempts if one.outcome == "fails" and one.start is None and not one.in_place]
    if not found and len(vain) > 1:  # several attempts, each with a part of it
        every = frozenset(effect for one in vain for effect in one.effects)
        whole = Attempt(text=" ".join(dict.fromkeys(one.text for one in vain)), effects=every, outcome="fails")
        found = [whole] if _is_same(remedy, actions, whole, here) else []
    return next((one for one in found if one.outcome == "works"), found[0] if found else None)


def cures(remedy: "Remedy") -> bool:
    """Return whether a remedy that helped is a cure, not just a workaround."""
    return not remedy.text.startswith(_STOPGAP)


def _attempts(seen: Sequence[object], here: "Environment") -> Iterator[tuple[int | None, Attempt]]:
    """Yield each attempt with its line, which has to be above the failure; None: it may be anywhere."""
    unknown = [one.text for one in seen if isinstance(one, Missing) and one.piece == "command"]
    for one in seen:
        if isinstance(one, Experiment) and one.relation != "without":
            told = frozenset(_told(one.condition, one.text, here.specs))
            told = _with_lower_rungs(told) if one.outcome == "fails" else told
            acts = actions_of(one.condition, here.specs)
            start = next((act.command for act in acts if isinstance(act, StartWith)), None)
            typed = _steps(one.condition)
            yield None, Attempt(text=one.text, effects=told, outcome=one.outcome, typed=typed, start=start)
        elif isinstance(one, Command) and not one.advice and not _is_refused(one, unknown):
            kind = type_of(one, here.specs)
            if kind is ChangePackages and f"sudo {one.tool} " in one.text and here.facts.stated("venv-named"):
                continue  # that was the system's Python
            if kind is StartWith and tries_other_image(one, here.facts, here.specs):
                continue
            starts = kind is StartWith  # a start is how the failing program was started, wherever the text shows it
            did = kind(step=Step("", ()), command=one).effects()
            did |= _started(one) if kind is ControlService else frozenset()
            effects = _with_lower_rungs(frozenset(effect for effect in did if effect[0] != "run"))
            if effects:
                attempt = Attempt(text=one.text, effects=effects, outcome="fails", start=one if starts else None)
                yield None if starts else one.line or 0, attempt


def _with_lower_rungs(effects: frozenset[Effect]) -> frozenset[Effect]:
    """Return effects with what they include: a power cycle restarts the machine, a restart resets the devices."""
    highest = max((at for at, rung in enumerate(RUNGS) if rung in effects), default=-1)
    return effects.union(RUNGS[: highest + 1])


def _in_place(here: "Environment") -> Iterator[tuple[None, Attempt]]:
    """Yield the variables that the program already has where it runs, whose setting does nothing, and the start of each
    service that ended by itself.
    """
    for fact in here.facts.stated("service-state"):
        if fact.value("state") in ("failed", "restarting"):
            effects = frozenset({("service", fact.value("service") or "", "")})
            yield None, Attempt(text=fact.text, effects=effects, outcome="fails")
    for fact in here.facts.stated("variable-set-at"):
        name = fact.value("name") or ""
        value = here.facts.variable(name)
        if fact.value("how") in _WHERE_IT_RUNS and value:
            yield (
                None,
                Attempt(text=fact.text, effects=frozenset({("variable", name, value)}), outcome="fails", in_place=True),
            )


def _is_refused(command: Command, unknown: Sequence[str]) -> bool:
    """Return whether the shell did not know the command, so that nothing of it ran."""
    answer = command.answer or ""
    return bool(answer) and any(answer.startswith(text) or text.startswith(answer) for text in unknown)


def _steps(command: str) -> frozenset[str]:
    """Return the steps of a command, word for word."""
    return frozenset(" ".join(token.raw for token in step.words) for step in steps_of(command) or ())


def _is_typed(steps: frozenset[str], typed: frozenset[str], here: "Environment") -> bool:
    """Return whether somebody typed all steps of a command, and one of them has its effect by itself."""
    again = tuple((here.specs.table("language/remedies") or {}).get("applies", ()))
    return (
        bool(steps)
        and steps <= typed
        and not any(f"{one.removeprefix('sudo ')} ".startswith(f"{word} ") for one in steps for word in again)
    )


def _is_same(remedy: "Remedy", actions: Sequence[Action], attempt: Attempt, here: "Environment") -> bool:
    if attempt.typed and remedy.command is not None and _is_typed(_steps(remedy.command), attempt.typed, here):
        return True
    changing = [one for one in actions if not isinstance(one, Inspect)]
    if remedy.action == "reboot" and not changing and REBOOT in attempt.effects:
        return True
    acts = [row for row in _acts(here) if ("act", row["act"], "") in attempt.effects]
    if acts and _is_done(remedy, changing, acts, attempt, here):
        return True
    if not changing:
        return False
    if attempt.start is not None and all(isinstance(one, StartWith) for one in changing):
        return all(is_started_with(one.command, attempt.start, here.specs) for one in changing)
    if REBOOT in attempt.effects and all(_done_by_reboot(one) for one in changing):
        return True
    if all(isinstance(one, ControlService) for one in changing):
        table: Mapping[str, Any] = here.specs.table("language/remedies") or {}
        started = frozenset(effect for one in changing for effect in _started(one.command))
        return bool(started) and started <= attempt.effects and not remedy.text.startswith(tuple(table["waits"]))
    effects = effects_of(changing)
    if effects == {REBOOT} and not all(_done_by_reboot(one) for one in changing):
        return False  # the restart only ends what the other steps do
    if any(kind == "variable" and value and name in _in_program(here) for kind, name, value in effects):
        return False  # set in the program below the import that reads it, it may count for nothing
    return bool(effects) and all(_is_among(effect, attempt.effects) for effect in effects)


def _acts(here: "Environment") -> Sequence[Mapping[str, Any]]:
    found: Sequence[Mapping[str, Any]] = (here.specs.table(_DONE) or {}).get("acts", ())
    return found


def _is_done(
    remedy: "Remedy",
    changing: Sequence[Action],
    acts: Sequence[Mapping[str, Any]],
    attempt: Attempt,
    here: "Environment",
) -> bool:
    """Return whether acts that are told in words, with what else was tried, cover every step of a remedy."""
    acts = [row for row in acts if "bound" not in row or _is_reached(row["bound"], remedy, here)]
    told = _plain(attempt.text)
    said = remedy.text.partition(". ")[0].lower()
    words = tuple(word for row in acts for word in row.get("words", ()))
    if said.startswith(words) or not changing:
        return any(word in said for word in words)
    lines = [(one, _line(one)) for one in changing]
    done = [
        one
        for one, line in lines
        if any(_is_any(line, row.get("steps", ())) and ("named" not in row or _is_named(one, told)) for row in acts)
    ]
    also = [
        *(here.specs.table(_DONE) or {}).get("besides", ()),
        *(form for row in acts for form in row.get("also", ())),
    ]
    others = (one for one, line in lines if one not in done and not _is_any(line, also))
    return bool(done) and all(effect in attempt.effects for one in others for effect in one.effects())


def _is_any(line: str, forms: Iterable[str]) -> bool:
    return any(fnmatchcase(line, form) for form in forms)


def _is_named(action: Action, told: str) -> bool:
    """Return whether words, without blanks and signs, name what a step is about: "flash attention" for flash-attn."""
    loaded = {effect[2] for effect in action.effects() if effect[0] == "module"}
    variables = {name for name, _ in action.command.variables}
    services = {name.rpartition("-")[2] for name in names_of(action) if isinstance(action, ControlService)}
    names = map(_plain, loaded | variables | services or names_of(action))
    return any(len(name) >= _SHORTEST_NAME and name[:_TELLING] in told for name in names)


def _plain(text: str) -> str:
    return "".join(sign for sign in text.lower() if sign.isalnum())


def _line(action: Action) -> str:
    return " ".join(token.value or token.raw for token in action.step.words).removeprefix("sudo ")


def _is_reached(bound: str, remedy: "Remedy", here: "Environment") -> bool:
    """Return whether the text shows no older driver, and no other torch, than a remedy asks for."""
    if bound == "torch":
        torch = here.facts.framework("torch")
        asked = _TORCH.search(remedy.command or "")
        if torch is None or torch.version is None or asked is None:
            return True
        build = _BUILD.search(remedy.command or "")
        other = torch.variant not in (None, "cpu") and build is not None and build["build"] != torch.variant
        return not other and numbers(asked["version"]) == numbers(torch.version.partition("+")[0])
    drivers = (here.facts.driver(report.backend) for report in here.facts.snapshot.reports)
    shown = [driver.version for driver in drivers if driver is not None and driver.version is not None]
    needs = _DRIVER.search(remedy.text)
    return needs is None or not shown or numbers(shown[0]) >= numbers(needs["version"])


def _started(command: Command) -> frozenset[Effect]:
    """Return one effect for each service that a command starts."""
    starts = command.verb in ("start", "restart") or (command.verb == "enable" and "--now" in command.options)
    return frozenset(("service", unit.removesuffix(".service"), "") for unit in command.operands if starts)


def _in_program(here: "Environment") -> frozenset[str | None]:
    """Return the variables that the text's own program sets in os.environ."""
    return frozenset(f.value("name") for f in here.facts.stated("variable-set-at") if f.value("how") == "python")


def _is_among(effect: Effect, done: frozenset[Effect]) -> bool:
    """Return whether an effect is among those of an attempt; a variable reported without a value matches any value."""
    kind, name, value = effect
    given = kind == "variable" and value and not value.startswith("$(echo")  # that corrects what it has
    return effect in done or bool(given and (kind, name, _ANY) in done)


def _done_by_reboot(action: Action) -> bool:
    """Return whether a restart of the machine has the same effect: modules are reloaded, services restarted."""
    if isinstance(action, ControlService):
        return action.command.verb == "restart"
    return REBOOT in action.effects() or (isinstance(action, ChangeModule) and action.command.tool != "dkms")


def _told(condition: str, text: str, specs: "Specs") -> Iterator[Effect]:
    """Yield the effects of what somebody reports having tried: "with NCCL_P2P_DISABLE=1", or a whole command.

    text  the line that reports it: a variable has the value that it has there; a name in "${NAME}" is only read
    """
    if condition.startswith(_ACT):
        yield "act", condition.removeprefix(_ACT), ""
        return
    yield from (effect for effect in effects_of(actions_of(condition, specs)) if effect[0] != "run")
    for hit in _SET.finditer(condition):
        yield "variable", hit["name"], hit["value"]
    if _VARIABLE.fullmatch(condition):
        values = [hit["value"] for hit in _SET.finditer(text) if hit["name"] == condition]
        read = f"${{{condition}}}" in text or f"${condition}" in text
        yield from (("variable", condition, value) for value in values or ([] if read else [_ANY]))
    for hit in _OPTION.finditer(condition):
        yield "option", hit["name"], hit["value"]
    if _REBOOT.search(condition):
        yield REBOOT
