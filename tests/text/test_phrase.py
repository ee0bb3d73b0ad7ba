"""What a phrase is found in, and in what it is not."""

import pytest

from accel.text.phrase import BadPhrase, compile_phrase, find
from accel.text.phrase_book import make_book
from accel.text.words import Words


def found(phrase: str, text: str) -> list[dict[str, str]]:
    return [match.values for match in find(compile_phrase(phrase), Words(text))]


@pytest.mark.parametrize(
    "text", ["killed by signal 7", "Signal 7.", "(signal 7)", "signal=7, core dumped", "signal\n7", "SIGNAL 7.\n1 more"]
)
def test_a_number_is_found_whatever_stands_around_it(text: str) -> None:
    assert found("signal 7", text) == [{}]


@pytest.mark.parametrize("text", ["signal-7.27.txt", "signal 7.2", "signal 71"])
def test_a_number_that_is_part_of_a_version_is_another_number(text: str) -> None:
    assert found("signal 7", text) == []


def test_a_version_may_be_stated_as_its_numbers() -> None:
    assert found("CUDA 11.8 or newer", "needs CUDA 11.8 or newer") == [{}]
    assert found("CUDA (11|12).8", "CUDA 12.8") == [{}]
    assert found("CUDA (11|12)", "CUDA 12.8") == []


def test_a_unit_written_to_its_number_is_a_word() -> None:
    assert Words("stuck at 80W of 22GB, sm_120a 1080ti 4090D").words == [
        *("stuck", "at", "80", "w", "of", "22", "gb", "sm_120a", "1080ti", "4090d")
    ]


def test_words_that_void_a_sentence_are_plain() -> None:
    with pytest.raises(BadPhrase, match="plain words"):
        make_book([("driver not found", "tag", ("no (such|other) driver",))])


def test_an_optional_group_is_written_in_square_brackets() -> None:
    with pytest.raises(BadPhrase, match="square brackets"):
        compile_phrase("(driver)? not found")
