"""Whether a text mentions a program: by the beginning of a word, not in the middle of another one."""

import pytest

from accel.facts.questions import Facts
from accel.model.observation import Noted
from accel.model.snapshot import Host, Snapshot


@pytest.mark.parametrize(
    ("text", "word", "mentioned"),
    [
        ("pip install vllm-openai", "vllm", True),
        ("in AsyncVLLM with VllmConfig", "vllm", True),
        ("import pytorch_lightning", "torch", True),
        ("flash_attn-2.7+cu124torch2.5", "torch", True),
        ("libonnxruntime_providers_cuda.so", "onnxruntime", True),
        ("系统使用caffe编译", "caffe", True),
        ("NVIDIA-Linux-x86_64-580.run installer", ".run installer", True),
        ("monitoring the author", "orin", False),
        ("monitoring the author", "thor", False),
        ("a gtx1050 and an rtx2070", "tx1", False),
    ],
)
def test_a_word_is_mentioned_where_one_begins_with_it(text: str, word: str, mentioned: bool) -> None:
    seen = Noted(fact="anything", text=text, source="report")
    assert Facts(Snapshot(host=Host(), observations=(seen,))).mentions("nothing", word) is mentioned
