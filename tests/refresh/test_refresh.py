"""specs/refresh: what it reads of a registry, what it proposes, and that a second run has nothing left to say."""

import json
import sys
import textwrap
from datetime import date
from pathlib import Path

import pytest
import yaml

ROOT = Path(__file__).resolve().parents[2]
sys.path.insert(0, str(ROOT))

from accel.apps.refresh.index import Ahead, ByPip, Unanswered, Unreachable  # noqa: E402
from accel.apps.refresh.propose import (  # noqa: E402
    Proposal,
    of_packages,
    of_pairs,
    of_releases,
    pins_of,
)
from accel.apps.refresh.subjects import Subject, asked  # noqa: E402
from accel.apps.refresh.wheels import Wheel, linux_tags, pythons_by_platform, wheel_of  # noqa: E402
from specs.refresh import __main__ as command  # noqa: E402
from specs.refresh.compared import compared_on, newer, overdue, overdue_releases  # noqa: E402
from specs.refresh.recorded import Recorded, Recording  # noqa: E402
from specs.refresh.tables import add_package, add_release, set_compared, set_key  # noqa: E402

ANSWERS_FOLDER = Path(__file__).with_name("answers")
ANSWERS = Recorded(ANSWERS_FOLDER)
FRAMEWORKS = ROOT / "specs" / "frameworks"
TABLE = """\
# A table.
as_of: "2026-11"
releases:
  - version: "1.10.2"
    pythons: {linux_x86_64: ["3.7", "3.8", "3.9"]}
    wheel_tags: {linux_x86_64: "manylinux1_x86_64"}
    sources: ["a"]
    confidence: "official" # kept
  - version: "2.14.1"
    requires_python: ">=3.9"
    pythons:
      linux_x86_64: ["3.12"]
      "linux_x86_64+cu130": ["3.12", "3.15"]
    sources: ["a"]
    confidence: "official"
facts:
  - {name: "kept"}
"""


@pytest.mark.parametrize(
    ("name", "platform", "python"),
    [
        ("torch-2.15.0-cp313-cp313t-manylinux_2_28_aarch64.whl", "linux_aarch64", "3.13t"),
        ("torch-2.13.0%2Bcu130-cp312-cp312-win_amd64.whl", None, None),  # a build's own index, not a final release
        ("torch-2.15.0-cp312-cp312-win_arm64.whl", "windows_arm64", "3.12"),
        ("torch-2.15.0-cp311-none-macosx_11_0_arm64.whl", "macos_arm64", "3.11"),
        ("torch-2.15.0-cp38-abi3-manylinux1_x86_64.whl", "linux_x86_64", None),
        ("torch-2.15.0-1-cp38-cp38-manylinux1_x86_64.whl", "linux_x86_64", "3.8"),
        ("torch-2.15.0-py3-none-any.whl", None, None),
        ("torch-2.15.0-cp312-cp312-musllinux_1_2_x86_64.whl", None, "3.12"),
        ("torch-2.15.0rc1-cp312-cp312-win_amd64.whl", None, None),
        ("torchvision-0.29.0-cp312-cp312-win_amd64.whl", None, None),
        ("torch-2.15.0.tar.gz", None, None),  # an archive of sources is for no platform
        ("nonsense", None, None),
    ],
)
def test_a_wheels_name_tells_its_platform_and_python(name: str, platform: str | None, python: str | None) -> None:
    wheel = wheel_of(name, package="torch")
    assert (wheel.platform if wheel else None, wheel.interpreter if wheel else None) == (platform, python)


def test_of_several_linux_tags_the_oldest_c_library_counts() -> None:
    names = ("vllm-0.21.0-cp38-abi3-manylinux_2_34_x86_64.whl", "vllm-0.21.0-1-cp38-abi3-manylinux_2_24_x86_64.whl")
    wheels = [wheel for name in names if (wheel := wheel_of(name, package="vllm"))]
    assert linux_tags(wheels) == {"linux_x86_64": "manylinux_2_24_x86_64"}


def test_pythons_stand_in_the_order_of_the_tables() -> None:
    names = [f"torch-2.15.0-cp{tag}-win_amd64.whl" for tag in ("314-cp314t", "310-cp310", "39-cp39", "34-cp34m")]
    wheels = [wheel for name in names if (wheel := wheel_of(name, package="torch"))]
    assert pythons_by_platform(wheels) == {"windows_x86_64": ["3.9", "3.10", "3.14t"]}


def test_a_release_that_the_table_lacks_is_proposed_with_what_its_metadata_pins() -> None:
    found = {
        (p.version, p.key): p for p in of_releases("torch", ANSWERS.wheels("torch"), _rows(TABLE), ANSWERS.requires)
    }
    made = found["2.15.0", None].value
    assert isinstance(made, dict)
    assert made["cuda_toolkit"] == "13.2.2"
    assert made["cudnn"] == {"cu132": "9.26.0.51"}
    assert made["companions"] == {"triton": "~=3.9.0"}
    assert made["defaults"]["windows_x86_64"] == "cpu"
    assert made["pythons"]["linux_x86_64"] == ["3.11", "3.12", "3.13", "3.14", "3.14t", "3.15", "3.15t"]


def test_pythons_that_the_table_lacks_are_proposed_and_those_of_a_builds_own_index_are_kept() -> None:
    found = {
        (p.version, p.key): p for p in of_releases("torch", ANSWERS.wheels("torch"), _rows(TABLE), ANSWERS.requires)
    }
    assert "linux_x86_64 also 3.6" in found["1.10.2", "pythons"].why
    kept = found["2.14.1", "pythons"].value
    assert isinstance(kept, dict)
    assert kept["linux_x86_64+cu130"] == ["3.12", "3.15"]
    assert found["2.14.1", "requires_python"].value == ">=3.10"


def test_written_changes_leave_the_rest_and_a_second_run_proposes_nothing() -> None:
    text = _written(TABLE)
    assert text.startswith('# A table.\nas_of: "2026-11"\nreleases:\n')
    assert 'confidence: "official" # kept' in text
    assert text.endswith('facts:\n  - {name: "kept"}\n')
    assert of_releases("torch", ANSWERS.wheels("torch"), _rows(text), ANSWERS.requires) == []
    assert _written(text) == text


def test_packages_that_the_table_lacks_come_before_lower_versions_with_their_bounds() -> None:
    rows = '  - {name: "vllm", version: "0.21.0"}\n  - name: "vllm"\n    version: "0.18.1"\n    rule: "x"\n'
    table = f"packages:\n{rows}rules: []\n"
    known = yaml.safe_load(table)["packages"]
    found = of_packages("vllm", ANSWERS.wheels("vllm"), known, ANSWERS.requires, ("torch",), 2, "0.19")
    assert [p.version for p in found] == ["0.19.1", "0.20.2"]
    for proposal in found:
        assert isinstance(proposal.value, dict)
        table = add_package(table, proposal.value)
    made = yaml.safe_load(table)["packages"]
    assert [row["version"] for row in made] == ["0.21.0", "0.20.2", "0.19.1", "0.18.1"]
    assert made[2]["requires"] == {"torch": "==2.10.0", "python": ">=3.10,<3.14"}
    assert made[1]["linux_tag"] == "manylinux_2_35"
    assert of_packages("vllm", ANSWERS.wheels("vllm"), made, ANSWERS.requires, ("torch",), 2, "0.19") == []


def test_a_package_that_the_table_never_had_is_added_at_its_end() -> None:
    made = add_package('packages:\n  - {name: "a", version: "1"}\nrules: []\n', {"name": "b", "version": "2"})
    assert [row["name"] for row in yaml.safe_load(made)["packages"]] == ["a", "b"]


def test_markers_of_other_systems_and_extras_are_no_pins() -> None:
    lines = [
        'torch==2.10.0; platform_machine != "aarch64"',
        "torch (==1.0); platform_system == 'Windows'",
        'xformers==0.0.35; extra == "x"',
        "numpy",
    ]
    assert pins_of(lines, ("torch", "xformers", "numpy")) == {"torch": "==2.10.0"}


def test_newer_releases_are_those_above_every_one_of_the_table() -> None:
    assert newer(ANSWERS.wheels("torch"), ["2.14.0", "1.0"]) == ["2.14.1", "2.15.0"]


def test_pip_is_asked_and_its_words_are_read(tmp_path: Path) -> None:
    pip = _script(
        tmp_path / "pip.py",
        """
        import json, sys
        if "index" in sys.argv:
            print("  Found link torch-2.15.0-cp312-cp312-win_amd64.whl (from x) (requires-python:>=3.11), version: 2")
            print("  Skipping link: none of the wheel's tags (cp313-cp313-win_amd64) are compatible: "
                  "torch-2.15.0-cp313-cp313-win_amd64.whl (from somewhere) (requires-python:>=3.11)")
            print("  Skipping link: not a file: torch-2.15.0.tar.gz")
        else:
            path = sys.argv[sys.argv.index("--report") + 1]
            told = {"install": [{"metadata": {"requires_dist": ["filelock", sys.argv[-1]]}}]}
            open(path, "w").write(json.dumps(told))
        """,
    )
    registry = Recording(ByPip((sys.executable, str(pip))), tmp_path / "kept")
    wheels = registry.wheels("torch")
    assert [(w.interpreter, w.tag) for w in wheels] == [("3.12", "win_amd64"), ("3.13", "win_amd64"), (None, "source")]
    assert wheels[1].requires_python == ">=3.11"
    assert registry.requires(wheels[0]) == ("filelock", "torch==2.15.0")
    kept = Recorded(tmp_path / "kept")
    assert (kept.wheels("torch"), kept.requires(wheels[1])) == (wheels, ("filelock", "torch==2.15.0"))


def test_a_registry_that_does_not_answer_is_said(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    pip = _script(tmp_path / "pip.py", "import sys\nsys.exit('ERROR: no index')\n")
    with pytest.raises(Unanswered, match="no index"):
        ByPip((sys.executable, str(pip))).wheels("torch")
    assert command.main(["torch", "--recorded", str(tmp_path)]) == 2
    assert "no answer" in capsys.readouterr().err
    assert command.main(["left-pad", "--recorded", str(tmp_path)]) == 2


def test_the_command_tells_what_is_newer_and_writes_nothing_unasked(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    names = [f"torch-{version}-cp312-cp312-manylinux_2_28_x86_64.whl" for version in ("99.0.0", "2.15.0")]
    page = {"files": [{"filename": name, "requires-python": ">=3.11"} for name in names]}
    (tmp_path / "torch.json").write_text(json.dumps(page), encoding="utf-8")
    before = {path: path.read_bytes() for path in FRAMEWORKS.glob("*.yaml")}
    assert command.main(["torch", "--newer", "--recorded", str(tmp_path)], date(2026, 11, 30)) == 0
    assert capsys.readouterr().out == "torch: newer than the tables: 99.0.0\n"
    assert command.main(["torch", "--diff", "--recorded", str(tmp_path)]) == 0
    diff = capsys.readouterr().out
    assert "--- a/specs/frameworks/torch.yaml\n+++ b/specs/frameworks/torch.yaml\n" in diff
    assert '+  - version: "99.0.0"' in diff
    assert {path: path.read_bytes() for path in FRAMEWORKS.glob("*.yaml")} == before


def _rows(text: str) -> list[dict[str, object]]:
    rows: list[dict[str, object]] = yaml.safe_load(text)["releases"]
    return rows


def _written(text: str) -> str:
    proposals: list[Proposal] = of_releases("torch", ANSWERS.wheels("torch"), _rows(text), ANSWERS.requires)
    for p in proposals:
        if p.key is not None:
            text = set_key(text, p.version, p.key, p.value)
        elif isinstance(p.value, dict):
            text = add_release(text, p.value)
    return text


def _script(path: Path, text: str) -> Path:
    path.write_text(textwrap.dedent(text), encoding="utf-8")
    return path


class _Asked:
    """A registry that notes what it was asked for. refuses: to answer for these."""

    said = "a list"

    def __init__(self, *refuses: str) -> None:
        self.asked: list[str] = []
        self._refuses = refuses

    def wheels(self, package: str) -> tuple[Wheel, ...]:
        self.asked.append(package)
        if package in self._refuses:
            raise Unreachable(f"no way to {package}")
        return ANSWERS.wheels("torch")[:1]

    def requires(self, wheel: Wheel) -> tuple[str, ...] | None:
        return ("numpy",)


def test_several_packages_are_asked_for_at_once_each_a_single_time() -> None:
    asked = _Asked("vllm")
    registry = Ahead(asked, ["torch", "jax", "torch", "vllm"])
    assert registry.wheels("torch") == registry.wheels("jax") == ANSWERS.wheels("torch")[:1]
    with pytest.raises(Unreachable):
        registry.wheels("vllm")
    assert asked.asked[0] == "torch"
    assert sorted(asked.asked) == ["jax", "torch", "vllm"]
    assert registry.requires(registry.wheels("jax")[0]) == ("numpy",)


def test_nothing_else_is_asked_for_where_the_first_package_has_no_answer() -> None:
    asked = _Asked("torch")
    with pytest.raises(Unreachable):
        Ahead(asked, ["torch", "jax"]).wheels("torch")
    assert asked.asked == ["torch"]


def test_without_a_way_to_the_registry_the_first_package_is_the_last_that_is_asked_for(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    pip = _script(
        tmp_path / "pip.py",
        """
        import sys
        print("WARNING: Retrying after connection broken by 'NewConnectionError(…)'", file=sys.stderr)
        print("ERROR: No matching distribution found for torch", file=sys.stderr)
        sys.exit(1)
        """,
    )
    monkeypatch.setattr(command, "ByPip", lambda: ByPip((sys.executable, str(pip))))
    assert command.main(["--newer"], date(2026, 11, 30)) == 0
    assert command.main([], date(2026, 11, 30)) == 2
    said = capsys.readouterr()
    assert said.out == ""
    many = len(command._table("frameworks/subjects")["subjects"])
    first, asked, *rest = said.err.splitlines()[3:]
    assert first == f"{many} packages are compared with the package index that pip is configured for."
    assert asked == f"[1/{many}] torch"
    assert [line.partition(":")[0] for line in rest] == [
        "There is no way to the package index that pip is configured for",
        "Nothing more was compared. Try again with a network, or with --recorded FOLDER.",
    ]


def test_an_answer_without_what_the_table_has_is_no_answer() -> None:
    subject = Subject(package="torch", tables=("torch",))
    with pytest.raises(Unanswered, match=r"none of 99\.0"):
        asked(subject, [{"releases": [{"version": "99.0"}]}], ANSWERS)
    assert asked(subject, [{"releases": [{"version": "2.15.0"}]}], ANSWERS)


def test_of_a_table_of_pairs_the_rows_and_pythons_that_it_lacks_are_proposed() -> None:
    names = (
        "torch_npu-2.9.0.post9-cp314-cp314-manylinux_2_28_aarch64.whl",
        "torch_npu-2.9.0-cp310-cp310-linux_x86_64.whl",
    )
    wheels = [wheel for name in names if (wheel := wheel_of(name, package="torch-npu"))]
    rows = [{"torch_npu": "2.9.0", "torch": "2.9.0", "pythons": {"linux_x86_64": ["3.9"]}}]
    pythons, new = of_pairs("torch-npu", wheels, rows, lambda wheel: None, "torch_npu", "torch")
    assert (pythons.version, pythons.key, pythons.value) == ("2.9.0", "pythons", {"linux_x86_64": ["3.10"]})
    assert new.value == {
        "torch_npu": "2.9.0.post9",
        "torch": "2.9.0",
        "pythons": {"linux_aarch64": ["3.14"]},
        "source": "index",
    }


def test_each_table_and_each_package_beside_a_framework_has_a_subject_with_the_day_of_its_comparison() -> None:
    subjects = command.subjects_of(command._table("frameworks/subjects"))
    named = {subject.package for subject in subjects if subject.rows}
    tables = {name for subject in subjects for name in subject.tables}
    installers = command._table("frameworks/installers")["companions"]
    elsewhere = {row["name"] for row in installers if "index" in row}  # on an index of their own
    framework = {p.stem: yaml.safe_load(p.read_text(encoding="utf-8")) for p in FRAMEWORKS.glob("*.yaml")}
    assert {name for name, table in framework.items() if "framework" in table and "releases" in table} <= tables
    rows = [row for name in ("companions", "companions_tools") for row in framework[name]["packages"]]
    assert {row["name"] for row in rows} - elsewhere <= named | tables | {"cupy-cuda12x"}
    for subject in subjects:
        assert subject.variant or compared_on(subject, command._tables(subject)), subject.package


@pytest.mark.parametrize(
    ("day", "today", "late"),
    [("2026-11-29", "2026-12-29", False), ("2026-11-29", "2026-12-30", True), (None, "2026-11-29", True)],
)
def test_a_table_is_late_after_thirty_days(day: str | None, today: str, late: bool) -> None:
    assert bool(list(overdue("torch", day, date.fromisoformat(today)))) is late


def test_the_lists_of_releases_have_ninety_days_and_those_without_wheels_in_the_table_none() -> None:
    table = {
        "projects": [
            {"package": "a", "project": "x/a", "compared": "2026-10-11"},
            {"package": "b", "project": "x/b"},
        ],
        "wheels": [{"package": "a"}],
    }
    assert list(overdue_releases(table, date(2027, 1, 9))) == []
    assert list(overdue_releases(table, date(2027, 1, 10))) == [
        "releases of x/a: was compared on 2026-10-11, 91 days ago; 90 are allowed"
    ]


def test_an_overdue_comparison_is_a_warning_and_fails_only_under_strict_also_without_an_answer(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    asked = ["torch", "--newer", "--recorded", str(tmp_path)]
    for more in ([], ["--strict"]):
        assert command.main([*asked, *more], date(2026, 11, 30)) == 0
        said = capsys.readouterr()
        assert "no answer" in said.err
        assert "was compared on" not in said.out
    assert command.main(asked, date(2030, 1, 1)) == 0
    said = capsys.readouterr()
    assert said.out.startswith("warning: torch: was compared on ")
    assert "no answer" in said.err  # the index is asked all the same
    assert command.main([*asked, "--strict"], date(2030, 1, 1)) == 1
    said = capsys.readouterr()
    assert said.out.startswith("torch: was compared on ")
    assert said.err == ""


def test_the_day_of_a_comparison_is_set_at_the_head_by_package_or_in_the_row_of_a_project() -> None:
    assert yaml.safe_load(set_compared(TABLE, "2026-12-01"))["compared"] == "2026-12-01"
    again = set_compared(set_compared(TABLE, "2026-12-01"), "2026-12-02")
    assert yaml.safe_load(again)["compared"] == "2026-12-02"
    rows = 'as_of: "2026-11"\nsources: {}\npackages: []\n'
    both = set_compared(set_compared(set_compared(rows, "2026-12-01", "a"), "2026-12-02", "b"), "2026-12-03", "a")
    assert yaml.safe_load(both)["compared"] == {"a": "2026-12-03", "b": "2026-12-02"}
    projects = 'projects:\n  - {package: "a", project: "x/a"}\nwheels: []\n'
    set_there = yaml.safe_load(set_compared(projects, "2026-12-01", "a", inside="projects"))
    assert set_there["projects"] == [{"package": "a", "project": "x/a", "compared": "2026-12-01"}]
