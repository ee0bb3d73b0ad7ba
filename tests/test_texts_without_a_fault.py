"""Texts that report no accelerator fault end clear, and reports that look like them do not."""

import pytest
from every_case import registry

from accel.apps.render.diagnosis_text import _answer
from accel.collect.text import read_texts
from accel.diagnose.engine import diagnose
from accel.model.diagnosis import Diagnosis
from accel.model.snapshot import Snapshot

NONE = {
    "words that name no accelerator": "Setting DATA_PATH to two folders gives an error. Which format does it expect?",
    "a question": "请问多图微调的数据格式应该是什么样子的？",
    "a question of one line": "Is it possible to train the small models on two nodes?",
    "shapes": "I changed the input.\n\nRuntimeError: mat1 and mat2 shapes cannot be multiplied (64x512 and 256x10)\n",
    "a title without its class": "Error(s) in loading state_dict for Net: size mismatch for head.weight",
    "a command line": "$ python train.py --cgf a.yaml\ntrain.py: error: unrecognized arguments: --cgf a.yaml\n",
    "an exporter": "RuntimeError: Unsupported: ONNX export of operator cosine_similarity.\n",
    "a log beside the program's error": (
        "[2025-01-01 10:00:00] [ERROR] - Using pad_token, but it is not set yet.\n"
        "Traceback (most recent call last):\n"
        '  File "tune.py", line 21, in main\n'
        "ValueError: Asking to pad but the tokenizer does not have a padding token.\n"
    ),
    "a refused account": "huggingface_hub.errors.HfHubHTTPError: 403 Client Error: Forbidden for url: https://example.org/m\n",
    "a certificate": (
        "Retrying (Retry(total=0)) after connection broken by 'SSLError(SSLError(1, '[SSL: CERTIFICATE_VERIFY_FAILED] "
        "certificate verify failed'))': /simple/numpy/\n"
    ),
    "a change": "feat: add a list method to the device plugin\nThis PR defines the method and its tests.\nFixes #12\n",
    "a guide with commands": (
        "## No kernel image is available\n\nThis error occurs if the library has no code for the card.\n\nYou may see "
        "it after a new card was added.\n\n```bash\nls $CONDA_PREFIX/lib\n```\n"
    ),
    "well in the same sentence": "The installer didn't find the GPU at first, but then it did, and now it's working.",
}
SOME = {
    "a program broken off": (
        "It prints nothing for an hour.\n\n^CTraceback (most recent call last):\n"
        '  File "train.py", line 3, in <module>\n    dist.init_process_group("nccl")\nKeyboardInterrupt\n'
    ),
    "a missing part": "在昇腾910B上运行不起来，缺少cuda的依赖，请问有支持的计划吗",
    "a crash": "After the third epoch the training crashes. Any ideas?",
    "well on the host": (
        'In the container nvidia-smi returns "Failed to initialize NVML: Unknown Error" after some days, while it '
        "works well on the host."
    ),
    "a health state": "npu-smi 看到 3 号卡 Health 是 Warning，温度 98，请问怎么处理？",
    "a driver in Russian": "Модуль nvidia не собирается, nvidia-smi не может связаться с драйвером. Как исправить?",
    "a message in marks": 'Memory needed?\n\nI am getting a "CUDA out of memory" error with 12 GB. Any hints on that?',
    "a device": "The program cannot find my GPU. What is wrong?",
}


def judged(text: str) -> tuple[Snapshot, Diagnosis]:
    known = registry()
    snapshot = read_texts([("report.txt", text)], known)
    return snapshot, diagnose(snapshot, known.specs, known.checks, known.rules)


@pytest.mark.parametrize("name", NONE)
def test_a_text_without_a_fault_says_so(name: str) -> None:
    snapshot, diagnosis = judged(NONE[name])
    assert not [one.name for one in diagnosis.findings if one.severity != "info"]
    assert (diagnosis.unexplained, diagnosis.ambiguous_causes) == ((), ())
    assert not [one for one in diagnosis.mentioned if one.status == "unclear"]
    assert _answer(diagnosis, snapshot).startswith(("No accelerator fault", "Not an accelerator fault"))


@pytest.mark.parametrize("name", SOME)
def test_a_report_that_looks_alike_is_not_clear(name: str) -> None:
    _, diagnosis = judged(SOME[name])
    assert diagnosis.verdict != "clear" or diagnosis.findings
    assert diagnosis.unexplained or diagnosis.ambiguous_causes or diagnosis.findings or diagnosis.mentioned
