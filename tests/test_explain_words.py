"""What people ask of `accel explain` in their own words gets an answer with a command, the likeliest first."""

import pytest

from accel.apps.explain import explain
from accel.plugins.registry import Registry
from accel.specs import load

REGISTRY = Registry({})
QUESTIONS = load().table("language/questions")["questions"]  # type: ignore[index]


@pytest.mark.parametrize(
    ("words", "title"),
    [
        ("oom", "Out of memory"),
        ("CUDA OOM", "Out of memory"),
        ("训练时爆显存了", "Out of memory"),
        ("is_available returns False", "A program finds no device"),
        ("torch.cuda.is_available() returns False", "A program finds no device"),
        ("CUDA 驱动程序版本不足", "The driver is too old"),
        ("nvidia-smi 无法与驱动通信", "The driver does not answer"),
    ],
)
def test_a_question_is_answered_with_a_command(words: str, title: str) -> None:
    (answer,) = explain(words, REGISTRY)
    assert answer.title == title
    assert answer.steps[-1].command


def test_each_question_names_checks_that_there_are() -> None:
    names = {check.name for check in REGISTRY.checks}
    assert [name for row in QUESTIONS for name in row["checks"] if name not in names] == []


@pytest.mark.parametrize("words", ["999", "Error 999", "error code: 999", "ERROR #999", "错误 999", "错误代码：999"])
def test_a_number_is_an_error_with_or_without_the_word(words: str) -> None:
    assert explain(words, REGISTRY)[0].title == "CUDA 999 cudaErrorUnknown"


@pytest.mark.parametrize("code", ["802", "804", "999"])
def test_of_one_number_the_best_known_error_comes_first(code: str) -> None:
    titles = [answer.title.split()[0] for answer in explain(code, REGISTRY)]
    assert titles[0] == "CUDA"
    assert "MUSA" in titles


@pytest.mark.parametrize("words", ["boom", "room 7", "the oomph of it", "天气很好"])
def test_other_words_are_no_question(words: str) -> None:
    assert not any(answer.title in {row["title"] for row in QUESTIONS} for answer in explain(words, REGISTRY))
