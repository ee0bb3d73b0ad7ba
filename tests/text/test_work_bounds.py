"""A text of a megabyte makes no more work than a report: counted, not timed.

benchmarks/hostile.py measures the seconds and bytes of every kind in benchmarks/hostile_texts.py.
"""

from collections import Counter

import pytest

from accel.collect.status import evidence
from accel.collect.text import read_texts
from accel.model.snapshot import Snapshot
from accel.plugins.registry import Registry
from accel.text import phrase
from accel.text.bounds import LEAST, MOST_WORK, WHOLE, bounded, work_of
from accel.text.phrase_book import PhraseBook, make_book
from accel.text.words import Words

MEGABYTE = 1_000_000
NOUNS = ("harbor", "market", "river", "tower", "garden", "window", "bridge", "forest", "island", "meadow")


LETTERS = str.maketrans("0123456789", "abcdefghij")


def letters(number: int) -> str:
    return str(number).translate(LETTERS)


def lines(form: str, size: int = MEGABYTE) -> str:
    """Return lines of a form, with a number and its letters in each, that make up a size."""
    out: list[str] = []
    length = 0
    while length < size:
        out.append(form.format(n=len(out), a=letters(len(out))))
        length += len(out[-1].encode()) + 1
    return "\n".join(out)


KINDS = {
    "errors": "2026-01-01 ERROR {a} CUDA error {n}: failed to open file, driver version not found {a}",
    "exceptions": "{a}Error: CUDA error: {a} failed with error {n}",
    "tracebacks": 'Traceback (most recent call last):\n  File "/srv/{a}.py", line 7, in {a}\n    import torch\nNo: {a}',
    "Chinese": "驱动版本不匹配显卡内存错误无法找到设备{a}",
    "headings": "## Machine {a}\nGPU {n}",
    "module lists": "nvidia_{a} {n} {n} nvidia driver module",
    "one letter a line": "{a}",
    "requirements": "{a} {n}.0 requires torch=={n}.1, but you have torch {n}.2 which is incompatible.",
    "failed with": "{a} with NCCL_{n}=1 it works",
}


@pytest.fixture(scope="module")
def registry() -> Registry:
    return Registry({})


@pytest.fixture
def tries(monkeypatch: pytest.MonkeyPatch) -> Counter[str]:
    """Count how often the program of a sentence is run."""
    counted: Counter[str] = Counter()
    run = phrase._run

    def counting(*arguments: object) -> object:
        counted["tries"] += 1
        return run(*arguments)  # type: ignore[arg-type]

    monkeypatch.setattr(phrase, "_run", counting)
    return counted


def read(text: str, registry: Registry) -> Snapshot:
    return read_texts([("report", text)], registry)


@pytest.mark.parametrize("kind", KINDS)
def test_a_megabyte_makes_no_more_tries_than_are_budgeted(kind: str, registry: Registry, tries: Counter[str]) -> None:
    snapshot = read(lines(KINDS[kind]), registry)
    assert tries["tries"] <= 2 * MOST_WORK
    assert any("not read" in gap.reason for gap in snapshot.gaps)


@pytest.mark.parametrize("kind", KINDS)
def test_what_is_read_of_a_megabyte_costs_what_is_budgeted(kind: str, registry: Registry) -> None:
    books = registry.specs.phrase_books
    whole = lines(KINDS[kind])
    part = bounded(whole)
    assert len(part.text.encode()) <= WHOLE
    assert work_of(whole, books) > MOST_WORK


def test_a_report_of_a_few_pages_is_below_the_budget(registry: Registry) -> None:
    report = "\n".join(
        f"the {noun} went on, and torch {n}.0 did not find the driver" for n, noun in enumerate(NOUNS * 60)
    )
    assert len(report) > LEAST
    assert work_of(report, registry.specs.phrase_books) < MOST_WORK
    assert read(report, registry).gaps == ()


def test_a_sentence_is_tried_once_at_each_word(tries: Counter[str]) -> None:
    """However many words stand there before which it may begin: each was one of forty starts of forty others."""
    book = PhraseBook(make_book([("{name:path} ...8 harbor is closed", "tag", ())]))
    words = Words("harbor " * 5000)
    assert list(book.find(words)) == []
    assert tries["tries"] <= len(words)


def test_states_that_failed_are_not_tried_from_another_start() -> None:
    looked: Counter[int] = Counter()

    class Counting(list[str]):
        def __getitem__(self, at: int) -> str:  # type: ignore[override]
            looked["words"] += isinstance(at, int)
            return super().__getitem__(at)

    def steps(count: int) -> int:
        looked.clear()
        words = Words("closed " + "harbor market " * count)
        words.words = Counting(words.words)
        assert list(phrase.find(phrase.compile_phrase("... harbor ... market ... harbor closed"), words)) == []
        return looked["words"]

    assert steps(1000) > 1000
    assert steps(2000) < 2.2 * steps(1000)


def test_a_match_may_begin_behind_a_blank_line_where_another_failed_to_go_on_over_it() -> None:
    words = Words("the harbor\n\nharbor is closed")
    found = list(phrase.find(phrase.compile_phrase("[the] harbor is closed"), words))
    assert [words.text[one.start : one.end] for one in found] == ["harbor is closed"]


def test_a_long_line_is_read_as_far_as_there_is_room_and_that_is_told(registry: Registry) -> None:
    cards = ", ".join(f'"card{n}": {{"Device Name": "MI300X", "GUID": "{n}"}}' for n in range(30_000))
    part = bounded("{" + cards + "}")
    assert 10_000 < len(part.text) < WHOLE
    assert part.left_out == 1


def test_of_one_output_no_more_devices_are_read_than_a_machine_has(registry: Registry) -> None:
    cards = ", ".join(f'"card{n}": {{"Device Name": "AMD Instinct MI300X", "GUID": "{n}"}}' for n in range(600))
    snapshot = read("{" + cards + "}", registry)
    assert sum(len(report.devices) for report in snapshot.reports) == 512
    told = [gap.reason for gap in snapshot.gaps if gap.fact == "devices"]
    assert told == ["88 of its devices were not read: no machine has so many."]


@pytest.mark.parametrize("count", [3, 40])
def test_parts_are_read_apart_while_they_cost_little(count: int, registry: Registry) -> None:
    long = "".join(f"the {noun} of {letters(n)} is wide and green\n" for n in range(30) for noun in NOUNS)
    text = "".join(f"## Machine gpu{n:02}\nGPU 0: NVIDIA A100\ntorch 2.{n}.0\n\n" for n in range(count))
    assert len([part for part in read(text, registry).parts if part.apart]) == count
    snapshot = read(long + text, registry)
    told = any("parts were read together" in gap.reason for gap in snapshot.gaps)
    assert told == (count == 40)


def test_nobody_tries_hundreds_of_things(registry: Registry) -> None:
    snapshot = read("\n".join(f"{letters(n)} with A_{letters(n).upper()}=1 it works" for n in range(600)), registry)
    assert sum(type(one).__name__ == "Experiment" for one in snapshot.observations) <= 200


def test_of_thousands_of_statements_the_first_and_the_last_are_judged(registry: Registry) -> None:
    forms = (
        "{a} with A_{a}=1 it works",
        "{a}Error: CUDA error: {a} failed with error {n}",
        "ImportError: lib{a}.so.{n}: cannot open shared object file",
        "cuda error {n}, errno {n}, rc={n}",
    )
    text = "\n".join(forms[n % len(forms)].format(a=letters(n), n=n) for n in range(900))
    snapshot = read(text, registry)
    lines_told = [one.line for one in snapshot.observations if one.line is not None]
    assert len(set(lines_told)) <= len(lines_told) <= 410  # the statements of one line are kept together
    assert [gap.reason for gap in snapshot.gaps if "were not evaluated" in gap.reason]
    assert min(lines_told) < 20
    assert max(lines_told) > 400
    few = read("\n".join(text.split("\n")[:40]), registry)
    assert not [gap for gap in few.gaps if "were not evaluated" in gap.reason]


def test_a_command_is_taken_apart_once_however_many_faults_are_above_it(registry: Registry) -> None:
    evidence._words.cache_clear()
    text = "".join(f"$ ./run{n} --now\nRuntimeError: CUDA error: {letters(n)}\n$ ls -l {n}\nfine\n" for n in range(60))
    read(text, registry)
    asked = evidence._words.cache_info()
    assert asked.hits > 10 * asked.misses > 0
