"""A case that a user gives: written disguised, judged as what it was made of, and run as a test once filled in."""

import json
from pathlib import Path
from typing import Any

import pytest
import yaml
from every_case import every_case, registry

from accel.apps.cli import main
from accel.apps.privacy.texts import redacted_texts
from accel.collect.live import device_types
from accel.collect.text import read_texts
from accel.diagnose.engine import diagnose
from accel.model.codec import decode_snapshot
from accel.model.diagnosis import Diagnosis
from accel.model.snapshot import Snapshot

HERE = Path(__file__).parent
USER_CASES = sorted(path.parent for path in (HERE / "user_cases").glob("*/case.yaml"))
REGISTRY = registry()
REPORT = """jdoe7@bigbox7:~$ nvidia-smi -L
GPU 0: NVIDIA A100-SXM4-80GB (UUID: GPU-2b1077aa-0f0f-1122-3344-556677889900)
jdoe7@bigbox7:~$ export HF_TOKEN=hf_abcdefghijklmnopqrstuvwxyzABCDEFGH
jdoe7@bigbox7:~$ python /home/jdoe7/train.py --master 10.20.30.40
RuntimeError: Unexpected error from cudaGetDeviceCount(). Error 802: system not yet initialized
"""
HIDDEN = ("jdoe7", "bigbox7", "2b1077aa", "hf_abcdef", "10.20.30.40")


def judged(snapshot: Snapshot) -> Diagnosis:
    return diagnose(snapshot, REGISTRY.specs, REGISTRY.checks, REGISTRY.rules)


def of_folder(folder: Path) -> Diagnosis:
    """Return what accel makes of a case: of its texts, or of its snapshot where it has none."""
    texts = [(path.name, path.read_text(encoding="utf-8")) for path in sorted(folder.glob("report*.txt"))]
    if texts:
        return judged(read_texts(texts, REGISTRY))
    return judged(decode_snapshot((folder / "snapshot.json").read_text(encoding="utf-8"), device_types(REGISTRY)))


def wrong_with(folder: Path) -> list[str]:
    """Return what accel makes of a case otherwise than its case.yaml says."""
    told: dict[str, Any] = yaml.safe_load((folder / "case.yaml").read_text(encoding="utf-8"))
    found = [f for f in of_folder(folder).findings if f.severity != "info"]
    names = [f.name for f in found if f.is_cause]
    allowed = {told["cause"], *(told["also"] or ())}
    wrong = [f"it finds {name}, which is not so" for name in names if name not in allowed]
    if told["cause"] != "none" and names[:1] != [told["cause"]]:
        wrong.append(f"the first finding is {names[:1]}, not {told['cause']}")
    return wrong


@pytest.mark.parametrize("folder", USER_CASES, ids=lambda folder: folder.name)
def test_a_case_of_a_user_is_judged_as_it_was(folder: Path) -> None:
    assert wrong_with(folder) == []


@pytest.fixture
def written(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> Path:
    report = tmp_path / "report.txt"
    report.write_text(REPORT, encoding="utf-8")
    assert main(["doctor", str(report), "--case", str(tmp_path / "case")]) == 1
    assert "look through it before you give it away" in capsys.readouterr().err
    return tmp_path / "case"


def test_a_case_holds_all_that_its_readme_names_and_nothing_that_names_somebody(written: Path) -> None:
    names = {"report.txt", "snapshot.json", "doctor.txt", "findings.json", "case.yaml", "README.md"}
    assert {path.name for path in written.iterdir()} == names
    for path in written.iterdir():
        text = path.read_text(encoding="utf-8")
        assert [word for word in HIDDEN if word in text] == [], path.name
    assert json.loads((written / "findings.json").read_text())["schema"] == "accel.diagnosis/1"
    assert "The disguise changed" not in (written / "README.md").read_text()
    assert "fabric-manager-not-running" in (written / "case.yaml").read_text()


def test_a_case_that_was_filled_in_runs_as_a_test(written: Path) -> None:
    case = written / "case.yaml"
    asked = case.read_text(encoding="utf-8")
    case.write_text(asked.replace("cause: null", 'cause: "fabric-manager-not-running"'), encoding="utf-8")
    assert wrong_with(written) == []
    (written / "report.txt").unlink()
    assert wrong_with(written) == []  # from its snapshot alone
    case.write_text(asked.replace("cause: null", 'cause: "none"'), encoding="utf-8")
    assert wrong_with(written) == ["it finds fabric-manager-not-running, which is not so"]


def test_a_folder_that_holds_something_is_refused(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    (tmp_path / "case").mkdir()
    (tmp_path / "case" / "mine.txt").write_text("mine", encoding="utf-8")
    report = tmp_path / "report.txt"
    report.write_text(REPORT, encoding="utf-8")
    assert main(["doctor", str(report), "--case", str(tmp_path / "case")]) == 2
    assert "something is in it already" in capsys.readouterr().err
    assert main(["doctor", str(report), "--case", str(report)]) == 2
    assert "it is a file" in capsys.readouterr().err
    assert [path.name for path in (tmp_path / "case").iterdir()] == ["mine.txt"]


def test_a_saved_snapshot_makes_a_case_without_a_text(tmp_path: Path) -> None:
    saved = tmp_path / "saved.json"
    report = tmp_path / "report.txt"
    report.write_text(REPORT, encoding="utf-8")
    assert main(["snapshot", "--from", str(report), "--identifiers", "-o", str(saved)]) == 0
    assert main(["doctor", str(saved), "--case", str(tmp_path / "case")]) == 1
    assert not list((tmp_path / "case").glob("report*"))
    text = (tmp_path / "case" / "snapshot.json").read_text(encoding="utf-8")
    assert [word for word in HIDDEN if word in text] == []


def test_a_disguised_text_is_judged_as_the_whole_one() -> None:
    def told(diagnosis: Diagnosis) -> Any:
        return diagnosis.verdict, [(f.code, f.severity, f.is_cause) for f in diagnosis.findings]

    for case in [case for case in every_case() if case.text_alone][::12]:
        (shown,) = redacted_texts([case.text], case.snapshot)
        if shown != case.text:
            assert told(judged(read_texts([("report", shown)], REGISTRY))) == told(case.diagnosis), (case.text, shown)
