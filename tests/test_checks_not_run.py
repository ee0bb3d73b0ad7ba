"""A check that says what it asks is not run where nothing of that is known; it would have found nothing there."""

import pytest
from check_cases import snapshot_of
from every_case import Case, every_case, registry

from accel.diagnose.outcome import InOrder, Outcome, outcomes_of
from accel.facts.infer import infer
from accel.facts.questions import Facts
from accel.model.dataclass import replace
from accel.model.snapshot import present

REGISTRY = registry()
ASKING = [check for check in REGISTRY.checks if check.asks is not None]


def cases() -> list[tuple[str, object]]:
    """Return the cases of the checks that say what they ask, and every thirtieth of the others."""
    named = {check.name for check in ASKING}
    kept = [one for one in every_case() if one.check in named or one.number % 30 == 0]
    return [pytest.param(one, id=f"{one.check} {one.name}") for one in kept]


def ends(outcome: Outcome) -> tuple[object, ...]:
    return outcome.check.name, tuple(outcome.problems), outcome.not_applicable, outcome.wants, outcome.broke


@pytest.mark.parametrize("case", cases())
def test_a_check_ends_alike_whether_it_is_run_or_not(case: Case) -> None:
    snapshot = present(case.snapshot)
    facts = Facts(snapshot, infer(snapshot, REGISTRY.specs, REGISTRY.rules)[0])
    run = [replace(check, asks=None) for check in ASKING]

    ended, expected = (outcomes_of(InOrder(checks), facts, REGISTRY.specs) for checks in (ASKING, run))

    assert [ends(one) for one in ended[0]] == [ends(one) for one in expected[0]]
    assert ended[1] == expected[1]


def test_a_text_without_packages_and_variables_runs_none_of_them() -> None:
    snapshot = snapshot_of({"text": "Tesla T4, CUDA error: out of memory\n"}, REGISTRY)
    called: list[str] = []
    watched = [replace(check, run=lambda *_, name=check.name: called.append(name) or ()) for check in ASKING]

    outcomes_of(InOrder(watched), Facts(snapshot, ()), REGISTRY.specs)

    assert ASKING
    assert called == []
