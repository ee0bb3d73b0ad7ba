"""No answer about one vendor's machine names another vendor's tools: a property of all cases of the plugins."""

from collections.abc import Iterator
from pathlib import Path

import pytest
from every_case import Case, every_case, registry

from accel.collect.text import read_texts
from accel.diagnose.engine import diagnose
from accel.facts.infer import infer
from accel.facts.makers import is_about_others, is_of_others, is_ruled_out, makers_shown
from accel.facts.questions import Facts
from accel.model.diagnosis import Diagnosis
from accel.model.snapshot import Snapshot

PLUGINS = Path(__file__).parents[1] / "plugins"
VENDORS = sorted(folder.name for folder in PLUGINS.iterdir() if (folder / "tests" / "checks").is_dir())


def cases(vendor: str) -> Iterator[Case]:
    folder = PLUGINS / vendor / "tests"
    yield from (case for case in every_case() if case.folder.parent == folder and case.text is not None)


def of_text(case: Case) -> tuple[Snapshot, Diagnosis]:
    """Return what is made of a case's text, without the records that the case states beside it."""
    if case.text_alone:
        return case.snapshot, case.diagnosis
    known = registry()
    snapshot = read_texts([("report", case.text or "")], known)
    return snapshot, diagnose(snapshot, known.specs, known.checks, rules=known.rules)


@pytest.mark.parametrize("vendor", VENDORS)
def test_no_verification_or_candidate_is_for_a_vendor_that_is_not_here(vendor: str) -> None:
    known = registry()
    specs = known.specs
    wrong = []
    found = list(cases(vendor))
    assert found
    for case in found:
        name = f"{case.check}: {case.name}"
        snapshot, diagnosis = of_text(case)
        facts = Facts(snapshot, infer(snapshot, specs, known.rules)[0])
        makers = makers_shown(facts, specs)
        for finding in diagnosis.findings:
            lines = [evidence.value for evidence in finding.evidence if evidence.line is not None]
            maker = specs.hints.maker_of(finding.code)
            if maker is not None and maker not in makers and is_about_others(maker, lines, specs):
                wrong.append(f"{name}: {finding.name} rests on lines about {sorted(makers)}: {lines[0]!r}")
            proof = finding.verification
            for said in (proof.text, proof.command) if proof is not None else ():
                if said is not None and is_of_others(said, makers, specs):
                    wrong.append(f"{name}: {finding.name} is verified by {said!r}, of {sorted(makers)}")
        for error in diagnosis.ambiguous_causes:
            for cause in error.candidates:
                topic = specs.causes.get(cause.name or "", {}).get("topic", "").partition("/")[0]
                if topic in specs.hints.makers.values() and is_ruled_out(topic, facts, specs):
                    wrong.append(f"{name}: {cause.name} is a cause of {topic}'s, of {sorted(makers)}")
    assert not wrong, "\n".join(wrong)


@pytest.mark.parametrize(
    ("text", "makers", "ruled_out"),
    [
        ("PyTorch version: 2.6.0+xpu\nIs CUDA available: False\nOS: Ubuntu 24.04.2 LTS (x86_64)", {"intel"}, True),
        ("PyTorch version: 2.6.0+cu124\nIs CUDA available: False\nOS: Ubuntu 24.04.2 LTS (x86_64)", set(), False),
        ("torch 2.6.0+xpu\nnvidia-smi: NVIDIA-SMI has failed because it couldn't communicate with the NVIDIA driver.",
         {"intel", "nvidia"}, False),
        ("GPU: Radeon RX 7900 XTX\nit is slow", {"amd"}, False),
    ],
)  # fmt: skip
def test_a_build_rules_out_vendors_that_nothing_shows(text: str, makers: set[str], ruled_out: bool) -> None:
    known = registry()
    snapshot = read_texts([("report", text)], known)
    facts = Facts(snapshot, infer(snapshot, known.specs, known.rules)[0])
    assert makers_shown(facts, known.specs) == makers
    assert is_ruled_out("nvidia", facts, known.specs) is ruled_out


@pytest.mark.parametrize(
    ("text", "maker"),
    [
        ("amd-smi list\nAMDSMI_STATUS: Driver Not Loaded, code 9", "nvidia"),
        ("hashcat on a Radeon HD 5870, Windows 7\nclGetDeviceIDs(): CL_DEVICE_NOT_FOUND", "intel"),
        ("hl-smi\nhlml: Driver Not Loaded", "nvidia"),
        ("[HailoRT] [error] CHECK failed - Driver version (4.20.0) is different from library version (4.22.0)",
         "nvidia"),
    ],
)  # fmt: skip
def test_a_line_about_one_vendors_device_gives_no_finding_of_anothers(text: str, maker: str) -> None:
    known = registry()
    diagnosis = diagnose(read_texts([("report", text)], known), known.specs, known.checks, rules=known.rules)
    assert [one.name for one in diagnosis.findings if known.specs.hints.maker_of(one.code) == maker] == []
