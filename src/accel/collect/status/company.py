"""What a statement's status inherits: from its line, from the same fact elsewhere, from a machine without a device."""

from collections.abc import Container
from typing import Final

from accel.collect.status.faults import FAULTS, SURE, is_certain, is_sure, kind_of
from accel.collect.status.later import Later
from accel.collect.status.told import Told
from accel.model.dataclass import replace
from accel.model.observation import Observation
from accel.text.pattern import pattern

_ASKING: Final = ("unsolved", "present", "ask")
_WITHOUT: Final = ("intel", "apple", "cpu")  # vendors of GPUs in machines without an accelerator
_CARD: Final = pattern(r"\bArc (?:Pro )?[AB]\d{2,3}|\bData Center GPU\b")  # what is no part of a processor
_UNSOLVED: Final = ("present", "unclear")
_WARNS: Final = pattern(r"\W{0,3}(?:[\d:.T/-]{8,30}\W{1,4}){0,2}(?:W\b|warn)")  # a logger's warning
_SHOWN: Final = "device-computes-shown"
_WHY_SHOWN: Final = "the program's own output shows that it computes on the device"
_WHY: Final = "expected on a machine whose accelerator is not meant to be used, or that has none"


def with_company(judged: list[Observation], told: Told, later: Later) -> list[Observation]:
    """Return the observations; those that only accompany a fault get its status."""
    return _of_experiments(_of_the_text(_of_namesakes(_of_the_line(judged), later), told, later), later)


def _of_the_line(judged: list[Observation]) -> list[Observation]:
    """Give notes the status of the errors on their line."""
    errors = _by_line([one for one in judged if kind_of(one) in SURE])
    found = []
    for one in judged:
        here = errors.get(one.line or 0, []) if kind_of(one) == "noted" else []
        if one.status in ("past", "unclear") and here and all(other.status == "negated" for other in here):
            one = replace(one, status="present")  # what never occurred is not over, nor in doubt
        found.append(_with(one, here))
    return found


def _of_namesakes(judged: list[Observation], later: Later) -> list[Observation]:
    """Give a note on a line without an error the status of the same note on a line with one."""
    same: dict[str, list[Observation]] = {}
    for one in judged:
        if kind_of(one) == "noted" and one.line in later.trouble_lines:
            same.setdefault(getattr(one, "fact", ""), []).append(one)
    return [_with(one, same.get(getattr(one, "fact", ""), [])) if kind_of(one) == "noted" else one for one in judged]


def _of_the_text(judged: list[Observation], told: Told, later: Later) -> list[Observation]:
    """Give a line that only sounds like trouble the status of the faults on its line, or in the text."""
    known = _by_line([one for one in judged if kind_of(one) in SURE or kind_of(one) == "noted"])
    sure = [one for one in judged if is_sure(one)]
    sure = sure or [one for one in judged if kind_of(one) == "noted" and one.status != "present"]
    over = bool(sure) and all(one.status != "present" for one in sure) and not later.is_unsolved
    over &= any(one.status != "quoted" for one in sure)  # a writer may quote a message and complain about another
    found = []
    for one in judged:
        written = one.line is not None and told.segments.kind(one.line) == "prose"
        loose = kind_of(one) == "complaint" or (kind_of(one) == "raised" and written)
        if loose and one.status == "present" and one.line is not None:
            here = [other for other in known.get(one.line, []) if other is not one and kind_of(other) != "raised"]
            here = [other for other in here if kind_of(other) != "noted"] or here
            not_now = [other for other in here if other.status != "present"]
            if here and len(not_now) * 2 >= len(here):
                one = replace(one, status=not_now[0].status, why=not_now[0].why)
            elif (
                over
                and one.line is not None
                and (_is_title(one.line, told) or not (is_certain(one) or told.says(*_ASKING, line=one.line)))
            ):
                one = replace(one, status=sure[0].status, why=sure[0].why)
        found.append(one)
    return found


def _of_experiments(judged: list[Observation], later: Later) -> list[Observation]:
    """Make what fixed a fault past if all faults in the text are past."""
    faults = [one for one in judged if one.line is not None and (kind_of(one) in SURE or kind_of(one) == "complaint")]
    if later.is_unsolved or not faults or any(one.status != "past" for one in faults):
        return judged
    return [replace(one, status="past", why=faults[0].why) if _cures(one) else one for one in judged]


def _cures(one: Observation) -> bool:
    return kind_of(one) == "experiment" and one.status == "present" and getattr(one, "outcome", "") == "works"


def _with(one: Observation, others: list[Observation]) -> Observation:
    """Return the observation with the status of the others, if none of them is present."""
    if one.status != "present" or not others or any(other.status == "present" for other in others):
        return one
    return replace(one, status=others[0].status, why=others[0].why)


def _by_line(observations: list[Observation]) -> dict[int, list[Observation]]:
    found: dict[int, list[Observation]] = {}
    for one in observations:
        found.setdefault(one.line or 0, []).append(one)
    return found


def _is_title(line: int, told: Told) -> bool:
    kinds = told.segments.kinds
    first = next((number for number, kind in enumerate(kinds, 1) if kind != "blank"), 0)
    return line == first and told.segments.kind(line + 1) in ("blank", "prose")


def with_use_shown(judged: list[Observation], told: Told, fallback: Container[str]) -> list[Observation]:
    """Return the observations; a doubt that a device is used yields to output of the one program that shows it in use.

    fallback  as in `with_fallbacks`
    """
    facts = [(getattr(one, "fact", None), one) for one in judged]
    shown = {one.line for fact, one in facts if fact == _SHOWN and one.status == "present"}
    programs = {dict(getattr(one, "values", ())).get("program") for fact, one in facts if fact == "program-named"}
    if not shown or len(programs) > 1:
        return judged
    doubts = [one for fact, one in facts if fact in fallback and one.line not in shown]
    said = [one for one in doubts if one.line is not None and told.segments.kind(one.line) == "prose"]
    said = [one for one in said if not getattr(one, "values", ())]  # a value is printed: "100% CPU" of a table
    hard = (one for one in judged if kind_of(one) in SURE or (one in doubts and one not in said))
    if not said or any(one.status == "present" for one in hard):
        return judged
    over = {id(one) for one in (*said, *(one for one in judged if kind_of(one) == "complaint"))}
    return [replace(one, status="negated", why=_WHY_SHOWN) if id(one) in over else one for one in judged]


def with_fallbacks(judged: list[Observation], told: Told, fallback: Container[str]) -> list[Observation]:
    """Return the observations; fallbacks are expected if the writer says that no accelerator is present or wanted.

    fallback  names of facts: messages of programs that continue without a device
    """
    theirs = {one.line for one in judged if getattr(one, "fact", None) in fallback}
    # "no NVIDIA GPU was detected" is the message itself; a line that introduces output is about a run
    bare = {event.line for event in told.events if event.kind == "bare"} - theirs
    bare = {
        line for line in bare if not told.text(line).rstrip().endswith((":", "：")) or theirs & {line + 1, line + 2}
    }
    if not bare or told.says("wanted") or any(_is_accelerator(one) for one in judged if one.line not in bare):
        return judged
    # What ends a program is no fallback, and a line right above the message belongs to it.
    ended = {one.line for one in judged if kind_of(one) == "raised" and not _WARNS.match(one.text)}
    shown = {one.line or 0 for one in judged if one.line in theirs and one.status in _UNSOLVED} - ended
    shown |= {line - 1 for line in shown} - ended
    return [
        replace(one, status="expected", why=_WHY)
        if one.line in shown and one.status in _UNSOLVED and kind_of(one) in FAULTS
        else one
        for one in judged
    ]


def _is_accelerator(one: Observation) -> bool:
    """Return whether an observation names a device that a program could use."""
    if kind_of(one) != "product" or one.status != "present":
        return False
    return getattr(one, "vendor", "") not in _WITHOUT or _CARD.search(getattr(one, "name", None) or "") is not None
