"""What a short answer shows of a finding's evidence and remedies."""

from accel.apps.render.finding_text import Left, finding_view
from accel.model.diagnosis import Evidence, Finding, Remedy

_MEND = Remedy(text="Install it.", command="pip install it")
_BY_HAND = Remedy(text="Reseat the board.", action="service")
_LOOK = Remedy(text="Check the link.", command="lspci", kind="look")
_OTHER = Remedy(text="Or use another one.", command="pip install other")


def shown(*remedies: Remedy, evidence: tuple[Evidence, ...] = (), verbose: bool = False) -> tuple[list[str], Left]:
    finding = Finding(
        code="XX001", name="a-fault", severity="error", title="It failed", evidence=evidence, remedies=remedies
    )
    left = Left()
    lines = finding_view(finding, left, verbose=verbose, short=False, ticket=False, alone=True)
    return [f"{line.label}: {line.text}" for line in lines if line.label], left


def test_a_look_is_no_alternative_to_a_fix() -> None:
    lines, left = shown(_MEND, _LOOK)
    assert [line.partition(":")[0] for line in lines] == ["fix"]
    assert (left.remedies, left.looks) == (0, 1)
    assert [line.partition(":")[0] for line in shown(_MEND, _LOOK, _OTHER)[0]] == ["fix", "alternative"]
    assert [line.partition(":")[0] for line in shown(_MEND, _LOOK, verbose=True)[0]] == ["fix", "check"]


def test_a_fix_by_hand_is_shown_with_the_command_that_helps() -> None:
    assert [line.partition(":")[0] for line in shown(_BY_HAND, _LOOK)[0]] == ["fix", "check"]


def test_the_source_line_that_raises_an_error_does_not_repeat_it() -> None:
    said = Evidence(fact="raised", value="AssertionError: Torch not compiled with CUDA enabled", line=9)
    raised = Evidence(fact="raised", value='raise AssertionError("Torch not compiled with CUDA enabled")', line=8)
    other = Evidence(fact="raised", value='raise AssertionError("Something else was expected here")', line=7)
    assert len(shown(evidence=(said, raised))[0]) == 1
    assert len(finding_lines(said, other)) == 2


def finding_lines(*evidence: Evidence) -> list[str]:
    finding = Finding(code="XX001", name="a-fault", severity="error", title="It failed", evidence=evidence)
    view = finding_view(finding, Left(), verbose=False, short=False, ticket=False, alone=True)
    return [line.text for line in view if "(line" in line.text]


def test_a_reading_keeps_its_name_and_has_its_line() -> None:
    assert finding_lines(Evidence(fact="driver", value="410.104", line=4)) == ["driver: 410.104  (line 4)"]
    assert finding_lines(Evidence(fact="torch's build", value="torch 2.4.0+cpu", line=4)) == [
        "torch 2.4.0+cpu  (line 4)"
    ]
