"""One finding per fault: what differs only in the device is joined; a fault of one device explains none of another."""

from dataclasses import replace

import pytest

from accel.diagnose.engine import diagnose
from accel.diagnose.explanation import causes_of
from accel.diagnose.grouped import grouped, without_repeats
from accel.model.device_range import device_range
from accel.model.diagnosis import Evidence, Finding, Remedy
from accel.model.snapshot import Snapshot
from accel.specs import load
from accel.vendors.contract.check import Problem, check


def hot(number: int, celsius: int, fans: int | None = None) -> Finding:
    device = f"nvidia:{number}"
    return Finding(
        code="XX001",
        name="hot",
        severity="warning",
        title=f"{device} at {celsius} °C slows down",
        devices=(device,),
        evidence=(
            Evidence(fact="temperature_celsius", value=str(celsius)),
            Evidence(fact="limit", value="87"),
            Evidence(fact="log", value=f"[{number}] throttled", line=number + 1),
        ),
        remedies=(Remedy(text=f"Look at the {fans or 2} fans of {device}.", command=f"see -i {number}", kind="look"),),
    )


def test_one_fault_on_several_devices_is_one_finding_that_names_all() -> None:
    (one,) = grouped([hot(0, 91), hot(1, 93), hot(2, 91)])
    assert (one.title, one.devices) == ("nvidia:0–2 at 91 to 93 °C slows down", ("nvidia:0", "nvidia:1", "nvidia:2"))
    assert [(e.fact, e.value) for e in one.evidence if e.line is None] == [
        ("temperature_celsius", "91 on nvidia:0,2; 93 on nvidia:1"),
        ("limit", "87"),
    ]
    assert [e.line for e in one.evidence if e.line] == [1, 2, 3]
    assert [(r.text, r.command) for r in one.remedies] == [
        ("Look at the 2 fans of nvidia:0–2.", "see -i 0\nsee -i 1\nsee -i 2")
    ]


def test_a_ticket_is_of_all_devices() -> None:
    sent = [
        replace(
            one,
            remedies=(
                replace(
                    one.remedies[0], request=f"To: service\nAbout: {one.title}\nBoard: card {n}\nAsked: replace it"
                ),
            ),
        )
        for n, one in enumerate([hot(0, 91), hot(1, 93)])
    ]
    assert (grouped(sent)[0].remedies[0].request or "").splitlines() == [
        "To: service",
        "About: nvidia:0,1 at 91 to 93 °C slows down",
        "Board: card 0",
        "Board: card 1",
        "Asked: replace it",
    ]


def test_a_finding_alone_is_unchanged() -> None:
    assert grouped([hot(3, 91)]) == (hot(3, 91),)


def said(code: str, *lines: int, command: str = "pip install x", severity: str = "error") -> Finding:
    return Finding(
        code=code,
        name=code.lower(),
        severity=severity,  # type: ignore[arg-type]
        title=code,
        evidence=tuple(Evidence(fact="log", value=f"line {line}", line=line) for line in lines),
        remedies=(Remedy(text="Install it.", command=command),),
    )


@pytest.mark.parametrize(
    ("findings", "kept"),
    [
        ([said("XX001", 1, 4), said("XX002", 1, 4)], ["XX001"]),
        ([said("XX001", 1), said("XX002", 1, 4)], ["XX002"]),
        ([said("XX001", 1, 4), said("XX002", 1, 4, command="pip install y")], ["XX001", "XX002"]),
        ([said("XX001", 1, 4), said("XX002", 4, 5)], ["XX001", "XX002"]),
        ([said("XX001", 1), said("XX002", 1, severity="warning")], ["XX001", "XX002"]),
        ([said("XX001"), said("XX002")], ["XX001", "XX002"]),
    ],
)
def test_what_another_finding_says_with_the_same_first_fix_is_told_once(
    findings: list[Finding], kept: list[str]
) -> None:
    assert [one.code for one in without_repeats(tuple(findings))] == kept


OTHER_FAULTS = {
    "another severity": replace(hot(1, 91), severity="error"),
    "another code of the same check": replace(hot(1, 91), title="nvidia:1 at 91 °C was shut down"),
    "another Xid": replace(hot(1, 91), title="Xid 94 on nvidia:1"),
    "another cure": replace(hot(1, 91), remedies=(Remedy(text="Replace the board."),)),
    "a consequence": replace(hot(1, 91), explained_by=("fan-broken",)),
    "one of the machine": replace(hot(0, 91), devices=()),
}


@pytest.mark.parametrize("other", OTHER_FAULTS.values(), ids=OTHER_FAULTS)
def test_what_is_another_fault_is_another_finding(other: Finding) -> None:
    first = replace(hot(0, 91), title="Xid 48 on nvidia:0") if "Xid" in other.title else hot(0, 91)
    assert grouped([first, other]) == (first, other)


@pytest.mark.parametrize(
    ("devices", "faults", "causes"),
    [
        (["nvidia:3"], {"worn": [("nvidia:6",)]}, ()),
        (["nvidia:3"], {"worn": [("nvidia:6",), ("nvidia:3",)]}, ("worn",)),
        (["nvidia:3"], {"worn": [("nvidia:6",)], "driver": [()]}, ("driver",)),
        ([], {"worn": [("nvidia:6",)]}, ("worn",)),
        (["nvidia:3/mig1"], {"worn": [("nvidia:3",)]}, ("worn",)),
        (["nvidia:3", "nvidia:6"], {"worn": [("nvidia:3",)]}, ()),
        (["nvidia:3", "nvidia:6"], {"worn": [("nvidia:3",)], "hot": [("nvidia:6",)]}, ("worn", "hot")),
        (["nvidia:3"], {}, ()),
    ],
)
def test_a_fault_explains_another_only_on_its_own_devices(
    devices: list[str], faults: dict[str, list[tuple[str, ...]]], causes: tuple[str, ...]
) -> None:
    assert causes_of(devices, faults) == causes


def test_the_doctor_joins_devices_and_parts_causes_by_device() -> None:
    @check(code="XX001", name="worn", layer="hardware")
    def worn(facts: object, specs: object):  # type: ignore[no-untyped-def]
        for number in (5, 6):
            yield Problem(title=f"nvidia:{number} is worn", devices=(f"nvidia:{number}",))

    @check(code="XX002", name="slow", layer="hardware", explained_by=("worn",))
    def slow(facts: object, specs: object):  # type: ignore[no-untyped-def]
        for number in (3, 6):
            yield Problem(title=f"nvidia:{number} is slow", devices=(f"nvidia:{number}",))

    found = diagnose(Snapshot(), load(), [worn, slow]).findings
    assert [(f.title, f.is_cause, f.explained_by) for f in found] == [
        ("nvidia:5,6 is worn", True, ()),
        ("nvidia:3 is slow", True, ()),
        ("nvidia:6 is slow", False, ("worn",)),
    ]


@pytest.mark.parametrize(
    ("ids", "words"),
    [
        ([], ""),
        (["nvidia:3"], "nvidia:3"),
        (["nvidia:7", "nvidia:0", "nvidia:1", "nvidia:2", "nvidia:5", "nvidia:6"], "nvidia:0–2,5–7"),
        (["nvidia:0", "nvidia:1"], "nvidia:0,1"),
        (["amd:1", "nvidia:0", "nvidia:0/mig1"], "amd:1, nvidia:0, nvidia:0/mig1"),
    ],
)
def test_devices_are_named_by_their_range(ids: list[str], words: str) -> None:
    assert device_range(ids) == words
