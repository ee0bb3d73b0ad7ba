"""Broken lines are joined where they surely were one; lines that only happen to be long are left alone."""

import pytest

from accel.collect.text import read_texts
from accel.diagnose.engine import diagnose
from accel.plugins.registry import Registry
from accel.text.bounds import Bounded
from accel.text.wrapped import unwrapped

COMMAND = """\
$ docker run --rm -it --device /dev/davinci7 --device /dev/davinci_manager
--device /dev/devmm_svm --device /dev/hisi_hdc -v
/usr/local/dcmi:/usr/local/dcmi image bash
nothing happens"""
LOGGED = """\
[  721.028170] INFO: task nvc:[driver]:5403 blocked for more
than 120 seconds.
[  721.028323] nvc:[driver]    D ffff883f2cc43bd8     0"""
ROW = """\
+--------------------------------------------------------------+
| NVIDIA-SMI 435.21            Driver Version: 435.21
CUDA Version: 10.1     |
|-------------------------------+------------------------------|"""


@pytest.mark.parametrize(
    ("text", "numbers", "joined"),
    [
        (COMMAND, (1, 4), "-v /usr/local/dcmi:/usr/local/dcmi image bash\n"),
        (LOGGED, (1, 3), "blocked for more than 120 seconds.\n"),
        (ROW, (1, 2, 4), "435.21 CUDA Version: 10.1     |\n"),
    ],
)
def test_a_broken_line_is_joined_and_the_numbers_of_lines_are_kept(
    text: str, numbers: tuple[int, ...], joined: str
) -> None:
    whole = unwrapped(text)
    assert (tuple(whole.numbers or ()), joined in whole.text) == (numbers, True), whole.text


@pytest.mark.parametrize(
    "text",
    [
        "NVRM: GPU 0000:01:00.0 is already bound to the module NovaCore\nlsmod | grep nova",
        "gcc: fatal error: cannot execute 'cc1plus': execvp: No such file or directory\ncompilation terminated.",
        "$ nvidia-smi\n" + "x " * 90 + "\nthan two",
        "of\nthan",
        "crw-rw---- 1 root video 195,   0 Feb 15 19:37 /dev/nvidia0\ncrw-rw---- 1 root video 195, 255 Feb 15 19:37 /de",
    ],
)
def test_lines_that_end_where_they_end_are_left_alone(text: str) -> None:
    assert unwrapped(text) == Bounded(text)


def test_evidence_names_the_lines_that_the_text_has() -> None:
    registry = Registry({})
    snapshot = read_texts([("report", f"load average grows without end, nothing runs\n\n{LOGGED}")], registry)
    found = diagnose(snapshot, registry.specs, registry.checks, registry.rules).findings
    assert next((one.name, one.evidence[0].line, one.evidence[0].last_line) for one in found) == (
        "process-stuck-in-driver",
        3,
        3,
    )


@pytest.mark.parametrize(
    ("broken", "whole"),
    [
        (
            '  File\n"/opt/env/lib/python3.11/site-packages/torch/cuda/init.py",\nline 22, in <module>\n    import x',
            '  File "/opt/env/lib/python3.11/site-packages/torch/cuda/init.py", line 22, in <module>\n    import x',
        ),
        (
            "3b:00.0 3D controller [0302]: NVIDIA Corporation TU104GL [Tesla T4] [10de:1eb8]\n(rev a1) (prog-if ff)",
            "3b:00.0 3D controller [0302]: NVIDIA Corporation TU104GL [Tesla T4] [10de:1eb8] (rev a1) (prog-if ff)",
        ),
        (
            "3b:00.0 Processing accelerators: Maker Co., Ltd.\nKIND [1d94:6210]\n\tKernel driver in use: kind",
            "3b:00.0 Processing accelerators: Maker Co., Ltd. KIND [1d94:6210]\n\tKernel driver in use: kind",
        ),
        (
            "1b:00.0 Processing accelerators: Maker Co. KIND (rev 01)\nhnologies Co. Device [cabc:0370] (rev 01)",
            "1b:00.0 Processing accelerators: Maker Co. KIND (rev 01)\nhnologies Co. Device [cabc:0370] (rev 01)",
        ),
        (
            "2a:00.0 VGA compatible controller: Maker Technology Co.,Ltd KIND S80\n2a:00.1 Audio device: Maker Audio",
            "2a:00.0 VGA compatible controller: Maker Technology Co.,Ltd KIND S80\n2a:00.1 Audio device: Maker Audio",
        ),
        (
            "3b:00.0 Processing accelerators: Maker Co., Ltd.\n[   12.345678] kind 0000:3b:00.0: device found",
            "3b:00.0 Processing accelerators: Maker Co., Ltd.\n[   12.345678] kind 0000:3b:00.0: device found",
        ),
    ],
)
def test_lines_of_a_form_that_cannot_end_there_go_on_however_wide_the_text_is(broken: str, whole: str) -> None:
    assert unwrapped(broken).text == whole
