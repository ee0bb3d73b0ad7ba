"""Bytes by part against figures that papers, projects and model cards publish; each row names where."""

from typing import Any

import pytest

from accel.apps import api
from accel.footprint.config import shape_of
from accel.footprint.described import described, parameters_of
from accel.footprint.memory import needed
from accel.footprint.model import Plan
from accel.model.dataclass import replace
from accel.model.errors import BadInput

LLAMA_8B = {
    "model_type": "llama",
    "hidden_size": 4096,
    "intermediate_size": 14336,
    "num_hidden_layers": 32,
    "num_attention_heads": 32,
    "num_key_value_heads": 8,
    "vocab_size": 128256,
    "torch_dtype": "bfloat16",
}
_SIZES_7B: dict[str, Any] = {"layers": 32, "hidden": 4096, "heads": 32}


# ZeRO, arXiv 1910.02054, figure 1: 7.5 B parameters, 64 devices, mixed precision with Adam
@pytest.mark.parametrize(("stage", "gigabytes"), [(0, 120), (1, 31.4), (2, 16.6), (3, 1.9)])
def test_states_of_training_are_those_of_the_zero_paper(stage: int, gigabytes: float) -> None:
    shape = described(parameters_of("7.5B"), **_SIZES_7B)
    need = needed(shape, Plan(train="full", zero=stage, devices=64), api._specs())
    assert need.model_states_bytes / 1e9 == pytest.approx(gigabytes, rel=0.02)


def test_training_in_32_bits_keeps_16_bytes_a_parameter() -> None:
    need = needed(described(10**9), Plan(train="full", dtype="fp32"), api._specs())
    assert (need.weights_bytes, need.gradients_bytes, need.optimizer_bytes) == (4 * 10**9, 4 * 10**9, 8 * 10**9)


# arXiv 2205.05198, equations 1, 2 and 4 for GPT-3: s = 2048, b = 1, h = 12288, a = 96, tensor parallel 8
@pytest.mark.parametrize(
    ("attention", "checkpointing", "each"),
    [("eager", "none", 10 + 24 / 8 + 5 * 96 * 2048 / (12288 * 8)), ("flash", "none", 13), ("eager", "selective", 13)],
)
def test_activations_of_a_layer_are_those_of_the_paper(attention: Any, checkpointing: Any, each: float) -> None:
    shape = described(175 * 10**9, layers=96, hidden=12288, heads=96)
    plan = Plan(
        train="full", context=2048, tensor_parallel=8, attention=attention, checkpointing=checkpointing, dtype="bf16"
    )
    need = needed(shape, plan, api._specs())
    assert need.activations_bytes == pytest.approx(96 * 2048 * 12288 * each, rel=0.01)


# sizes of published GGUF files of Llama 3.1 8B, of which the header takes 8 MB
@pytest.mark.parametrize(
    ("quant", "gigabytes"),
    [
        ("Q2_K", 3.18),
        ("Q3_K_M", 4.02),
        ("Q4_K_S", 4.69),
        ("Q4_K_M", 4.92),
        ("Q5_K_M", 5.73),
        ("Q6_K", 6.60),
        ("Q8_0", 8.54),
    ],
)
def test_a_mixture_of_llama_cpp_has_the_size_of_its_files(quant: str, gigabytes: float) -> None:
    need = needed(shape_of(LLAMA_8B, api._specs()), Plan(quant=quant), api._specs())
    assert need.weights_bytes / 1e9 == pytest.approx(gigabytes, rel=0.01)


_GEMMA = {
    "model_type": "gemma3_text",
    "hidden_size": 2560,
    "intermediate_size": 10240,
    "num_hidden_layers": 34,
    "sliding_window": 1024,
}
_CACHES = [
    # vLLM's paper, arXiv 2309.06180, section 1: 800 KB for each token of OPT-13B
    (
        "all heads",
        {"model_type": "opt", "hidden_size": 5120, "num_hidden_layers": 40, "num_attention_heads": 40},
        {},
        1,
        819200,
    ),
    # arXiv 2412.19437: DeepSeek-V3 keeps 70.272 KB for each token
    ("latent", {"model_type": "deepseek_v3"}, {}, 1000, 70272 * 1000),
    ("grouped", LLAMA_8B, {}, 8192, 2**30),
    ("grouped in 8 bits", LLAMA_8B, {"kv_dtype": "fp8"}, 8192, 2**29),
    ("grouped in blocks", LLAMA_8B, {"kv_dtype": "q8_0"}, 8192, 2**29 * 34 // 32),
    ("halved by two devices", LLAMA_8B, {"tensor_parallel": 2}, 8192, 2**29),
    ("no more parts than heads", LLAMA_8B, {"tensor_parallel": 16}, 8192, 2**30 // 8),
    ("windows", _GEMMA, {}, 32768, 2 * 4 * 256 * 2 * (5 * 32768 + 29 * 1024)),
]


@pytest.mark.parametrize(
    ("config", "options", "context", "size"), [row[1:] for row in _CACHES], ids=[row[0] for row in _CACHES]
)
def test_the_cache_holds_what_its_layers_keep(
    config: dict[str, Any], options: dict[str, Any], context: int, size: int
) -> None:
    shape = shape_of({"torch_dtype": "bfloat16", **config}, api._specs())
    assert needed(shape, Plan(context=context, **options), api._specs()).kv_cache_bytes == size


def test_a_recurrent_model_keeps_the_same_of_every_length() -> None:
    specs = api._specs()
    shape = shape_of({"model_type": "mamba2"}, specs)
    short, long = (needed(shape, Plan(context=n), specs).kv_cache_bytes for n in (10, 10_000))
    assert short == long > 0


def test_adapters_keep_states_of_their_own_alone() -> None:
    specs = api._specs()
    shape = shape_of(LLAMA_8B, specs)
    lora = needed(shape, Plan(train="lora", lora_rank=16, lora_targets="all"), specs)
    assert lora.trained == 41_943_040  # what PEFT counts of rank 16 on all seven matrices of Llama 3 8B
    assert lora.gradients_bytes + lora.optimizer_bytes == 12 * lora.trained
    qlora = needed(shape, Plan(train="qlora", lora_rank=16), specs)
    assert qlora.weights_bytes < lora.weights_bytes / 2.5


@pytest.mark.parametrize(
    "options",
    [
        {"quant": "q9_z"},
        {"optimizer": "addam"},
        {"dtype": "bf61"},
        {"batch": 0},
        {"context": 0},
        {"zero": 4},
        {"kv_dtype": "x"},
    ],
    ids=str,
)
def test_an_option_that_cannot_be_is_refused_with_a_sentence(options: dict[str, Any]) -> None:
    with pytest.raises(BadInput, match=r"[.?]$"):
        needed(shape_of(LLAMA_8B, api._specs()), Plan(**options), api._specs())


def test_more_of_anything_never_needs_less() -> None:
    specs = api._specs()
    shape = shape_of(LLAMA_8B, specs)
    asked: dict[str, tuple[Any, ...]] = {"context": (1, 100, 5000), "batch": (1, 3, 8), "lora_rank": (1, 8, 64)}
    for name, values in asked.items():
        for train in (None, "full", "lora"):
            totals = [needed(shape, replace(Plan(train=train), **{name: value}), specs).total_bytes for value in values]
            assert totals == sorted(totals), (name, train)
    for low, total, high in (
        (one.low, one.total_bytes, one.high)
        for one in (needed(shape, Plan(train=train), specs) for train in (None, "full", "qlora"))
    ):
        assert low <= total <= high
