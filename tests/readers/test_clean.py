"""What clean takes off a pasted text, and what it must leave."""

import doctest

import pytest

import accel.text.clean
import accel.text.versions
from accel.text.clean import clean

TAKEN_OFF = {
    "colours": ("\x1b[31mERROR\x1b[0m bad \x1b]0;title\x07end", "ERROR bad end"),
    "colours-without-escape": ("[31mERROR[0m: no GPU", "ERROR: no GPU"),
    "carriage-returns": ("one\r\ntwo\r\n", "one\ntwo\n"),
    "a-progress-bar": (" 10%|#  | 1.0MB/s\r100%|###| 2.0MB/s\rdone\n", "done\n"),
    "byte-order-mark-and-zero-width": ("\ufefftorch\u200b 2.1\u00a0ok", "torch 2.1 ok"),
    "nul-bytes-of-utf-16": ("t\x00o\x00r\x00c\x00h\x00", "torch"),
    "quote-marks": (
        "> PyTorch version: 2.1\n> > nested\n>>> import torch",
        "PyTorch version: 2.1\nnested\n>>> import torch",
    ),
    "a-quoted-prompt": ("> >>> import torch", ">>> import torch"),
    "uniform-indentation": ("    a\n      b\n\n    c", "a\n  b\n\nc"),
    "a-fence-in-a-list": ("1. log\n   ```text\n   GPU 0\n     sub\n   ```\nend", "1. log\n\nGPU 0\n  sub\n\nend"),
    "full-width-colon": (
        "AssertionError： Torch not compiled\nCANN：8.0.RC2",
        "AssertionError: Torch not compiled\nCANN: 8.0.RC2",
    ),
    "compose": ("web_1  | Traceback\nweb_1  |   File", "Traceback\n  File"),
    "rank": ("[rank7]:     from triton\n[rank0]: ImportError: x", "    from triton\nImportError: x"),
    "workers": ("(EngineCore_0 pid=N) ERROR 11-20 10:00:00 [core.py:712] ValueError: x", "ValueError: x"),
    "kubectl": ("[pod/a-1/main] 2024-05-01T10:00:00.123456789Z E external", "E external"),
    "journald": ("Nov 20 10:00:00 node1 kernel: NVRM: Xid (PCI:0000:01:00): 79", "NVRM: Xid (PCI:0000:01:00): 79"),
    "dmesg": ("[  12.345678] NVRM: x\n[Mon Nov 20 10:00:00 2023] NVRM: y\n[    1.000000] z", "NVRM: x\nNVRM: y\nz"),
    "srun": ("0: a\n1: b\n12: c", "a\nb\nc"),
    "details-and-bold": ("<details><summary>log</summary>\n**PyTorch**: 2.1 &gt; 2", "log\nPyTorch: 2.1 > 2"),
    "a-masked-name-in-a-path": (
        'loading "<USER>\\.venv\\c10.dll"; /home/<my name>/x',
        'loading "USER\\.venv\\c10.dll"; /home/my_name/x',
    ),
    "entities": ("torch &gt;= 2 &#39;x&#x27; &amp;&nbsp;a&b=1", "torch >= 2 'x' & a&b=1"),
    "typographic-marks": (
        "“torch” isn’t there… docker run —gpus all –rm x\u2011y",
        '"torch" isn\'t there... docker run --gpus all --rm x-y',
    ),
    "pytest": ("E       ImportError: x\nE   y", "ImportError: x\ny"),
    "docker-build": ("#12 1.234 ERROR: x\n#12 12.5     y", "ERROR: x\n    y"),
    "docker-build-of-a-failed-step": (
        " > [5/8] RUN pip install .:\n1.502 Collecting x\n12.90   File y\n12.91 ImportError: z\n------",
        "[5/8] RUN pip install .:\nCollecting x\n  File y\nImportError: z\n------",
    ),
    "docker-build-without-its-step": ("1.5 a\n2.61 b\n2.61   c\n3.75 d", "a\nb\n  c\nd"),
    "comments": ("# a\n#   b\n#\n# c", "a\n  b\n\nc"),
    "one-level-in-every-line": ("[INFO] a\n" * 6, "a\n" * 6),
    "a-level-that-alone-tells-of-a-failure": ("[ERROR] a\n" * 5 + "[ERROR] b", "a\n" * 5 + "[ERROR] b"),
    "one-level-of-lines-that-say-it-themselves": ("[ERROR] it failed\n" * 6, "it failed\n" * 6),
    "trailing-blanks": ("a   \nb\t\n", "a\nb\n"),
}
KEPT = {
    "a-table": "| N/A   34C    P0    64W / 400W |      0MiB / 40960MiB |\n+------+",
    "nccl": "gpu1:1234:1299 [0] NCCL INFO Bootstrap",
    "levels": "[ERROR] a\n[INFO] b\n[INFO] c\n[INFO] d\n[INFO] e\n[INFO] f\nERROR: g",
    "root-prompts": "# nvidia-smi\nNVIDIA-SMI has failed\n# ls",
    "bullets-and-numbers": "- torch 2.1\n1: one\nthree",
    "markdown-table": "torch | 2.1\ntorchvision | 0.16",
    "prompts": "$ nvidia-smi\n# ls\nC:\\>dir\n(venv) >pip show torch",
    "a-date-alone": "Mon Nov 20 10:00:00 2023",
    "csv-with-a-time": "2024/05/01 10:00:00.123, NVIDIA A100, 40 %",
    "numbers-that-fall": " => [1/2] RUN x\n2.1 is torch\n1.8 is torchvision\n0.3 is xformers",
    "an-element": "<path>/usr/lib</path>",
    "gpustat": "[6] NVIDIA A100 80GB PCIe | 52'C, 100 % | 10151 / 81920 MB",
    "a-list-of-numbers": "[0, 1, 2m]",
    "nvidia-smi-topology": "GPU0\t X \tNV12",
}


@pytest.mark.parametrize("name", sorted(TAKEN_OFF))
def test_wrapping_is_taken_off(name: str) -> None:
    given, wanted = TAKEN_OFF[name]
    assert clean(given) == wanted


@pytest.mark.parametrize("name", sorted(KEPT))
def test_what_a_tool_printed_is_kept(name: str) -> None:
    assert clean(KEPT[name]) == KEPT[name]


def test_cleaning_twice_changes_nothing_more() -> None:
    for given, _ in TAKEN_OFF.values():
        assert clean(clean(given)) == clean(given)


@pytest.mark.parametrize("module", [accel.text.clean, accel.text.versions], ids=lambda m: m.__name__)
def test_the_examples_in_docstrings_hold(module: object) -> None:
    result = doctest.testmod(module)  # type: ignore[arg-type]
    assert result.attempted
    assert not result.failed


def test_commas_of_chinese_and_japanese_part_words_as_those_of_english_do() -> None:
    assert clean("RTX 5090、Windows 11，torch 2.6.0").strip() == "RTX 5090, Windows 11, torch 2.6.0"
