"""`accel specs refresh`: asks first, writes a folder of the user's own, and nothing where something went wrong."""

import io
from collections.abc import Callable
from pathlib import Path

import pytest
import yaml

from accel.apps.cli import main, specs_refresh
from accel.apps.refresh import index as asked_index
from accel.apps.refresh import releases as asked_releases
from accel.apps.refresh.index import Unanswered, Unreachable
from accel.apps.refresh.wheels import Wheel, wheel_of
from accel.specs import load

NAMES = (
    "vllm-0.33.0-cp38-abi3-manylinux_2_28_x86_64.whl",
    "vllm-97.1.0-cp38-abi3-manylinux_2_28_x86_64.whl",
)
Answer = Callable[[str], tuple[Wheel, ...]]


def wheels(package: str) -> tuple[Wheel, ...]:
    return tuple(wheel for name in NAMES if (wheel := wheel_of(name, ">=3.12", package=package)))


class Index:
    """An index that answers as it is told to, and notes what it was asked for."""

    said = "an index"

    def __init__(self, answer: Answer = wheels) -> None:
        self._answer = answer
        self.asked: list[str] = []

    def wheels(self, package: str) -> tuple[Wheel, ...]:
        self.asked.append(package)
        return self._answer(package)

    def requires(self, wheel: Wheel) -> tuple[str, ...] | None:
        return ("torch==2.14.0", "numpy")


class Releases:
    """A list of releases with one wheel of vLLM for another CUDA."""

    said = "lists"

    def wheels(self, package: str, project: str) -> tuple[Wheel, ...]:
        name = "vllm-0.33.0+cu129-cp38-abi3-manylinux_2_28_x86_64.whl"
        wheel = wheel_of(name, package=package, local=True)
        return (wheel,) if wheel else ()


@pytest.fixture
def used(monkeypatch: pytest.MonkeyPatch) -> Callable[[Answer], Index]:
    def use(answer: Answer = wheels) -> Index:
        index = Index(answer)
        monkeypatch.setattr(asked_index, "ByPip", lambda: index)
        monkeypatch.setattr(asked_releases, "OfGitHub", Releases)
        return index

    monkeypatch.delenv("ACCEL_SPECS", raising=False)
    return use


def raising(error: BaseException) -> Answer:
    def answer(package: str) -> tuple[Wheel, ...]:
        raise error

    return answer


def test_what_differs_is_written_and_answers_then_know_it(
    tmp_path: Path, used: Callable[..., Index], capsys: pytest.CaptureFixture[str]
) -> None:
    used()
    assert main(["specs", "refresh", "vllm", "--yes", "--into", str(tmp_path)]) == 0
    said = capsys.readouterr().out
    assert "vllm 97.1.0: it is not in the table" in said
    assert "vllm 0.33.0+cu129: it is not in the table" in said
    assert f"export ACCEL_SPECS={tmp_path}" in said
    specs = load(environment={"ACCEL_SPECS": str(tmp_path)})
    assert specs.problems == specs.contradictions == ()
    made = specs.companion("vllm", "97.1.0")
    assert made is not None
    assert made.torch == "==2.14.0"
    assert load(environment={}).companion("vllm", "97.1.0") is None
    wheel = {"package": "vllm", "version": "0.33.0", "variant": "cu129"}
    assert any(wheel.items() <= row.items() for row in specs.table("frameworks/release_wheels")["wheels"])
    assert main(["specs", "refresh", "vllm", "--yes", "--into", str(tmp_path)]) == 0


@pytest.mark.parametrize("typed", ["n\n", "\n", ""])
def test_nothing_is_asked_for_before_the_yes(
    typed: str, tmp_path: Path, used: Callable[..., Index], monkeypatch: pytest.MonkeyPatch
) -> None:
    index = used()
    terminal = io.StringIO(typed)
    monkeypatch.setattr(terminal, "isatty", lambda: True, raising=False)
    monkeypatch.setattr("sys.stdin", terminal)
    assert main(["specs", "refresh", "vllm", "--into", str(tmp_path / "new")]) == 0
    assert index.asked == []
    assert not (tmp_path / "new").exists()


def test_where_nobody_can_answer_the_option_is_named(
    tmp_path: Path, used: Callable[..., Index], monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    index = used()
    monkeypatch.setattr("sys.stdin", io.StringIO("y\n"))
    assert main(["specs", "refresh", "vllm", "--into", str(tmp_path / "new")]) == 2
    assert "--yes" in capsys.readouterr().err
    assert index.asked == []


@pytest.mark.parametrize(
    ("error", "code", "says"),
    [
        (Unreachable("no route"), 2, "an index cannot be reached: no route. Nothing was written"),
        (KeyboardInterrupt(), 130, "Interrupted. Nothing was written; the data is as before."),
    ],
)
def test_where_the_way_ends_or_somebody_interrupts_nothing_is_written(
    error: BaseException,
    code: int,
    says: str,
    tmp_path: Path,
    used: Callable[..., Index],
    capsys: pytest.CaptureFixture[str],
) -> None:
    used(raising(error))
    assert main(["specs", "refresh", "vllm", "--yes", "--into", str(tmp_path / "new")]) == code
    assert says in capsys.readouterr().err
    assert not (tmp_path / "new").exists()


@pytest.mark.parametrize(
    "answer", [raising(Unanswered("<html>")), lambda package: (), lambda package: wheels(package)[1:]]
)
def test_a_package_without_an_answer_or_with_nonsense_keeps_its_table(
    answer: Answer, tmp_path: Path, used: Callable[..., Index], capsys: pytest.CaptureFixture[str]
) -> None:
    used(answer)
    words = ["specs", "refresh", "vllm", "--yes", "--without-releases", "--into", str(tmp_path)]
    assert main(words) == 1
    assert "No answer: vllm: " in capsys.readouterr().err
    assert list(tmp_path.rglob("*.yaml")) == []


def test_a_file_that_no_refresh_wrote_is_kept_and_nothing_beside_it_is_written(
    tmp_path: Path, used: Callable[..., Index], capsys: pytest.CaptureFixture[str]
) -> None:
    used()
    mine = tmp_path / "frameworks" / "companions.yaml"
    mine.parent.mkdir()
    mine.write_text("# mine\n", encoding="utf-8")
    assert main(["specs", "refresh", "vllm", "--yes", "--into", str(tmp_path)]) == 2
    assert "it was not written by a refresh, and is left unchanged. Nothing was written." in capsys.readouterr().err
    assert [path.name for path in tmp_path.rglob("*.yaml")] == ["companions.yaml"]
    assert mine.read_text(encoding="utf-8") == "# mine\n"


def test_a_written_table_says_how_many_rows_it_holds(tmp_path: Path, used: Callable[..., Index]) -> None:
    used()
    assert main(["specs", "refresh", "vllm", "--yes", "--into", str(tmp_path)]) == 0
    table = yaml.safe_load((tmp_path / "frameworks" / "companions.yaml").read_text(encoding="utf-8"))
    assert table["holds"] == {"packages": 1}
    assert table["amends"] is True
    assert list(table["compared"]) == ["vllm"]


def test_a_package_of_no_table_is_refused_before_anything_is_asked(
    used: Callable[..., Index], capsys: pytest.CaptureFixture[str]
) -> None:
    index = used()
    assert main(["specs", "refresh", "left-pad", "--yes"]) == 2
    assert "no table is made of it" in capsys.readouterr().err
    assert index.asked == []


def test_without_pip_an_index_has_to_be_named(
    used: Callable[..., Index], monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    used()
    monkeypatch.setattr(specs_refresh, "find_spec", lambda name: None)
    assert main(["specs", "refresh", "vllm", "--yes"]) == 2
    assert "--index-url URL" in capsys.readouterr().err
