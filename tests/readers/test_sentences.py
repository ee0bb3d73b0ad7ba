"""The reader that the message tables drive."""

import re
from dataclasses import replace

import pytest

import accel.specs
from accel.model.report import Event
from accel.readers.sentence_patterns import flexible, literal_signs
from accel.readers.sentences import MOST_EVENTS, sentences_reader
from accel.specs import Message
from accel.text.clean import clean

OLD = Message(
    name="too-old",
    pattern=r"driver on your system is too old \(found version (?P<found>\d+)\)",
    example="The NVIDIA driver on your system is too old (found version 11040).",
    says="the driver is too old",
    topic="test",
)
LOST = Message(name="lost", pattern=r"gpu (?P<index>\d+) IS lost", example="GPU 3 is lost", says="", topic="test",
               backend="nvidia", ignore_case=True)  # fmt: skip


def events(text: str, *messages: Message) -> list[Event]:
    return [e for r in sentences_reader(messages).read(text) for report in r.reports for e in report.events]


def all_messages() -> tuple[Message, ...]:
    return accel.specs.load().messages()


def test_there_are_messages() -> None:
    assert len(all_messages()) > 0


@pytest.mark.parametrize("message", all_messages(), ids=lambda m: m.name)
def test_the_example_of_a_message_is_found_as_printed_and_as_cleaned(message: Message) -> None:
    assert [e.name for e in events(message.example, message)], "as printed"
    assert [e.name for e in events(clean(message.example), message)], "as cleaned"


@pytest.mark.parametrize("message", all_messages(), ids=lambda m: m.name)
def test_the_derived_signs_are_in_every_example(message: Message) -> None:
    signs, example = literal_signs(message.pattern), message.example
    if message.ignore_case:
        signs, example = tuple(s.lower() for s in signs), example.lower()
    assert not signs or any(sign in example for sign in signs)


def test_a_match_carries_its_values_and_its_line() -> None:
    (event,) = events("a\nb\nThe NVIDIA driver on your system is too old (found version 11040).", OLD)
    assert (event.line, event.values, event.device) == (3, (("found", "11040"),), None)


def test_a_wrapped_sentence_is_found() -> None:
    text = "ERROR [core.py:12] driver on your system\n[core.py:12] is\n    too old (found\n  version 11040)"
    assert [e.value("found") for e in events(text, OLD)] == ["11040"]


def test_case_does_not_matter_unless_the_record_says_so() -> None:
    assert [e.value("found") for e in events("Driver On Your System Is TOO OLD (found version 1)", OLD)] == ["1"]
    assert events("Driver On Your System Is TOO OLD (found version 1)", replace(OLD, ignore_case=False)) == []
    assert [e.device for e in events("x Gpu 3 is LOST", LOST)] == ["nvidia:3"]


def test_the_same_sentence_with_the_same_values_counts_once() -> None:
    found = events("GPU 1 is lost\nGPU 2 is lost\nGPU 1 is lost", LOST)
    assert [(e.device, e.line) for e in found] == [("nvidia:1", 1), ("nvidia:2", 2)]


def test_a_message_that_repeats_with_ever_new_values_is_bounded() -> None:
    assert len(events("\n".join(f"GPU {i} is lost" for i in range(1000)), LOST)) == MOST_EVENTS


def test_a_far_sentence_in_a_long_text_has_its_line() -> None:
    text = "filler line of a log\n" * 20_000 + "GPU 7 is lost\n" + "more\n" * 20_000
    assert [(e.device, e.line) for e in events(text, LOST)] == [("nvidia:7", 20_001)]


@pytest.mark.parametrize(
    ("pattern", "wanted"),
    [
        (r"driver too old", ("driver",)),
        (r"version (?P<v>\d+) (?:not )?supported", ("supported",)),
        (r"Xid \d+|has fallen off", ("fallen",)),
        (r"(?:alpha|beta) \d", ("alpha", "beta")),
        (r"x?y*z", ()),
        (r"(?P<file>lib\w+\.so): undefined", ("undefined",)),
        (r"[a-z] (?=needed)maybe?", ("mayb",)),
    ],
)
def test_signs_are_literals_that_a_match_must_hold(pattern: str, wanted: tuple[str, ...]) -> None:
    signs = literal_signs(pattern)
    assert set(signs) == set(wanted) or (not wanted and not signs) or (wanted == ("fallen",) and signs == ())


def test_blanks_in_classes_and_look_behinds_are_left_alone() -> None:
    assert re.search(flexible(r"(?<!no )GPU[ x]lost"), "a GPU lost")
    assert not re.search(flexible(r"(?<!no )GPU[ x]lost"), "no GPU lost")
    assert not re.search(flexible(r"GPU[ x]lost"), "GPU\nlost")


def test_a_log_without_a_fault_says_nothing() -> None:
    text = "".join(f"INFO worker {i} step loss=0.{i} tokens/s 123.4 the quick brown fox\n" for i in range(15_000))
    assert list(sentences_reader(all_messages()).read(text)) == []
