"""What decides the status of a statement without knowing its words: quotations, dated entries, code by its shape."""

import pytest
from every_case import registry

from accel.collect.text import read_texts
from accel.text.config_lines import config_lines
from accel.text.records import records_of
from accel.text.segments import segments_of

MESSAGE = "NVRM: Xid (PCI:0000:5e:00): 79, pid=4121, name=python, GPU has fallen off the bus."


def statuses(text: str) -> set[str]:
    """Return the statuses of the statements about a lost GPU."""
    snapshot = read_texts([("report", text)], registry())
    named = (one for one in snapshot.observations or () if one.line is not None and "fallen off" in one.text)
    return {one.status for one in named if getattr(one, "kind", "") == "noted"}


@pytest.mark.parametrize(
    "sentence",
    [
        'The poster in the hallway has "GPU has fallen off the bus" in red letters.',
        'Our bowling team is called "GPU has fallen off the bus" this year.',
        "茶水间的海报上印着“GPU has fallen off the bus”这句话,挺好笑的。",
    ],
)
def test_a_quoted_message_that_nobody_says_appeared_is_quoted(sentence: str) -> None:
    assert statuses(sentence) == {"quoted"}


@pytest.mark.parametrize(
    "sentence",
    [
        'The kernel prints "GPU has fallen off the bus" and the job ends.',
        'Every night we get "GPU has fallen off the bus" on this node.',
        'nvidia error "GPU has fallen off the bus"',
        "训练到一半报“GPU has fallen off the bus”,任务退出。",
    ],
)
def test_a_quoted_message_that_the_writer_says_appeared_is_present(sentence: str) -> None:
    assert statuses(sentence) == {"present"}


def test_a_verb_of_appearing_under_a_modal_says_nothing() -> None:
    assert "present" not in statuses('I know that "GPU has fallen off the bus" would show up in the log.')


LOG = f"""Log of node g5

Aug 12  {MESSAGE}
Aug 13  board replaced
Aug 20  burn-in finished
"""


def test_a_later_entry_that_tells_of_a_repair_makes_an_earlier_one_past() -> None:
    assert statuses(LOG) == {"past"}


def test_the_last_entry_of_a_log_is_present() -> None:
    assert "present" in statuses(LOG + f"Aug 21  {MESSAGE}\n")


def test_two_dated_lines_are_no_log() -> None:
    assert records_of([(1, "Aug 12  hung"), (2, "Aug 13  hung again")]).starts == ()


def test_a_log_with_the_newest_entry_first_is_not_read_downwards() -> None:
    lines = [(1, "19:40  resolved"), (2, "18:55  identified"), (3, "18:30  investigating")]
    assert records_of(lines).starts == ()


def test_lines_with_seconds_are_a_programs_log() -> None:
    lines = [(n, f"2026-08-12 10:00:0{n} started") for n in range(1, 6)]
    assert records_of(lines).starts == ()


def test_a_sentence_around_a_quotation_is_prose() -> None:
    text = f'- osp-gpu03: "{MESSAGE}" occurred four times before the driver was changed.'
    assert segments_of(text).kinds == ("prose",)


@pytest.mark.parametrize(
    "code",
    [
        'KNOWN = {\n    79: "GPU has fallen off the bus",\n    48: "double bit error, drain",\n}',
        'assert_eq!(classify("GPU has fallen off the bus"), Kind::Lost);',
        'mock.stderr = "GPU has fallen off the bus";',
    ],
)
def test_code_is_known_by_its_shape(code: str) -> None:
    assert set(segments_of(code).kinds) == {"source"}


@pytest.mark.parametrize("line", ['RuntimeError("GPU has fallen off the bus")', "tensor(3., device='cuda:0')"])
def test_what_a_program_prints_is_no_code(line: str) -> None:
    assert "source" not in segments_of(line).kinds


def test_a_block_of_quoted_settings_is_configuration() -> None:
    rule = ["[[rule]]", 'name = "gpu"', 'when = "xid > 0"', 'text = "GPU has fallen off the bus"']
    assert list(config_lines(rule)) == [0, 1, 2, 3]
    assert list(config_lines(["driver = 550.1", "temperature: 61 C"])) == []


@pytest.mark.parametrize("command", ["pip install jax", "reboot", "nvidia-smi -q"])
def test_a_text_that_is_quoted_as_a_whole_quotes_nobody(command: str) -> None:
    text = f"> {MESSAGE}\n>\n> {command}\n> GPU 0 is gone since\n"
    assert statuses(text) == {"present"}
    assert set(segments_of(text).depths) == {0}


LIBRARY = "Could not load library cudnn_adv_infer64_8.dll. Error code 126"


def of_library(sentence: str) -> set[str]:
    """Return the statuses of a missing library in the form of a report that ends with this sentence."""
    text = f"Steps to reproduce: start the engine on Windows.\n\n```\n{LIBRARY}\n```\n\n{sentence}\n"
    told = read_texts([("report", text)], registry()).observations or ()
    return {one.status for one in told if one.line is not None and "cudnn_adv" in one.text}


@pytest.mark.parametrize(
    "sentence",
    [
        "If I put the file beside the program it works perfectly.",
        "ファイルを置いてみたら普通に動きました。",
        "只要把文件放到旁边就能跑通了。",
    ],
)
def test_what_works_under_a_condition_leaves_a_report_that_asks_open(sentence: str) -> None:
    assert of_library(sentence) == {"present"}


@pytest.mark.parametrize(
    "sentence", ["Solved, it works perfectly now.", "動きました。ありがとう", "现在能跑通了，谢谢。"]
)
def test_what_works_now_ends_the_same_report(sentence: str) -> None:
    assert of_library(sentence) == {"past"}
