"""Which remedies a finding shows, in which order, and who does what the reader may not do. Pure.

Dropped          what is for another place or another vendor's devices, what has no effect in this kind of environment
                 (replaced by what is done there), and what was tried without success
First            what helped already; else the first step that changes something, the least invasive one
Somebody else    a step for root if the reader is not root, one on the host if the machine is rented: it becomes a
                 request, after what the reader can do

An Inspect stays first if no other step can: each of them waits for it, cannot be undone, or is for a place that this
machine is not known to be. Nothing is dropped because of something unknown.
"""

from collections.abc import Iterator, Mapping, Sequence
from typing import TYPE_CHECKING, Any, Final

from accel.model.dataclass import dataclass, replace
from accel.model.diagnosis import Proof, Remedy
from accel.remedies.actions import (
    ChangePackages,
    Inspect,
    actions_of,
    names_of,
)
from accel.remedies.acts import with_act
from accel.remedies.attempts import Attempt, attempts_of, cures, outcome_of
from accel.remedies.environment import Environment, environment_of
from accel.remedies.owners import BOUND, OWN, by_their_owners, is_of_root, waits
from accel.remedies.places import Planned, is_here, only_shows, place_of, possible
from accel.remedies.render import render
from accel.remedies.solve import audited, solved
from accel.remedies.ticket import ticket_of
from accel.remedies.verify import probe_of, verification_of
from accel.resolver.installer import in_conda
from accel.text.pattern import pattern
from accel.text.words import capitalised
from accel.vendors.contract.command import assignment_word, command_line

if TYPE_CHECKING:
    from accel.facts.questions import Facts
    from accel.model.diagnosis import Action as Reach
    from accel.resolver.pins import Broken
    from accel.specs import Specs
    from accel.vendors.contract.check import Check, Problem

_INVASIVE: Final[tuple["Reach", ...]] = ("app", "env", "admin", "reset", "reboot", "service")  # the least first
_VARIABLE: Final = pattern(r"[A-Z][A-Z0-9]{1,30}(?:_[A-Z0-9]{1,30}){1,8}", exact_case=True)
_CONDITION: Final = pattern(r"If [^,:.]{2,80}[,:] ", exact_case=True)
_NUMBERS: Final = ("GPU_NUMBER", "NPU_ID", "PCI_ADDRESS")
_TAKEN_EFFECT: Final = (
    "This fix was tried already. Check that it took effect where the program runs (in the same environment, container "
    "and session): {}"
)
_ALL_TRIED: Final = Remedy(
    text="This text shows that every known fix was tried. Report it to the maintainers of the program or the "
    "machine, with the complete output and what was tried.",
    action="app",
    kind="ask",
)


@dataclass(frozen=True, slots=True, kw_only=True)
class Plan:
    """What a finding shows. tried: what failed already, in the words of the text; cured: whether one of them helped.

    works  the version with which it works, if going back to it is the first step: "driver 570.172.08"
    """

    remedies: tuple[Remedy, ...] = ()
    attempts: tuple[str, ...] = ()
    cured: bool = False
    works: str | None = None
    verification: Proof | None = None


NO_PLAN: Final = Plan()


def plan(problem: "Problem", check: "Check", facts: "Facts", specs: "Specs", powershell: bool | None = None) -> Plan:
    """Return the remedies of a problem for this machine, and how to verify that it is solved.

    powershell  use PowerShell for commands on Windows; None: the shell that the text shows
    """
    here = environment_of(facts, specs, powershell)
    table: Mapping[str, Any] = specs.table("language/remedies") or {}
    remedies, way = _with_way_back(problem.remedies, check, facts, specs)
    steps = [_step(one, problem, check, here) for one in remedies]
    untried, tried, helped = _untried(possible(_of_this_place(steps, table, facts), check, here), problem, here)
    chosen = [Planned(*audited(*solved(one.remedy, one.actions, here), here), one.of) for one in untried]
    kept = _without_broken_pins(chosen, here)
    typed = _in_order([one.with_(render(one.remedy, one.actions, here)) for one in kept], table, facts)
    by_others = by_their_owners(typed, here, table)
    first = [one for one in by_others if any(one.of is h.of for h in helped) and cures(one.remedy)]
    rest = (one for one in by_others if one not in first)
    ordered = _as_questions([*(one.with_(_unconditional(one.remedy)) for one in first), *rest], table)
    ordered = [one if at else one.with_(_unbound(one.remedy)) for at, one in enumerate(ordered)]
    ordered = [one.with_(_completed(one.remedy, problem, check, here)) for one in ordered]
    ordered = _once(ordered, table)
    info = (problem.severity or check.severity) == "info"
    if (
        tried
        and ordered
        and ordered[0].of is not remedies[0]
        and ordered[0].remedy.action in ("reset", "reboot", "service")
    ):
        ordered[0] = ordered[0].with_(_unconditional(ordered[0].remedy))  # what came before it was done
    verification = None if info else verification_of(check, problem, ordered[0].actions if ordered else (), here)
    if verification is not None:
        probe = _filled_in(verification.command, problem, here)
        if here.notebook and ordered and probe is not None:
            from accel.remedies.notebook import verified  # few machines are

            probe = verified(probe, ordered[0].remedy.command, bool((here.provider or {}).get("notebook")))
        verification = replace(verification, command=probe)
    return Plan(
        remedies=tuple(
            replace(one.remedy, request=ticket_of(one.remedy, problem, check, verification, here)) for one in ordered
        ),
        attempts=tried,
        cured=bool(helped),
        works=way if way is not None and ordered and ordered[0].of is remedies[0] else None,
        verification=verification,
    )


def _once(steps: Sequence[Planned], table: Mapping[str, Any]) -> list[Planned]:
    """Return the steps without later ones that type the same, unless that only applies what the words say."""
    again = tuple(table.get("applies", ()))
    typed = [(one.remedy.command or "").removeprefix("sudo ") for one in steps]
    told = [bool(line) and line in typed[:at] and not line.startswith(again) for at, line in enumerate(typed)]
    return [
        one for one, is_told in zip(steps, told, strict=True) if not (is_told and one.remedy.text.startswith("If "))
    ]


def _completed(remedy: Remedy, problem: "Problem", check: "Check", here: Environment) -> Remedy:
    """Return a remedy with the words of the text in its blanks, and how to find a device's number that it lacks."""
    filled = replace(remedy, command=_filled_in(remedy.command, problem, here))
    if not any(word in (filled.command or "") for word in _NUMBERS):
        return filled
    from accel.remedies.blanks import told_of_number  # few commands keep one

    return told_of_number(filled, check.name, here)


def _filled_in(command: str | None, problem: "Problem", here: Environment) -> str | None:
    words = (command or "").replace("=", " ").split()
    if not any(word == "-n" or (len(word) > 1 and word.isupper()) for word in words):
        return command
    from accel.remedies.blanks import filled_in  # few commands have blanks

    return filled_in(command, problem.devices, here, tuple(one.value for one in problem.evidence))


def _with_way_back(
    remedies: Sequence[Remedy], check: "Check", facts: "Facts", specs: "Specs"
) -> tuple[Sequence[Remedy], str | None]:
    """Put the way back to a working version first, if a check only says that something fails, not why; and name it."""
    if not facts.stated("version-told-apart"):
        return remedies, None
    from accel.remedies.going_back import leads_to, remedy_of, ways_back  # few texts tell it

    leading = (way for way in ways_back(facts, specs) if leads_to(check.name, way, specs))
    ways = ((way, remedy) for way in leading if (remedy := remedy_of(way, facts)) is not None)
    way, back = next(ways, (None, None))
    if way is None or back is None:
        return remedies, None
    return (back, *(one for one in remedies if not one.text.startswith("Go back to driver"))), way.name(way.works)


def _step(remedy: Remedy, problem: "Problem", check: "Check", here: Environment) -> Planned:
    """Return a check's remedy as a step, with a command for an act that it only names in words."""
    told = with_act(remedy, check, here)
    return Planned(told, actions_of(told.command, here.specs), remedy)


def _as_questions(steps: Sequence[Planned], table: Mapping[str, Any]) -> Sequence[Planned]:
    """Mark steps that start by inspecting and type nothing else as inspections, if another step fixes the problem."""
    asks = [_only_asks(one, table) for one in steps]
    if all(asks):
        return steps
    return [one.with_(replace(one.remedy, kind="look")) if ask else one for one, ask in zip(steps, asks, strict=True)]


def _only_asks(step: Planned, table: Mapping[str, Any]) -> bool:
    shows = bool(step.actions) and all(isinstance(one, Inspect) for one in step.actions)
    return shows and only_shows(step.remedy.text, table)


def _of_this_place(steps: Sequence[Planned], table: Mapping[str, Any], facts: "Facts") -> Sequence[Planned]:
    """Return the steps that may be for this place; all of them if there are none."""
    here = [
        one
        for one in steps
        if (place := place_of(one.remedy.text, table)) is None or is_here(place, facts) is not False
    ]
    return here or steps


def _untried(
    steps: Sequence[Planned], problem: "Problem", here: Environment
) -> tuple[list[Planned], tuple[str, ...], list[Planned]]:
    """Return the steps that have not failed already, the words of the failed attempts, and the steps that helped."""
    attempts = attempts_of(problem, here) if steps else ()
    outcomes = [(one, _outcome(one, attempts, here)) for one in steps]
    left = [one for one, outcome in outcomes if outcome is None or outcome.outcome == "works"]
    helped = [one for one, outcome in outcomes if outcome is not None and outcome.outcome == "works"]
    tried = [outcome.text for _, outcome in outcomes if outcome is not None and outcome.outcome == "fails"]
    stopgaps = [] if helped else list(_that_helped(attempts, [one for one, _ in outcomes], here))
    first = 0 if not left or left[0].remedy.command is None else 1
    left = [*left[:first], *stopgaps[:1], *left[first:]]
    if steps and not left:
        left = [*_taken_effect(steps[0], here), Planned(_ALL_TRIED, ())]
    return left, tuple(dict.fromkeys(tried)), helped


def _taken_effect(step: Planned, here: Environment) -> Iterator[Planned]:
    """Yield the look whether a step that was tried in vain reached the program that fails."""
    probe = probe_of(step.actions, here)
    if probe is not None:
        text = _TAKEN_EFFECT.format(f"{probe.text[0].lower()}{probe.text[1:]}")
        look = Remedy(text=text, command=probe.command, action="env", kind="look")
        yield Planned(look, actions_of(probe.command, here.specs))


def _outcome(step: Planned, attempts: Sequence[Attempt], here: Environment) -> Attempt | None:
    """Return the attempt equivalent to a step, as it is typed here or as its check wrote it."""
    found = outcome_of(step.remedy, step.actions, attempts, here)
    if found is not None or step.of is None:
        return found
    return outcome_of(step.of, actions_of(step.of.command, here.specs), [a for a in attempts if a.in_place], here)


def _is_of_the_environment(name: str, here: Environment) -> bool:
    """Return whether a name is that of an environment variable that only changes what the text says."""
    table: Mapping[str, Any] = here.specs.table("language/remedies") or {}
    return _VARIABLE.fullmatch(name) is not None and not name.endswith(tuple(table.get("tells_more", ())))


def _that_helped(attempts: Sequence[Attempt], steps: Sequence[Planned], here: Environment) -> Iterator[Planned]:
    """Yield a step for each variable that helped according to the text and that no step sets."""
    set_by_steps = {effect[1] for one in steps for action in one.actions for effect in action.effects()}
    vain = {effect for one in attempts if one.outcome == "fails" for effect in one.effects}
    for kind, name, value in dict.fromkeys(
        effect for one in attempts if one.outcome == "works" for effect in sorted(one.effects)
    ):
        assigned = assignment_word(name, value)
        if not _is_of_the_environment(name, here):
            continue
        if kind == "variable" and assigned and name not in set_by_steps and (kind, name, value) not in vain:
            exported = command_line("export", assigned)
            remedy = Remedy(
                text=f"Until the cause is fixed, set {name}, with which it works here.", command=exported, action="env"
            )
            yield Planned(remedy, actions_of(exported, here.specs), remedy)


def _without_broken_pins(steps: Sequence[Planned], here: Environment) -> Sequence[Planned]:
    """Move steps that violate the requirements of an installed package to the end, without their commands."""
    found = [(one, _broken_pins(one, here)) for one in steps]
    return [
        *(one for one, broken in found if not broken),
        *(one.with_(_told_of_pins(one.remedy, broken)) for one, broken in found if broken),
    ]


def _broken_pins(step: Planned, here: Environment) -> "tuple[Broken, ...]":
    changes = [one for one in step.actions if isinstance(one, ChangePackages)]
    installs = [operand for one in changes if one.command.verb == "install" for operand in one.command.operands]
    if not installs:
        return ()
    from accel.resolver.pins import broken_by

    others = [name for one in changes for name in names_of(one)]
    return broken_by(installs, others, here.facts, here.specs)


def _told_of_pins(remedy: Remedy, broken: "Sequence[Broken]") -> Remedy:
    """Return a remedy without its command, and with what would have to change together with it."""
    wants: dict[str, list[str]] = {}
    for one in broken:
        wants.setdefault(f"{one.package} {one.version}", []).append(f"{one.wants}{one.bound}")
    pins = "; ".join(f"{package} requires {', '.join(bounds)}" for package, bounds in wants.items())
    text = f"{remedy.text} No command: {pins}. Choose releases that work together, or change that package as well."
    return replace(remedy, text=text, command=None)


def _in_order(steps: Sequence[Planned], table: Mapping[str, Any], facts: "Facts") -> Sequence[Planned]:
    """Put the least invasive step that changes something before one that only shows something.

    Likewise, put a step of the user's own with a command before one of an administrator's without.
    """
    if len(steps) < 2:
        return steps
    steps = _own_program_first(steps, table, facts)
    first = steps[0].remedy
    by_hand = first.kind == "mend" and _changes_nothing(steps[0]) and first.action not in OWN
    if first.kind != "look" and not by_hand:
        return steps
    mending = [one for one in steps[1:] if _may_lead(one, table, facts) and (not by_hand or _is_ready(one, facts))]
    if not mending:
        return steps
    leading = min(mending, key=lambda one: (one.remedy.text.startswith("If "), _INVASIVE.index(one.remedy.action)))
    return (leading.with_(_unbound(leading.remedy)), *(one for one in steps if one is not leading))


def _own_program_first(steps: Sequence[Planned], table: Mapping[str, Any], facts: "Facts") -> Sequence[Planned]:
    """Put the command for a program that the text names before advice without a command."""
    if steps[0].remedy.command is not None:
        return steps
    places = ((one, place_of(_unbound(one.remedy).text, table)) for one in steps[1:] if one.remedy.command)
    own = [one for one, place in places if place and place["place"] == "program" and is_here(place, facts)]
    return (*own, *(one for one in steps if one not in own))


def _changes_nothing(step: Planned) -> bool:
    """Return whether a step has no command, or one that only shows something."""
    return all(isinstance(one, Inspect) for one in step.actions)


def _is_ready(step: Planned, facts: "Facts") -> bool:
    """Return whether a step is the user's own, for this case, and has a command for the tools here that changes
    something.
    """
    command = step.remedy.command
    own = step.remedy.action in OWN and command is not None and not is_of_root(command)
    if not own or step.remedy.text.startswith(("If ", "Where ", "Until ")):
        return False
    changing = [one for one in step.actions if not isinstance(one, Inspect)]
    by_conda = any(one.command.tool in ("conda", "mamba", "micromamba") for one in changing)
    return bool(changing) and (not by_conda or in_conda(facts))


def _may_lead(step: Planned, table: Mapping[str, Any], facts: "Facts") -> bool:
    """Return whether a step may come before one that only shows something."""
    place = place_of(step.remedy.text, table)
    undone = set((step.remedy.command or "").replace("(", " ").split()) & set(table.get("undoes", ()))
    return (
        not waits(step.remedy, table)
        and not undone
        and step.remedy.kind == "mend"
        and (place is None or is_here(place, facts) is True)
    )


def _unconditional(remedy: Remedy) -> Remedy:
    """Return a step without the condition for it, which is met: "If the reset fails, reboot"."""
    met = _CONDITION.match(remedy.text)
    return replace(remedy, text=capitalised(remedy.text[met.end() :])) if met is not None else remedy


def _unbound(remedy: Remedy) -> Remedy:
    """Return a step without the word that links it to the one before it."""
    start = next((word for word in BOUND if remedy.text.startswith(word)), "")
    return replace(remedy, text=capitalised(remedy.text[len(start) :])) if start else remedy
