"""Forms by which a text is told to be a talk, a change, a request, a guide or a passed test, whatever its words."""

import pytest
from every_case import registry

from accel.collect.text import read_texts
from accel.diagnose.engine import diagnose
from accel.text.dialogue import spoken_lines
from accel.text.segments import is_prose, segments_of

MESSAGE = "NVIDIA-SMI has failed because it couldn't communicate with the NVIDIA driver."

TALK = """Customer: the card arrived, is there anything to set?
Agent: no, plug it in. Did it start?
Customer: yes, it did
"""


def verdict(text: str) -> str:
    known = registry()
    return diagnose(read_texts([("report", text)], known), known.specs, known.checks, known.rules).verdict


def test_what_speakers_say_in_turn_is_prose() -> None:
    assert list(spoken_lines(TALK.splitlines(), is_prose)) == [0, 1, 2]


@pytest.mark.parametrize(
    "text",
    [
        "ImportError: libcudart.so.12 is not here.\nRuntimeError: no GPU is found.\nImportError: libc10 is gone.",
        "docker: Error response from daemon.\nkernel: the GPU has fallen off the bus.\ndocker: it exits, please retry.",
        "OS: Ubuntu 22.04\nGPU: RTX 4090\nDriver: 550.54.14\nCUDA: 12.4",
    ],
)
def test_what_programs_print_behind_a_label_is_no_talk(text: str) -> None:
    assert not list(spoken_lines(text.splitlines(), is_prose))


def test_a_label_in_chinese_before_a_sentence_is_a_persons() -> None:
    assert segments_of("结论：这台机器不存在该问题").kind(1) == "prose"
    assert segments_of("日志：Failed to initialize NVML: Driver/library version mismatch").kind(1) == "output"


def test_a_quotation_that_ends_the_writers_sentence_is_the_writers() -> None:
    assert segments_of(f"the node was reinstalled and now\n> {MESSAGE}\nfor everyone").kind(2) != "quote"
    assert segments_of(f"On Monday Kim wrote:\n> {MESSAGE}\nThanks").kind(2) == "quote"


@pytest.mark.parametrize(
    "text",
    [
        f"installer: check the exit code\n\nThis PR looks at it. Without it the installer goes on after\n{MESSAGE}\n",
        f"Check the exit code\n\nOn a new kernel I get\n```\n{MESSAGE}\n```\n\nFixes #18\n",
        f"[Feature]: Report a lost driver\n\n### Feature summary\nIn our fleet a node printed\n```\n{MESSAGE}\n```\n\n"
        "### Proposed solution\nLook for the line\n",
        f"{MESSAGE}\n\nSolution: install the headers of the running kernel, then call dkms autoinstall.\n",
        f"Case 4: no driver\nLog: {MESSAGE}\nExpected: exit code 3\nActual: exit code 3\nResult: PASS\n",
        f"No driver\n\n第一步，输入 nvidia-smi，会看到\n{MESSAGE}\n第二步，看内核\n第三步，重装驱动\n",
        f"No driver\n\nStep 1: type nvidia-smi\n{MESSAGE}\nStep 2: look at the kernel\nStep 3: rebuild it\n",
    ],
)
def test_a_form_that_only_mentions_a_fault_is_clear(text: str) -> None:
    assert verdict(text) == "clear"


@pytest.mark.parametrize(
    "text",
    [
        f"Add support for my card\n\nSince the update\n{MESSAGE}\nAny ideas?\n",
        f"### Describe the bug\n{MESSAGE}\n\n### Expected behavior\nIt works\n\n### Suggested fix\nRebuild it\n",
        f"[Feature]: Report it better\n\n### Motivation\nI get this:\n{MESSAGE}\n\n### Proposed solution\nTell me\n",
        f"Case 4: no driver\nLog: {MESSAGE}\nExpected: exit code 0\nActual: exit code 3\nResult: FAIL\n",
        f"No driver\n\nSteps to reproduce\nStep 1: boot\nStep 2: nvidia-smi\n{MESSAGE}\nStep 3: reboot, the same\n",
        f"A reboot puts things straight for a while.\n\n{MESSAGE}\n\nThe GPU is gone then.\n",
        f"At every boot I see\n\n{MESSAGE}\n\nWith a second start it works.\n",
        f"每次重启后正常，过一段时间又报错\n\n{MESSAGE}\n",
    ],
)
def test_a_report_in_a_like_form_keeps_its_fault(text: str) -> None:
    assert verdict(text) != "clear"


def test_what_came_back_until_it_was_solved_is_over() -> None:
    ends = "After I had rebuilt the module it works again. Thanks!"
    assert verdict(f"At every boot nvidia-smi printed\n\n{MESSAGE}\n\n{ends}\n") == "clear"


def test_words_alone_never_clear_what_a_typed_command_printed() -> None:
    record = (
        "Quick card of the lab, revision C. Meaning: no module for this kernel. Keep it dry beside the console.\n\n"
    )
    assert verdict(f"{record}{MESSAGE}\n") == "clear"
    assert verdict(f"{record}$ nvidia-smi\n{MESSAGE}\n") != "clear"


def test_an_assertion_of_many_threads_is_one_error_of_the_program() -> None:
    line = "Loss.cu:103: f: block: [{0},0,0], thread: [{1},0,0] Assertion `t >= 0 && t < n_classes` failed.\n"
    threads = "".join(line.format(block, thread) for block in (2, 3) for thread in (8, 9))
    assert verdict(f"CUDA error while training on new dataset\n\n{threads}") == "clear"
