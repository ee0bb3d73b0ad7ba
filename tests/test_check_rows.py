"""Checks that are rows of tables: their conditions, their words, and what they are about."""

from typing import Any

import pytest

from accel.apps.cli.plugins_next_code import next_code
from accel.checks.rows import row_check, said
from accel.facts.properties import PROPERTIES
from accel.facts.query import Answer, answer, holds, may_hold
from accel.facts.questions import Facts
from accel.model.device import Device
from accel.model.environment import Environment, Package
from accel.model.observation import Complaint, ErrorSeen, Fact
from accel.model.report import Driver, Report
from accel.model.snapshot import Host, Snapshot
from accel.specs import load
from accel.specs.kinds import PROPERTIES as NAMED
from accel.specs.schema import kind
from accel.vendors.contract.check import DoesNotApply, Problem

ROW = {
    "code": "XY001",
    "name": "a-fault",
    "layer": "driver",
    "means": "it fails",
    "why": "w",
    "looks_at": "l",
    "when": ["a"],
    "title": "It fails",
    "fixes": [{"text": "Mend it."}],
}


def fact(name: str, device: str | None = None, **values: str) -> Fact:
    return Fact(name=name, text=f"{name} {values}", values=tuple(values.items()), device=device)


def facts(*inferred: Fact, devices: tuple[Device, ...] = ()) -> Facts:
    report = Report(backend="acme", source="case", devices=devices)
    return Facts(Snapshot(origin="a text", reports=(report,) if devices else ()), inferred)


def with_variable(setting: str) -> Facts:
    environment = Environment(variables=(("ACME_DEBUG", setting),))
    return Facts(Snapshot(origin="a text", environments=(environment,)), ())


def problems(row: dict[str, Any], of: Facts) -> list[Problem]:
    return list(row_check({**ROW, **row}, "acme/checks/driver").run(of, load(environment={})))


@pytest.mark.parametrize(
    ("condition", "expected"),
    [
        ("a", True),
        ("b", False),
        ("not b", True),
        ("a | b", True),
        ("not a | b", False),
        (["a", "not b"], True),
        (["a", "b"], False),
        ([["b", "a"]], True),
        ([["b", ["a", "c"]]], True),
        ([["b", ["a", "d"]]], False),
        ("@live", False),
        ("not @live", True),
        ("acme.devices", False),
        ("package.torch", False),
        ("not variable.ACME", True),
    ],
)
def test_a_list_wants_all_and_a_list_within_it_one(condition: Any, expected: bool) -> None:
    assert kind("query")[1](condition)
    assert holds(condition, facts(fact("a"), fact("c"))) is expected


@pytest.mark.parametrize("condition", ["", [], "@nowhere", "a:b", "devices:nvidia", "nobody.knows", ["a", 1], "A fact"])
def test_what_is_no_condition_is_named_by_the_validator(condition: Any) -> None:
    assert not kind("query")[1](condition)


def test_the_validator_knows_the_properties_that_can_be_asked_for() -> None:
    assert {f"@{name}" for name in NAMED} == set(PROPERTIES)


@pytest.mark.parametrize(
    ("term", "expected"),
    [
        ("a", True),
        ("b", False),
        ("fact.a.code", True),
        ("fact.a.name", None),
        ("fact.b.code", False),
        ("fact.a.code=79|119", True),
        ("fact.a.code=*", True),
        ("fact.a.code=1", False),
        ("fact.b.code=*", False),
        ("error.cuda:802", True),
        ("error.cuda:1", False),
        ("line.killed", True),
        ("line.Kill", False),
        ("clear.driver-too-old", True),
        ("clear.other", None),
        ("acme.devices", True),
        ("acme.devices.name", True),
        ("acme.devices.serial", None),
        ("nobody.devices", False),
        ("accelerators", True),
        ("accelerators.name=X1", True),
        ("accelerators.name=X2", False),
        ("acme.driver.version", True),
        ("package.vllm", True),
        ("package.jax", False),
        ("package.nvidia-nccl-cu12=2.18.1", True),
        ("package.vllm<0.10", True),
        ("package.vllm<0.9", False),
        ("package.jax<1", False),
        ("variable.HOME", None),
        ("host.machine=aarch64|arm64", True),
        ("host.machine=x86_64", False),
        ("host.shm_bytes", None),
        ("@linux", True),
        ("@windows", False),
        ("@by-pip", None),
    ],
)
def test_an_answer_is_yes_no_or_not_known(term: str, expected: bool | None) -> None:
    device = Device(id="acme:0", index=0, backend="acme", vendor="Acme", kind="gpu", name="X1")
    report = Report(backend="acme", source="made", devices=(device,), driver=Driver(version="1.2"))
    snapshot = Snapshot(
        host=Host(system="linux", machine="aarch64"),
        reports=(report,),
        environments=(
            Environment(
                packages=(Package(name="vllm", version="0.9"), Package(name="nvidia-nccl-cu12", version="2.18.1"))
            ),
        ),
        observations=(ErrorSeen(text="CUDA 802", domain="cuda", code="802"), Complaint(text="Killed", form="signal")),
    )
    known = Facts(snapshot, (fact("a", code="79"),), clear=("driver-too-old",))
    assert kind("query")[1](term)
    assert answer(term, known).holds is expected
    assert holds(term, known) is (expected is True)
    assert may_hold(term, known) is (expected is not False)
    assert holds(f"not {term}", known) is (expected is not True)


def test_an_answer_that_is_no_yes_says_what_is_missing() -> None:
    known = facts(fact("a"))
    assert answer("fact.a.code", known) == Answer(unknown="a's code")
    assert answer("acme.devices", known) == Answer(absent="no acme device found in this text")


def test_the_first_problem_that_holds_is_the_only_one() -> None:
    parts = [{"when": ["b"], "title": "B"}, {"when": ["a"], "title": "A"}, {"when": ["a | b"], "title": "Either"}]
    row = {"problems": parts}
    assert [one.title for one in problems(row, facts(fact("a")))] == ["A"]
    assert [one.title for one in problems(row, facts(fact("a"), fact("b")))] == ["B"]
    assert problems(row, facts(fact("c"))) == []


def test_each_makes_a_problem_of_each_device_or_value() -> None:
    told = facts(fact("a", "acme:0", n="1"), fact("a", "acme:1", n="1"), fact("a", "acme:1", n="2"))
    assert [one.devices for one in problems({}, told)] == [("acme:0", "acme:1")]
    assert [one.devices for one in problems({"each": "device"}, told)] == [("acme:0",), ("acme:1",)]
    by_value = problems({"each": "n", "title": "{n} on {device_ids}{and_more}"}, told)
    assert [one.title for one in by_value] == ["1 on acme:0, acme:1, and 1 more", "2 on acme:1"]


def test_facts_are_kept_by_their_values() -> None:
    told = facts(fact("a", n="1"), fact("a", n="2"), fact("a"))
    row = {"each": "fact", "title": "{n:none}"}
    assert [one.title for one in problems({**row, "having": {"n": ["1"]}}, told)] == ["1"]
    assert [one.title for one in problems({**row, "lacking": {"n": ["1", None]}}, told)] == ["2"]


def test_evidence_is_of_the_facts_named_and_at_most_so_many() -> None:
    told = facts(fact("a", n="1"), fact("a", n="2"), fact("b"))
    found = problems({"evidence": {"b": 1, "a": 1}}, told)
    assert [one.fact for one in found[0].evidence] == ["b", "a"]


def test_a_reading_of_a_device_is_a_subject_and_an_unknown_one_is_not() -> None:
    devices = tuple(
        Device(id=f"acme:{n}", index=n, backend="acme", vendor="Acme", kind="gpu", temperature_celsius=celsius)
        for n, celsius in enumerate((80, 91, None))
    )
    row = {
        "devices": {"backend": "acme", "field": "temperature_celsius", "above": 80},
        "when": ["acme.devices"],
        "title": "{device_ids} is hot",
    }
    found = problems(row, facts(devices=devices))
    assert [(one.title, one.devices) for one in found] == [("acme:1 is hot", ("acme:1",))]
    assert [one.value for one in found[0].evidence] == ["acme:1: 91"]


def test_several_readings_of_a_device_are_one_piece_of_evidence() -> None:
    device = Device(id="acme:0", index=0, backend="acme", vendor="Acme", kind="gpu", health="critical", name="X1")
    ways = [
        {"field": "health", "values": ["critical"], "says": "ill"},
        {"field": "name", "except": ["x2"], "says": "odd"},
    ]
    (found,) = problems({"devices": {"backend": "acme", "any": ways}, "when": []}, facts(devices=(device,)))
    assert [(one.fact, one.value) for one in found.evidence] == [("health", "acme:0: ill, odd")]


def test_a_variable_that_is_set_so_is_a_subject() -> None:
    row = {"variables": {"ACME_DEBUG": ["1", "on"]}, "when": [], "title": "{name} is {value}"}
    found = {setting: problems(row, with_variable(setting)) for setting in ("ON", "0")}
    assert [one.title for one in found["ON"]] == ["ACME_DEBUG is ON"]
    assert [(one.fact, one.value) for one in found["ON"][0].evidence] == [("ACME_DEBUG", "ON")]
    assert found["0"] == []


def test_a_problem_may_name_all_devices_of_a_backend_and_the_versions_of_packages() -> None:
    device = Device(id="acme:0", index=0, backend="acme", vendor="Acme", kind="gpu")
    report = Report(backend="acme", source="case", devices=(device,))
    installed = Environment(packages=(Package(name="acme-lib", version="1.2"),))
    known = Facts(Snapshot(origin="a text", reports=(report,), environments=(installed,)), (fact("a"),))
    (found,) = problems({"devices_of": "acme", "packages": ["acme_lib"]}, known)
    assert found.devices == ("acme:0",)
    assert [(one.fact, one.value) for one in found.evidence][1:] == [("acme_lib", "1.2")]


def test_more_than_one_has_a_title_of_its_own_and_lists_values() -> None:
    row = {"title": "{n} fails", "several": "{how_many} fail: {n!l}; {n!s}"}
    many = facts(*(fact("a", n=str(n)) for n in range(6)))
    assert problems(row, facts(fact("a", n="0")))[0].title == "0 fails"
    assert problems(row, many)[0].title == "6 fail: 0, 1, 2, 3 and 2 more; 0, 1, 2, 3"
    assert said("{error!n}", [fact("a", error="torch.cuda.OutOfMemoryError")]) == "OutOfMemoryError"


def test_a_fix_may_ask_for_values_of_what_the_row_is_about() -> None:
    fixes = [{"text": "One.", "having": {"n": ["1"]}}, {"text": "Two.", "lacking": {"n": ["1"]}}]
    for n, text in (("1", "One."), ("2", "Two.")):
        assert [one.text for one in problems({"fixes": fixes}, facts(fact("a", n=n)))[0].remedies] == [text]


def test_a_number_may_stand_within_a_path_of_a_command() -> None:
    fixes = [{"text": "See.", "command": "cat /proc/{pid:number|PID}/stack"}]
    for told, command in ((fact("a", pid="7"), "cat /proc/7/stack"), (fact("a", pid="7; x"), "cat /proc/PID/stack")):
        assert problems({"fixes": fixes}, facts(told))[0].remedies[0].command == command


def test_what_does_not_apply_says_why() -> None:
    with pytest.raises(DoesNotApply, match="a text tells nothing"):
        problems({"applies": [{"when": ["@live"], "otherwise": "a text tells nothing"}]}, facts(fact("a")))


def test_words_take_the_first_fact_that_has_all_values() -> None:
    same = [fact("a", x="1"), fact("a", x="2", y="/opt/lib/f.so")]
    assert said("{x} and {y!f}", same) == "2 and f.so"
    assert said("{z}", same) is None
    assert said("{z:some} of {x}", same) == "some of 1"
    assert said(["{z}", "{{plain}}"], same) == "{plain}"


def test_a_value_that_does_not_fit_leaves_the_command_out() -> None:
    fixes = [{"text": "Remove {p}.", "command": "rm {p:path}"}]
    good, bad = (problems({"fixes": fixes}, facts(fact("a", p=p)))[0].remedies[0] for p in ("/tmp/x", "x; reboot"))
    assert good.command == "rm /tmp/x"
    assert bad.command is None


def test_a_fix_has_conditions_too() -> None:
    fixes = [{"text": "One.", "when": ["b"]}, {"text": "Two.", "when": ["not b"]}]
    assert [one.text for one in problems({"fixes": fixes}, facts(fact("a")))[0].remedies] == ["Two."]


def test_a_row_reads_every_fact_that_it_asks_for() -> None:
    row = {**ROW, "when": ["a", "not b", "@wsl"], "evidence": {"c | d": 1}, "fixes": [{"text": "x", "when": ["e"]}]}
    assert set(row_check(row, "acme/checks/driver").reads) == {"a", "b", "wsl-named", "c", "d", "e"}


def test_the_next_code_follows_the_highest_so_that_none_is_used_again() -> None:
    assert next_code(["NV001", "NV004", "NVX009"], "NV") == "NV005"
    assert next_code(["NV999"], "NV") is None
