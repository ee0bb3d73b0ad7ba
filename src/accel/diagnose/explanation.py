"""Which outcomes give way to which, and which cause explains which symptom. Pure.

gate          a check is ignored if a fault was found that `precludes` it: without the hardware there is no driver
premise       a check is ignored if a fault was found that it `requires` to be absent, unless it explains that fault
last resort   a finding that is true but rarely the whole story is ignored if another check found a fault
last words    nobody asks what a program said before it ended if a finding says why it ended
consequence   a finding that is `explained_by` another one, or that another one `explains`, is kept, but not as a cause
symptom       a finding that says what is missing, but not why (specs/system/symptoms), is a consequence of each finding
              that says why, of the same vendor or of none
open piece    a missing piece is ignored if the tables know a more specific fault and no fact decides; the meaning of a
              code is ignored if the tables list its causes

A cause on one device explains nothing on another; one of the whole machine explains what is on any device.
"""

from collections.abc import Iterable, Iterator, Mapping, Sequence
from typing import Any, Final

from accel.diagnose.outcome import Outcome
from accel.facts.query import LAST_WORDS
from accel.model.diagnosis import AmbiguousCauses, Evidence, Finding, Remedy
from accel.vendors.contract.check import LAYERS, Check, Problem

_GATED: Final = "{} was found, and this cannot be there with it"
_NARROWER: Final = "a narrower check found a fault"
_LEFT_OPEN: Final = "several causes of the same line are known, and no fact decides"
_TOLD_BY_ANOTHER: Final = "another finding shows why it ended"
_GENERAL: Final = "library-error"  # says what a code means: its causes, where the tables list them, say more
_SYMPTOM: Final = "framework-step-failed"  # no cause of anything, and most other findings may be its own
_PIECES: Final = ("library-not-found", "symbol-not-found", "module-not-found")  # they know no more than the line

_OF_NO_MAKER: Final = "AC"  # the codes of accel's own checks begin so

_Devices = tuple[str, ...]
_Symptoms = Mapping[str, Sequence[Mapping[str, Any]]]


class Causes:
    """What was found, as far as it can explain something else."""

    def __init__(self, faults: Mapping[str, Sequence[str]], telling: Iterable[Outcome], symptoms: _Symptoms) -> None:
        """faults  the names of the checks that found a fault, by name and by family"""
        self._faults = faults
        self._telling = tuple(telling)
        self._symptoms = symptoms
        self._places = {one.check.name: tuple(problem.devices for problem in one.problems) for one in self._telling}

    def of(self, check: Check, problem: Problem) -> tuple[str, ...]:
        """Return the checks whose findings explain what a check found."""
        if check.name == _SYMPTOM:
            from accel.diagnose.symptoms import causes_of_symptom  # needed only after  accel doctor --deep

            return tuple(causes_of_symptom(problem, (one for one in self._telling if one.check is not check)))
        told = (one.check for one in self._telling if one.faulty and one.check is not check)
        roots = [one.name for one in told if self.explains(one, check)]
        named = (*_among(check.explained_by, check, self._faults), *roots)
        return causes_of(problem.devices, {name: self._places[name] for name in named})

    def explains(self, cause: Check, check: Check) -> bool:
        """Return whether the fault that one check found is the reason for that of another."""
        if not {check.name, check.family}.isdisjoint(cause.explains):
            return True
        symptoms = self._symptoms.get(check.name, ())
        if not symptoms or not (cause.code[:2] in (_OF_NO_MAKER, check.code[:2]) or check.code[:2] == _OF_NO_MAKER):
            return False
        if not {cause.name, cause.family}.isdisjoint(check.explains) or check.name in cause.explained_by:
            return False  # the other way round
        return any(
            symptom["name"] in cause.explains
            or cause.name in symptom["reasons"]
            or (cause.family in symptom.get("families", ()) and cause.name not in symptom["findings"])
            for symptom in symptoms
        )

    def remedies_below(self, check: Check) -> tuple[Remedy, ...]:
        """Return the remedies of the findings that a check explains: a root cause may have none of its own."""
        others = [one for one in self._telling if one.check is not check]
        named = [
            one
            for one in others
            if not {one.check.name, one.check.family}.isdisjoint(check.explains) or check.name in one.check.explained_by
        ]
        symptoms = [one for one in others if self.explains(check, one.check)]
        told = (problem.remedies for one in (*named, *symptoms) for problem in one.problems if problem.remedies)
        return next(told, ())


def settled(outcomes: Sequence[Outcome], symptoms: _Symptoms) -> Causes:
    """Mark the outcomes that give way to others, and return what can explain the rest.

    outcomes  premises first, so that everything a check depends on is settled before it
    symptoms  for each check that says what is missing but not why, what it is a symptom of
    """
    _gates(outcomes)
    faults = _premises(outcomes)
    telling = [outcome for outcome in outcomes if outcome.problems]  # a few of some hundreds
    causes = Causes({**_of_the_program(telling), **faults}, telling, symptoms)
    _last_resorts(telling, causes)
    _last_words(telling, outcomes)
    return causes


def given_way(outcomes: Iterable[Outcome]) -> Iterator[Evidence]:
    """Yield the lines quoted by findings that gave way to a fault: they need no further explanation."""
    for outcome in outcomes:
        if outcome.problems and outcome.not_applicable:
            yield from (evidence for problem in outcome.problems for evidence in problem.evidence)


def causes_of(devices: Iterable[str], faults: Mapping[str, Sequence[_Devices]]) -> tuple[str, ...]:
    """Return the faults that can explain a fault of these devices: together they must cover all of them.

    faults  the devices of each problem that a check found, by the check's name; (): a problem of the machine

    A fault of the machine affects every device, and a fault of a device its partitions.
    """
    boards = {_board(one) for one in devices}
    reached: dict[str, set[str]] = {}
    for name, places in faults.items():
        here = {_board(one) for place in places for one in place} & boards
        if not boards or () in places:
            here = boards
        elif not here:
            continue
        reached[name] = here
    return tuple(reached) if boards <= set().union(*reached.values()) else ()


def without_open_pieces(
    findings: tuple[Finding, ...],
    outcomes: Sequence[Outcome],
    told: Iterable[AmbiguousCauses],
    layer_of: Mapping[str, str],
) -> tuple[Finding, ...]:
    """Remove findings of a missing piece if the tables know a more specific fault.

    told      what they leave open
    layer_of  the layer of each check, by its code
    """
    if not any(finding.name in (*_PIECES, _GENERAL) for finding in findings):
        return findings
    layers = {code: LAYERS.index(layer) for code, layer in layer_of.items()}
    usual = {one.line: layers.get(one.candidates[0].code or "", len(LAYERS)) for one in told}
    pieces = {outcome.check.code for outcome in outcomes if outcome.check.name in _PIECES and outcome.found}
    bare = {
        finding.code
        for finding in findings
        if finding.code in pieces
        and all(usual.get(e.line, len(LAYERS)) < layers[finding.code] for e in finding.evidence)
    }
    for outcome in outcomes:
        listed = outcome.check.name == _GENERAL and any(e.line in usual for p in outcome.problems for e in p.evidence)
        if outcome.found and (listed or outcome.check.code in bare):
            outcome.not_applicable = _LEFT_OPEN
            bare.add(outcome.check.code)
    return tuple(finding for finding in findings if finding.code not in bare)


def _gates(outcomes: Iterable[Outcome]) -> None:
    gates = [outcome for outcome in outcomes if outcome.check.precludes and outcome.found]
    for gate in gates:
        for outcome in outcomes:
            check = outcome.check
            if outcome is not gate and not {check.name, check.family}.isdisjoint(gate.check.precludes):
                outcome.not_applicable = outcome.not_applicable or _GATED.format(gate.check.name)


def _premises(outcomes: Iterable[Outcome]) -> Mapping[str, Sequence[str]]:
    """Mark the outcomes whose premise fails; return the checks that found a fault, by name and by family.

    A fault of last resort is only a premise of others of its kind.
    """
    faults: dict[str, list[str]] = {}
    last: dict[str, list[str]] = {}
    explaining = {one.check.name: one.check.explains for one in outcomes if one.check.explains}
    for outcome in outcomes:
        check = outcome.check
        if check.requires and not outcome.not_applicable and (faults or last):
            before = (faults, last) if check.last_resort else (faults,)
            names = (one for each in before for one in _among(check.requires, check, each))
            broken = tuple(n for n in names if {check.name, check.family}.isdisjoint(explaining.get(n, ())))
            if broken:
                outcome.not_applicable = f"{', '.join(broken)} was found, which comes first"
        if outcome.problems and outcome.faulty:
            for name in {check.name, check.family or check.name}:
                (last if outcome.is_last_resort else faults).setdefault(name, []).append(check.name)
    return faults


def _last_resorts(telling: Iterable[Outcome], causes: Causes) -> None:
    """Mark last resorts if there is another fault, unless all that was found are symptoms that this one explains."""
    faulty = (outcome.check for outcome in telling if not outcome.is_last_resort and outcome.faulty)
    others = [check for check in faulty if check.name != _SYMPTOM]
    for outcome in telling:
        if (outcome.is_last_resort and outcome.found) and not all(
            causes.explains(outcome.check, other) for other in others
        ):
            outcome.not_applicable = _NARROWER


def _last_words(telling: Iterable[Outcome], outcomes: Iterable[Outcome]) -> None:
    found = (outcome for outcome in telling if outcome.found and not outcome.is_last_resort)
    if any(outcome.faulty or outcome.check.layer != "hardware" for outcome in found):
        for outcome in outcomes:
            if outcome.wants in LAST_WORDS:
                outcome.not_applicable = _TOLD_BY_ANOTHER


def _of_the_program(telling: Iterable[Outcome]) -> Mapping[str, Sequence[str]]:
    """Return what the program itself did wrong, by name: it may explain failures of its other processes."""
    own = (o.check.name for o in telling if o.found and not o.faulty and o.check.layer == "application")
    return {name: [name] for name in own}


def _among(names: Iterable[str], check: Check, faults: Mapping[str, Sequence[str]]) -> tuple[str, ...]:
    found = (fault for name in names for fault in faults.get(name, ()) if fault != check.name)
    return tuple(dict.fromkeys(found))


def _board(device: str) -> str:
    return device.partition("/")[0]
