"""An add-on is put together with the torch that is here: by its release, its index, or the program's own pins."""

import pytest

from accel.collect.live import judged
from accel.collect.text import read_texts
from accel.facts.infer import infer
from accel.facts.questions import Facts
from accel.plugins.registry import Registry
from accel.resolver.add_ons import add_on_remedies
from accel.resolver.torch_here import Torch, torch_here

_REGISTRY = Registry({})
_AGAIN = "pip install --force-reinstall --no-deps"


def facts_of(text: str) -> Facts:
    snapshot = read_texts([("report", text)], _REGISTRY)
    inferred, _ = infer(snapshot, _REGISTRY.specs, _REGISTRY.rules)
    return Facts(snapshot, inferred)


def command(name: str, text: str, **told: str) -> str | None:
    return add_on_remedies(facts_of(text), _REGISTRY.specs, name, **told)[0].command


@pytest.mark.parametrize(
    ("text", "torch"),
    [
        ("torch 2.4.1+cu124", Torch(version="2.4.1", label="cu124")),
        (
            "$ pip install torch==2.3.1 --index-url https://download.pytorch.org/whl/cu118",
            Torch(version="2.3.1", label="cu118"),
        ),
        ("It fails after I installed vllm==0.8.5", Torch(version="2.6.0")),
        ("torchaudio: 2.1.1+cu118", Torch(version="2.1.1", label="cu118")),
        ("it does not import", Torch()),
    ],
)
def test_torch_is_known_by_whatever_tells_of_it(text: str, torch: Torch) -> None:
    assert torch_here(facts_of(text), _REGISTRY.specs) == torch


def test_what_the_program_names_goes_before_a_list() -> None:
    listed = facts_of("torch 2.3.0+cu121")
    assert torch_here(listed, _REGISTRY.specs, "2.0.1+cu118") == Torch(version="2.0.1", label="cu118")


@pytest.mark.parametrize(
    ("has", "wants", "asked"),
    [
        ("2.0.1+cu118", "2.1.2+cu121", "xformers==0.0.22"),
        ("2.11.0+cu130", "2.10.0+cu128", "xformers==0.0.35 --index-url https://download.pytorch.org/whl/cu130"),
        ("2.5.1+cu124", "2.4.0+cu124", "xformers==0.0.29.post1"),
    ],
)
def test_xformers_follows_the_torch_and_its_cuda(has: str, wants: str, asked: str) -> None:
    assert command("xformers", "it says so", has=has, wants=wants) == f"{_AGAIN} {asked}"


def test_a_program_that_names_its_torch_gets_that_and_its_kernels() -> None:
    listed = "PyTorch: 2.9.0.dev20250722+cu128\nsglang: 0.4.9.post2\nsgl_kernel: 0.1.2.post1\n"
    assert command("sgl-kernel", listed) == (
        "pip install torch==2.7.1 torchvision==0.22.1 torchaudio==2.7.1 --index-url "
        f"https://download.pytorch.org/whl/cu128 && {_AGAIN} sgl-kernel==0.2.5 --index-url "
        "https://docs.sglang.io/whl/cu128"
    )


def test_the_interface_that_a_program_uses_names_the_generation() -> None:
    old = "ImportError: cannot import FlashMHA from flash_attn.flash_attention: flash_attn_cuda.so: undefined symbol"
    assert (command("flash-attn", old) or "").endswith("--no-build-isolation flash-attn==1.0.9")
    new = "torch 2.6.0+cu124\nImportError: flash_attn_2_cuda.so: undefined symbol"
    assert (command("flash-attn", new) or "").endswith("--no-build-isolation flash-attn==2.8.3")


def test_a_page_of_ready_wheels_is_that_of_the_minors_first_release() -> None:
    known = command("torch-scatter", "torch 2.1.2+cu121")
    assert known == f"{_AGAIN} torch-scatter -f https://data.pyg.org/whl/torch-2.1.0+cu121.html"
    assert "torch-$(python -c 'import re, torch; print(re.sub(" in (command("torch-scatter", "it fails") or "")


@pytest.mark.parametrize(
    ("typed", "page_is_taken"),
    [
        ("$ pip install torch-scatter -f https://data.pyg.org/whl/torch-2.1.0+cu121.html", False),
        ("$ pip install torch_scatter torch_sparse -f https://data.pyg.org/whl/torch-2.1.0%2Bcu121.html", False),
        ("$ pip install torch-sparse -f https://data.pyg.org/whl/torch-2.1.0+cu121.html", True),
        ("$ pip install torch-scatter -f https://data.pyg.org/whl/torch-2.0.0+cu118.html", True),
    ],
)
def test_a_page_is_not_suggested_to_who_installed_this_package_from_it(typed: str, page_is_taken: bool) -> None:
    known = command("torch-scatter", f"{typed}\nSuccessfully installed\n$ python\ntorch 2.1.2+cu121") or ""
    assert ("torch-2.1.0+cu121.html" in known) == page_is_taken


def test_a_checkout_is_built_again_only_where_the_text_shows_one() -> None:
    shown = command("pointnet2-ops", "it fails", file="/work/pointnet2_ops/_ext.cpython-39-x86_64-linux-gnu.so")
    assert (shown or "").endswith("python setup.py build_ext --inplace")
    installed = "/env/lib/python3.9/site-packages/pointnet2_ops/_ext.cpython-39-x86_64-linux-gnu.so"
    assert "git+https://" in (command("pointnet2-ops", "it fails", file=installed) or "")


def test_a_ready_build_that_did_not_load_is_not_taken_again() -> None:
    same = "torch 2.6.0+cu124\nflash-attn==2.8.3\nImportError: flash_attn_2_cuda.so: undefined symbol"
    assert (command("flash-attn", same) or "").endswith("--no-build-isolation flash-attn")


@pytest.mark.parametrize(
    ("listed", "words", "never"),
    [
        (
            "torch 2.4.0+cpu\ntorchvision 0.19.0+cpu\ntorch_scatter 2.1.2+pt24cpu\ntorch_sparse 0.6.18+pt24cpu",
            "&& pip install --force-reinstall --no-deps torch-scatter torch-sparse -f "
            "https://data.pyg.org/whl/torch-2.4.0+cu121.html",
            "torch-scatter torch-scatter",
        ),
        (
            "torch 2.4.0+cpu\ntorchvision 0.19.0+cpu\nflash-attn 2.6.3",
            "--no-build-isolation flash-attn==2.8.3",
            "-f http",
        ),
        ("torch 2.4.0+cpu\ntorchvision 0.19.0+cpu\nnumpy 1.26.4", "torch==2.4.0", "--force-reinstall"),
    ],
)
def test_what_is_compiled_against_torch_follows_it(listed: str, words: str, never: str) -> None:
    registry = Registry({})
    text = f"RTX 4090, Ubuntu 22.04, driver 550.54.14\n>>> torch.cuda.is_available()\nFalse\npip list\n{listed}\n"
    (finding, *_) = judged(read_texts([("the text", text)], registry), registry).findings
    command = finding.remedies[0].command or ""
    assert words in command
    assert never not in command
