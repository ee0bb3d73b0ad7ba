"""What many nodes say together: causes, totals, drift, outliers, places, and what changed."""

import random
from collections.abc import Iterator

import pytest
from made_nodes import device, found, node

from accel.fleet import NodeAnswer
from accel.fleet.fingerprint import fingerprint
from accel.fleet.merging import merge, placed


@pytest.mark.parametrize(
    ("one", "other"),
    [
        ("nvidia:3 has failed row remapping", "nvidia:0 has failed row remapping"),
        ("nvidia:0, nvidia:3 and nvidia:5 are lost", "nvidia:1 and nvidia:2 are lost"),
        ("nvidia:0–7 are lost", "nvidia:1 are lost"),
        ("nvidia:3 is at 97 °C, the others of its model at 62", "nvidia:0 is at 91 °C, the others of its model at 60"),
        ("The kernel killed python (7641) 7 h ago", "The kernel killed vllm::worker (12) 20 min ago"),
        ("process 4711 holds 7.3 GiB of nvidia:0", "process 5 holds 12 GiB of nvidia:7"),
        ("python (11) and java (12) cannot go on", "python (3) cannot go on"),
        ("The network port mlx5_3 is down", "The network port mlx5_11 is down"),
        ("GPU-8f2c61d0-0000-4000-8000-aaaabbbbcccc fell off", "GPU-8f2c61d0-0000-4000-8000-aaaabbbbcccd fell off"),
        ("0000:3b:00.0 runs at 8.0 GT/s", "0000:af:00.0 runs at 2.5 GT/s"),
        ("/dev/nvidia3 is missing", "/dev/nvidia0 is missing"),
        ("12 pages wait to be retired", "3 pages wait to be retired"),
        ("gpu7 has no route", "gpu8 has no route"),
    ],
)
def test_what_differs_between_nodes_is_not_in_the_fingerprint(one: str, other: str) -> None:
    assert fingerprint("X", one, "gpu7") == fingerprint("X", other, "gpu8")


@pytest.mark.parametrize(
    ("one", "other"),
    [
        ("torch 2.9.1 is too old for vllm", "torch 2.8.0 is too old for vllm"),
        ("The driver's branch 535 ended", "The driver's branch 550 ended"),
        ("Xid 79 was reported", "Xid 48 was reported"),
        ("CUDA error 802: system not yet initialized", "CUDA error 803: system not yet initialized"),
    ],
)
def test_what_tells_causes_apart_stays(one: str, other: str) -> None:
    assert fingerprint("X", one, "gpu7") != fingerprint("X", other, "gpu7")


def test_a_name_is_replaced_only_where_it_is_a_word() -> None:
    assert fingerprint("X", "vm: the evmx of vm-2 is old", "vm") == "X NODE: the evmx of vm-2 is old"


def test_one_cause_on_many_nodes_is_one_row() -> None:
    answers = [node(f"gpu{n}", f"nvidia:{n} has failed row remapping") for n in (10, 2, 1)]
    (cause,) = merge([*answers, node("gpu3")]).causes
    assert cause.nodes == ("gpu1", "gpu2", "gpu10")
    assert cause.title == "DEVICE has failed row remapping"
    assert merge(answers[:1]).causes[0].title == "nvidia:10 has failed row remapping"


def test_causes_come_by_severity_then_by_how_many_have_them() -> None:
    answers = [
        node("a", found("few", severity="error"), found("noise", severity="info"), found("many", severity="warning")),
        node("b", found("many", severity="warning"), found("more", code="Z", severity="error")),
        node("c", found("more", code="Z", severity="error"), found("a symptom", is_cause=False)),
    ]
    assert [cause.title for cause in merge(answers).causes] == ["more", "few", "many", "noise"]


def test_totals_add_up_with_every_state_and_those_that_never_came() -> None:
    states = ("ok", "ill", "partial", "no_answer", "dead", "unreachable", "tool_failed")
    answers = [NodeAnswer(node=f"n{number}", state=state) for number, state in enumerate(states)]  # type: ignore[arg-type]
    merged = merge(answers, expected=["n0", "n6", "late1", "late2"])
    assert merged.totals == {**dict.fromkeys(states, 1), "no_answer": 3}
    assert (merged.asked, merged.answered) == (9, 3)
    assert [row.node for row in merged.rows if row.state == "no_answer"] == ["late1", "late2", "n3"]


@pytest.mark.parametrize("turned", [False, True])
def test_of_a_node_that_answers_twice_the_newer_counts_and_it_is_said(turned: bool) -> None:
    old, new = node("a", "x", taken_at="2026-11-01T00:00:00Z"), node("a", taken_at="2026-11-02T00:00:00Z")
    merged = merge([new, old] if turned else [old, new])
    assert (merged.totals["ok"], merged.totals["ill"], merged.causes) == (1, 0, ())
    assert merged.notes == ("a answered 2 times: the newest counts.",)


def test_a_rule_that_convicts_too_many_is_suspect_and_one_node_is_not_many() -> None:
    answers = [node(f"n{n}", *(["x"] if n < 6 else [])) for n in range(100)]
    assert [cause.suspect for cause in merge(answers, max_bad_share=0.05).causes] == [True]
    assert [cause.suspect for cause in merge(answers, max_bad_share=0.06).causes] == [False]
    assert [cause.suspect for cause in merge([node("a", "x"), node("b")], max_bad_share=0.05).causes] == [False]


def test_the_minority_is_listed_as_drift() -> None:
    answers = [node(f"n{n}", versions={"kernel": "6.8" if n else "6.5", "torch": "2.9"}) for n in range(10)]
    (drift,) = merge(answers).drift
    assert (drift.what, drift.majority, drift.majority_count) == ("kernel", "6.8", 9)
    assert drift.minority == {"6.5": ("n0",)}


def test_two_nodes_that_differ_have_no_majority() -> None:
    assert merge([node("a", versions={"kernel": "1"}), node("b", versions={"kernel": "2"})]).drift == ()


def fleet(count: int, **odd: float) -> Iterator[NodeAnswer]:
    """Nodes of eight busy devices, alike but for chance; `odd` on one device of one node."""
    chance = random.Random(28)
    for number in range(count):
        devices = [
            device(
                place,
                temperature_celsius=chance.gauss(62, 2),
                power_watts=chance.gauss(640, 15),
                clock_mhz=chance.gauss(1900, 20),
                corrected_errors=float(chance.randrange(3)),
                allreduce_gbps=chance.gauss(380, 2),
            )
            for place in range(8)
        ]
        if number == 7:
            devices[3] = device(3, **{**devices[3].readings, **odd})
        yield node(f"n{number}", devices=devices)


@pytest.mark.parametrize(
    ("reading", "value"),
    [
        ("temperature_celsius", 88.0),
        ("clock_mhz", 1200.0),
        ("power_watts", 300.0),
        ("corrected_errors", 400.0),
        ("allreduce_gbps", 190.0),
    ],
)
def test_a_reading_unlike_its_peers_is_found_and_named(reading: str, value: float) -> None:
    (one,) = merge(fleet(30, **{reading: value})).outliers
    assert (one.node, one.device, one.reading, one.value, one.peers) == ("n7", "nvidia:3", reading, value, 239)
    assert one.low <= one.median <= one.high


def test_a_healthy_fleet_and_a_cold_device_are_silent() -> None:
    assert merge(fleet(30)).outliers == ()
    assert merge(fleet(30, temperature_celsius=40.0)).outliers == ()


def test_what_does_not_matter_in_practice_is_no_outlier() -> None:
    alike = [node(f"n{n}", devices=[device(0, temperature_celsius=60.0 + (n == 3))]) for n in range(50)]
    assert merge(alike).outliers == ()


def test_like_is_compared_with_like() -> None:
    loads = [("idle", 38.0), ("busy", 70.0), ("", 70.0)]
    answers = [
        node(f"{load}{n}", devices=[device(0, load, temperature_celsius=warm)])
        for load, warm in loads
        for n in range(9)
    ]
    assert merge(answers).outliers == ()
    assert len(merge([*answers, node("hot", devices=[device(0, "idle", temperature_celsius=70.0)])]).outliers) == 1
    assert merge([*answers, node("hot", devices=[device(0, "", temperature_celsius=99.0)])]).outliers == ()


def test_a_cause_that_gathers_in_a_place_is_a_hint_with_counts() -> None:
    places = {f"n{n}": {"rack": str(n // 10)} for n in range(100)}
    ill = {*range(30, 36), 71}
    answers = placed((node(f"n{n}", *(["x"] if n in ill else [])) for n in range(100)), places)
    (hint,) = merge(answers).places
    assert (hint.kind, hint.place, hint.bad, hint.nodes) == ("rack", "3", 6, 10)
    assert (hint.bad_elsewhere, hint.nodes_elsewhere) == (1, 90)


def test_a_cause_that_is_everywhere_points_to_no_place() -> None:
    answers = [node(f"n{n}", *(["x"] if n % 3 else []), place={"rack": str(n // 10)}) for n in range(100)]
    assert merge(answers).places == ()


def test_what_changed_since_a_round_before() -> None:
    before = [node("a"), node("b", "x"), node("c", versions={"kernel": "1"}), node("gone"), node("same", "x")]
    now = [node("a", "x"), node("b"), node("c", versions={"kernel": "2"}), node("same", "x"), node("d")]
    told = {one.node: (one.now, one.before) for one in merge(now, before=before).changed}
    assert told == {
        "a": (("NV006 x",), ()),
        "b": ((), ("NV006 x",)),
        "c": (("kernel 2",), ("kernel 1",)),
        "d": (("answers",), ("not in the round",)),
        "gone": (("not in the round",), ("answers",)),
    }
