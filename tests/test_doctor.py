"""The engine: four outcomes, premises, causes before symptoms, the order of findings."""

from collections.abc import Callable, Iterable, Iterator
from typing import Any

import pytest

import accel
from accel.diagnose.engine import diagnose
from accel.facts.questions import Facts
from accel.model.snapshot import Host, Snapshot
from accel.specs import Specs, load
from accel.vendors.contract.check import Check, Problem, applies, check, need


def a_check(
    name: str, code: str = "XX001", problems: Iterable[Problem] = (), layer: Any = "framework", **more: Any
) -> Check:
    @check(code=code, name=name, layer=layer, **more)
    def it(facts: Facts, specs: Specs) -> Iterator[Problem]:
        yield from problems

    return it


def raising(name: str, code: str, act: Callable[[], object]) -> Check:
    @check(code=code, name=name, layer="framework")
    def it(facts: Facts, specs: Specs) -> Iterator[Problem]:
        act()
        yield from ()

    return it


FAULT = Problem(title="it is broken")


def test_a_check_ends_found_clear_undecided_or_skipped() -> None:
    diagnosis = diagnose(
        Snapshot(host=Host(system="linux")),
        load(),
        [
            a_check("found-one", "XX001", [FAULT]),
            a_check("clear-one", "XX002", needs=("host.system",)),
            a_check("one-that-knew-nothing", "XX005"),
            raising("undecided-one", "XX003", lambda: need(None, "driver version")),
            raising("skipped-one", "XX004", lambda: applies(False, "no such device")),
        ],
    )
    assert [f.name for f in diagnosis.findings] == ["found-one"]
    assert [c.name for c in diagnosis.clear] == ["clear-one"]
    assert [(u.name, u.wants) for u in diagnosis.undecided] == [("undecided-one", ("driver version",))]
    assert [(s.name, s.reason) for s in diagnosis.not_applicable] == [
        ("skipped-one", "no such device"),
        ("one-that-knew-nothing", "nothing that it looks for was seen"),
    ]
    assert diagnosis.verdict == "faults"


@pytest.mark.parametrize("wrong", ["host.sistem", "run.install", "environment.variabels"])
def test_a_check_that_needs_what_nothing_has_costs_one_line(wrong: str) -> None:
    found = [a_check("found-one", "XX001", [FAULT])]
    diagnosis = diagnose(Snapshot(), load(), [*found, a_check("wrong-one", "XX002", needs=(wrong,))])
    assert [f.name for f in diagnosis.findings] == ["found-one"]
    assert [gap.reason for gap in diagnosis.gaps if wrong in (gap.reason or "")] != []
    assert [u.name for u in diagnosis.undecided] == ["wrong-one"]


def test_a_premise_that_is_broken_skips_what_stands_on_it_and_what_stands_on_that_runs() -> None:
    lowest = a_check("lowest", "XX001", [FAULT], layer="driver")
    middle = a_check("middle", "XX002", [FAULT], requires=("lowest",))
    top = a_check("top", "XX003", [FAULT], requires=("middle",))
    diagnosis = diagnose(Snapshot(), load(), [top, middle, lowest])
    assert [f.name for f in diagnosis.findings] == ["lowest", "top"]
    assert [s.name for s in diagnosis.not_applicable] == ["middle"]


def test_information_never_suppresses_a_fault() -> None:
    note = a_check("note", "XX001", [FAULT], severity="info")
    fault = a_check("fault", "XX002", [FAULT], requires=("note",))
    assert [f.name for f in diagnose(Snapshot(), load(), [note, fault]).findings] == ["fault", "note"]


def test_a_consequence_is_kept_after_its_cause_and_named_so() -> None:
    symptom = a_check("symptom", "XX001", [FAULT], layer="hardware", explained_by=("sick-family",))
    cause = a_check("cause", "XX002", [FAULT], layer="framework", family="sick-family")
    first, second = diagnose(Snapshot(), load(), [symptom, cause]).findings
    assert (first.name, first.is_cause) == ("cause", True)
    assert (second.name, second.is_cause, second.explained_by) == ("symptom", False, ("cause",))


def test_the_lowest_broken_layer_stands_first_and_errors_before_warnings() -> None:
    checks = [
        a_check("high", "XX001", [FAULT], layer="framework"),
        a_check("low", "XX002", [FAULT], layer="hardware"),
        a_check("lowest-warning", "XX000", [FAULT], layer="hardware", severity="warning"),
    ]
    assert [f.name for f in diagnose(Snapshot(), load(), checks).findings] == ["low", "high", "lowest-warning"]


def test_a_check_that_breaks_costs_itself_and_is_said() -> None:
    broken = raising("broken", "XX001", lambda: 1 / 0)
    fine = a_check("fine", "XX002", [FAULT])
    diagnosis = diagnose(Snapshot(), load(), [broken, fine])
    assert [f.name for f in diagnosis.findings] == ["fine"]
    assert [u.name for u in diagnosis.undecided] == ["broken"]
    (gap,) = diagnosis.gaps
    assert "ZeroDivisionError" in gap.reason


def test_premises_that_go_in_a_circle_still_let_every_check_run() -> None:
    one = a_check("one", "XX001", [FAULT], requires=("two",))
    two = a_check("two", "XX002", requires=("one",))
    assert [f.name for f in diagnose(Snapshot(), load(), [one, two]).findings] == ["one"]


def test_nothing_decided_is_not_clear() -> None:
    diagnosis = diagnose(Snapshot(), load(), [raising("wants", "XX001", lambda: need(None, "a driver"))])
    assert diagnosis.verdict == "undecided"


def test_the_lines_of_one_kernel_message_are_shown_as_one() -> None:
    message = ["NVRM: The frobnicator failed for 1 device(s).", "NVRM: This can occur when a", "NVRM: driver failed."]
    other = "NVRM: GPU 0000:01:00.0: the gizmo failed (0x24:0x28:1557)"
    shown = accel.doctor(accel.read_text("\n".join([*message, other]))).unexplained
    assert [(one.line, one.text) for one in shown] == [
        (1, "NVRM: The frobnicator failed for 1 device(s). This can occur when a driver failed."),
        (4, other),
    ]
