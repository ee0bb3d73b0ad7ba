"""Keeps what is known of one vendor from lines about another's devices and tools. Pure.

AMDSMI ... Driver Not Loaded          NVIDIA's table of errors knows the words, but the line names AMD's tool
/dev/dri/renderD128 cannot be opened  AMD's check knows the fault, but only an Intel GPU is in the text

A check keeps a line that names another vendor if the rest of the text shows its own: a library of one vendor that is
missing on a machine of another is a fault of its own.
"""

from collections.abc import Iterable

from accel.facts.makers import is_about_others, makers_shown
from accel.facts.questions import Facts
from accel.facts.readers.mechanisms.subjects import FACT as SUBJECT
from accel.model.dataclass import replace
from accel.model.observation import ErrorSeen, Observation
from accel.model.snapshot import Snapshot
from accel.specs import Specs
from accel.vendors.contract.check import Check, Problem


def without_errors_of_others(snapshot: Snapshot, specs: Specs) -> Snapshot:
    """Return the snapshot without the errors of a vendor's tables in lines about other vendors' devices."""
    kept = tuple(one for one in snapshot.observations if not _is_misread(one, specs))
    return snapshot if len(kept) == len(snapshot.observations) else replace(snapshot, observations=kept)


def _is_misread(one: Observation, specs: Specs) -> bool:
    maker = specs.errors.backend(one.domain) if isinstance(one, ErrorSeen) else None
    return maker is not None and is_about_others(maker, (one.text,), specs)


def is_for_others(check: Check, problem: Problem, facts: Facts, specs: Specs) -> bool:
    """Return whether a problem is one of a vendor's devices, but its lines or the whole text are about others'."""
    maker = specs.hints.maker_of(check.code)
    judges = {specs.inference["facts"].get(name, {}).get("backend") for name in check.reads}
    if maker is None and check.code.startswith("AC") and len(judges) == 1:  # one of accel's own about one vendor
        maker = next(iter(judges))
    lines = [(one.line, one.value) for one in problem.evidence if one.line is not None]
    if maker is None or not lines or len(lines) < len(problem.evidence):
        return False
    shown = makers_shown(_beside(facts, (line for line, _ in lines)), specs)
    if maker in shown or not judges.isdisjoint(shown):  # the check itself distinguishes these vendors
        return False
    if is_about_others(maker, (text for _, text in lines), specs):
        return True
    spoken = {specs.hints.makers.get(fact.value("subject") or "") for fact in facts.stated(SUBJECT)}
    return bool(shown) and maker not in spoken and not specs.hints.is_general(check.code)


def _beside(facts: Facts, lines: Iterable[int | None]) -> Facts:
    """Return the facts of all other lines."""
    own = set(lines)
    return Facts(facts.snapshot, tuple(one for one in facts.inferred if one.line not in own), facts.clear)
