"""Causes that rest on one line and do not explain each other stand both, with what tells them apart."""

import pytest

from accel.apps.explain import explain
from accel.collect.live import judged
from accel.collect.text import read_texts
from accel.diagnose.ambiguity import ambiguous_causes, telling_apart
from accel.model.diagnosis import Evidence, Finding, Severity
from accel.plugins.registry import Registry
from accel.remedies.actions import Inspect, actions_of

REGISTRY = Registry({})


def finding(name: str, line: int | None, severity: Severity = "error", is_cause: bool = True) -> Finding:
    seen = Evidence(fact="seen", value="a line", line=line)
    return Finding(code="AC999", name=name, severity=severity, title=name, evidence=(seen,), is_cause=is_cause)


def test_one_cause_leaves_nothing_open() -> None:
    diagnosis = judged(
        read_texts([("r", "CUDA error 802: system not yet initialized\nnvidia-fabricmanager is inactive\n")], REGISTRY),
        REGISTRY,
    )
    assert [f.name for f in diagnosis.findings] == ["fabric-manager-not-running"]
    assert diagnosis.ambiguous_causes == ()


def test_two_causes_of_one_line_are_candidates_with_what_decides() -> None:
    (one,) = ambiguous_causes([finding("driver-not-loaded", 3), finding("driver-too-old", 3)], REGISTRY.specs)
    assert (one.line, one.text) == (3, "a line")
    assert [c.name for c in one.candidates] == ["driver-not-loaded", "driver-too-old"]
    assert one.candidates[0].look == "dkms status; uname -r"
    assert all(c.decides for c in one.candidates)


@pytest.mark.parametrize(
    "other",
    [
        finding("driver-too-old", 4),
        finding("driver-too-old", None),
        finding("driver-too-old", 3, "info"),
        finding("driver-too-old", 3, is_cause=False),
        finding("driver-not-loaded", 3),
    ],
)
def test_another_line_a_note_and_a_consequence_leave_nothing_open(other: Finding) -> None:
    assert ambiguous_causes([finding("driver-not-loaded", 3), other], REGISTRY.specs) == ()


def test_explain_gives_usual_causes_in_order_with_what_decides() -> None:
    first = explain("driver-not-loaded", REGISTRY)[0]
    assert first.title.startswith("NV003")
    assert first.usual[0].look == "dkms status; uname -r"
    assert all(one.decides for one in first.usual)
    assert first.verification is not None
    assert any("AS001" in member for member in first.causes)


@pytest.mark.parametrize("asked", ["cuda 802", "xid 79", "EI0006", "507033", "NV024", "fallen off the bus"])
def test_explain_knows_numbers_names_and_sentences(asked: str) -> None:
    assert explain(asked, REGISTRY)


def test_the_tables_of_causes_are_of_checks_that_exist() -> None:
    known = {check.name for check in REGISTRY.checks}
    rows = REGISTRY.specs.causes
    assert len(rows) > 70
    assert [name for name in rows if name not in known] == []
    assert [name for name, row in rows.items() if not row["causes"] or not row["verification"]["text"]] == []


@pytest.mark.parametrize(
    ("looks", "told"),
    [
        (["nvidia-smi -L", "nvidia-smi; id"], "nvidia-smi; id"),
        (["id; ls /dev", None, "uname -r"], "id; ls /dev; uname -r"),
        (["a; b", "c", "d", "e"], "a; b; c; d"),
        (["python -c 'import torch; print(torch.__version__)'"], "python -c 'import torch; print(torch.__version__)'"),
        ([None], None),
    ],
)
def test_one_line_shows_what_decides_the_first_of_each_cause(looks: list[str | None], told: str | None) -> None:
    assert telling_apart(looks) == told


def test_each_possible_cause_says_what_to_do_where_it_is_the_one() -> None:
    shared = {row["finding"] for row in REGISTRY.specs.table("language/candidate_fixes")["findings"]}
    causes = [(name, one) for name, row in REGISTRY.specs.ambiguous["rows"].items() for one in row["causes"]]
    assert [
        (name, one["cause"]) for name, one in causes if "fixes" not in one and one.get("finding") not in shared
    ] == []


def test_no_step_that_mends_only_prints() -> None:
    specs = REGISTRY.specs
    fixes = [fix for row in specs.table("language/candidate_fixes")["findings"] for fix in row["fixes"]]
    fixes += [fix for row in specs.ambiguous["rows"].values() for one in row["causes"] for fix in one.get("fixes", ())]
    typed = [(fix["text"], actions_of(fix.get("command"), specs)) for fix in fixes if fix.get("kind", "mend") == "mend"]
    assert [text for text, found in typed if found and all(isinstance(one, Inspect) for one in found)] == []
