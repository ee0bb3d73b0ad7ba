"""What a diagnosis leaves open is one list in plain words, and what accel could not do is never taken for health."""

import json
from collections.abc import Iterator
from typing import Any

import pytest

from accel.apps.cli.doctor import exit_code
from accel.apps.render.diagnosis_words import outcome
from accel.apps.render.json import diagnosis_json
from accel.diagnose.engine import diagnose
from accel.diagnose.open_questions import failures, open_questions
from accel.facts.questions import Facts
from accel.model.device import Device, Gap
from accel.model.diagnosis import (
    AmbiguousCauses,
    Candidate,
    Diagnosis,
    Evidence,
    Finding,
    Look,
    NotApplicable,
    Undecided,
    Unexplained,
)
from accel.model.report import Report
from accel.model.snapshot import Host, Snapshot
from accel.specs import Specs, load
from accel.vendors.contract.check import Problem, check

FAULT = Finding(code="XX001", name="sick", severity="error", title="sick", evidence=(Evidence(fact="a", value="b"),))
LOG = "kernel log"
TWO = AmbiguousCauses(
    line=4,
    text="CUDA error: unknown error",
    candidates=(
        Candidate(code="XX001", name="sick", title="the GPU is sick", look="dmesg"),
        Candidate(code=None, name=None, title="the driver hangs", decides="dmesg says so", look="dmesg"),
    ),
)


def undecided(*wants: str) -> tuple[Undecided, ...]:
    return tuple(Undecided(code=f"XX{n:03}", name=f"check-{n}", wants=(want,)) for n, want in enumerate(wants))


MACHINE: dict[str, tuple[dict[str, Any], list[tuple[str, str | None, tuple[str, ...], int]]]] = {
    "a log that this user may not read": (
        {
            "undecided": undecided(LOG, LOG, LOG),
            "gaps": (Gap(fact=LOG, reason="dmesg: Operation not permitted; on the host:  sudo dmesg", source=LOG),),
        },
        [("Kernel log not readable as this user", None, ("sudo accel doctor",), 3)],
    ),
    "a log that is not there": (
        {"undecided": undecided(LOG), "gaps": (Gap(fact=LOG, reason="No such file; on the host:  sudo dmesg"),)},
        [("Kernel log not readable here", None, ("sudo dmesg",), 1)],
    ),
    "a log of the container's host": (
        {
            "not_applicable": (NotApplicable(code="XX001", name="a", reason="the kernel log is its host's"),),
            "gaps": (Gap(fact=LOG, reason="No such file; on the host:  sudo dmesg"),),
        },
        [("Kernel log not readable in this container, only on its host", None, ("sudo dmesg",), 1)],
    ),
    "a log that no check wants": ({"gaps": (Gap(fact=LOG, reason="No such file"),)}, []),
    "facts that nothing says why they lack": (
        {"undecided": undecided("kernel-settings's synchronized", "mtu_bytes of any of the ports")},
        [("whether the clock is synchronized, mtu of the network ports", None, (), 2)],
    ),
    "one reason for several devices": (
        {
            "undecided": undecided("temperature_celsius of nvidia:0, nvidia:1"),
            "gaps": tuple(
                Gap(
                    fact="temperature_celsius",
                    reason="no permission, from nvmlX",
                    device=f"nvidia:{n}",
                    backend="nvidia",
                )
                for n in range(3)
            ),
        },
        [("nvidia:0–2: temperature", "no permission", (), 1)],
    ),
    "what a device never has": (
        {"gaps": (Gap(fact="fan", reason="not supported by this device", device="nvidia:0", backend="nvidia"),)},
        [],
    ),
    "an environment of accel's own": (
        {
            "undecided": undecided("environment's packages"),
            "gaps": (
                Gap(fact="python environment", reason="accel has its own; see  accel doctor --python X", source="/p"),
            ),
        },
        [("python environment", "accel has its own; see accel doctor --python X", (), 1)],
    ),
}


@pytest.mark.parametrize("case", MACHINE.values(), ids=MACHINE)
def test_what_was_not_checked_is_grouped_by_its_reason(case: Any) -> None:
    known, expected = case
    found = open_questions(Diagnosis(verdict="undecided", **known), live=True)
    assert [(one.unknown, one.why, one.settles, one.checks) for one in found] == expected
    assert {one.topic for one in found} <= {"machine"}


def test_the_questions_come_in_the_order_in_which_they_matter() -> None:
    diagnosis = Diagnosis(
        verdict="undecided",
        ambiguous_causes=(TWO,),
        unexplained=(Unexplained(line=7, text="widget failed", layer="driver", give=("dmesg",)),),
        requested_output=(Look(text="which GPUs there are", command="nvidia-smi -L"),),
        undecided=undecided("installed packages"),
        gaps=(
            Gap(fact="report.txt", reason="it is too long", source="report.txt"),
            Gap(fact="check XX009", reason="the check broke: KeyError: 'a'", source="check"),
        ),
    )
    found = open_questions(diagnosis, live=False)
    assert [one.topic for one in found] == ["failure", "input", "cause", "error", "text"]
    cause = found[2]
    assert (cause.unknown, cause.lines, cause.settles) == ("2 causes are possible", ((4, TWO.text),), ("dmesg",))
    assert cause.causes == ("the GPU is sick", "the driver hangs")
    assert cause.outcomes == ("If dmesg says so: cause 2.",)


def test_of_an_error_whose_cause_was_found_the_other_causes_are_left() -> None:
    (one,) = open_questions(Diagnosis(verdict="faults", findings=(FAULT,), ambiguous_causes=(TWO,)), live=False)
    assert (one.unknown, one.causes) == ("Another cause is possible", ("the driver hangs",))


def test_errors_that_the_same_would_settle_are_one_question() -> None:
    errors = [Unexplained(line=n, text=f"widget {n} failed", layer="driver", give=("dmesg",)) for n in (3, 5)]
    other = Unexplained(line=9, text="gizmo failed", layer="driver", give=("lspci",))
    two, one = open_questions(Diagnosis(verdict="undecided", unexplained=(*errors, other)), live=False)
    assert (two.unknown, one.unknown) == ("accel cannot explain these 2 errors", "accel cannot explain this error")
    assert (two.lines, two.settles) == (((3, "widget 3 failed"), (5, "widget 5 failed")), ("dmesg",))


def test_a_text_with_a_fault_is_not_asked_for_more() -> None:
    assert open_questions(Diagnosis(verdict="faults", findings=(FAULT,), undecided=undecided("a")), live=False) == ()
    (one,) = open_questions(Diagnosis(verdict="undecided", undecided=undecided("environment's packages")), live=False)
    assert one.unknown == "installed packages (not in this text)"
    assert open_questions(Diagnosis(verdict="clear", undecided=undecided("environment's packages")), live=False) == ()


LOST = {
    "a plugin": Gap(fact="plugin acme", reason="ImportError: no libacme", backend="acme", source="accel_acme"),
    "a reader": Gap(fact="acme table", reason="the reader broke: KeyError: 'row'", source="acme table"),
    "a check": Gap(fact="check XX001", reason="the check broke: KeyError: 'row'", source="acme-sick"),
    "a call": Gap(fact="nvmlInit", reason="nvmlInit did not return within 4.8 s", backend="nvidia", source="probe"),
    "a deadline": Gap(fact="readings", reason="the time for the probe, 3 s, was over", backend="amd", source="time"),
    "a probe": Gap(fact="probe", reason="ZeroDivisionError: no boards", backend="acme"),
}
NOT_LOST = {
    "a tool that is not installed": Gap(
        fact="amd-smi metric", reason="amd-smi is not installed", backend="amd", source="amd-smi"
    ),
    "a log": Gap(fact=LOG, reason="dmesg: Operation not permitted", source=LOG),
}


@pytest.mark.parametrize("gap", LOST.values(), ids=LOST)
def test_what_accel_lost_is_in_the_verdict_and_is_never_0(gap: Gap) -> None:
    @check(code="XX002", name="well", layer="driver", needs=("host.system",))
    def well(facts: Any, specs: Any) -> Any:
        yield from ()

    card = Device(id="nvidia:0", index=0, backend="nvidia", vendor="NVIDIA", kind="gpu")
    whole = Snapshot(host=Host(system="linux"), reports=(Report(backend="nvidia", source="nvml", devices=(card,)),))
    without = Snapshot(host=whole.host, reports=whole.reports, gaps=(gap,))
    healthy, lost = (diagnose(one, load(), [well]) for one in (whole, without))
    assert (healthy.verdict, exit_code(healthy, whole, "warning")) == ("clear", 0)
    assert (lost.verdict, exit_code(lost, without, "warning")) == ("undecided", 3)
    assert outcome(lost).startswith("Undecided: ")
    assert "could not be fully checked" in outcome(lost)


@pytest.mark.parametrize("gap", NOT_LOST.values(), ids=NOT_LOST)
def test_what_this_machine_does_not_tell_is_no_failure_of_accel(gap: Gap) -> None:
    assert failures((gap,)) == ()


def test_the_list_is_part_of_the_answer() -> None:
    @check(code="XX001", name="warm", layer="hardware", needs=("acme.devices.temperature_celsius",))
    def warm(facts: Facts, specs: Specs) -> Iterator[Problem]:
        yield from ()

    device = Device(id="acme:0", index=0, backend="acme", vendor="Acme", kind="gpu")
    snapshot = Snapshot(origin="live", reports=(Report(backend="acme", source="acme-smi", devices=(device,)),))
    diagnosis = diagnose(snapshot, load(environment={}), (warm,), ())
    assert [(one.topic, one.unknown, one.checks) for one in diagnosis.open_questions] == [
        ("machine", "temperature of acme:0", 1)
    ]
    assert json.loads(diagnosis_json(diagnosis))["open_questions"][0]["unknown"] == "temperature of acme:0"
