"""Whole sentences that ask for packages on a machine, against what they say as options."""

from pathlib import Path
from typing import Any

import pytest

from accel.apps.cli import main
from accel.resolver.catalogue import catalogue_of
from accel.resolver.sentence import Wish, wish_in
from accel.resolver.what_if import accelerators_named
from accel.specs import load
from accel.specs.store import parse

CASES = parse(str(Path(__file__).parent / "sentences.yaml"))
OPTIONS = ("driver", "cuda", "python", "system", "machine", "libc", "stack", "installer", "index")


def _wish(text: str) -> Wish | None:
    return wish_in([text], load(), catalogue_of(load()))


def _meant(wish: Wish) -> dict[str, Any]:
    told: dict[str, Any] = {option: getattr(wish, option) for option in OPTIONS if getattr(wish, option)}
    told["packages"] = [f"{r.name}{r.bound}{f'+{r.variant}' if r.variant else ''}" for r in wish.packages]
    if wish.gpus == ("none",):
        told["gpus"] = ["none"]
    elif wish.gpus:
        told["gpus"] = [device.name for text in wish.gpus for device in accelerators_named(text, load())]
    return told | ({"unjudged": list(wish.unjudged)} if wish.unjudged else {})


@pytest.mark.parametrize("name", CASES)
def test_a_sentence_says_these_options(name: str) -> None:
    wish = _wish(CASES[name]["says"])
    assert wish is not None
    assert _meant(wish) == CASES[name]["means"]


@pytest.mark.parametrize(
    "words", [["torch"], ["torch", "torchvision"], ["torch>=2.3, <2.6"], ["torch", "jax", "vllm", "cupy"], ["trch"]]
)
def test_packages_as_an_installer_takes_them_are_no_sentence(words: list[str]) -> None:
    assert wish_in(words, load(), catalogue_of(load())) is None


@pytest.mark.parametrize(
    "words", [["torch", "torchvison", "torchaudio", "xformers"], ["I want torch and torchvison on a 4090"]]
)
def test_a_misspelt_package_is_not_left_out_in_silence(words: list[str], capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["resolve", *words, "--gpu", "RTX 4090"]) == 2
    assert "'torchvison' is no package that accel knows builds of. Did you mean torchvision" in capsys.readouterr().err


def test_an_option_goes_before_what_the_sentence_says(capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["resolve", "torch for my RTX 3090 with python 3.9", "--python", "3.12", "--driver", "535.104.05"]) == 0
    assert "GeForce RTX 3090 (8.6), driver 535.104.05, linux_x86_64, Python 3.12" in capsys.readouterr().out


def test_a_list_of_packages_with_an_unknown_one_is_no_sentence(capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["resolve", "torch", "torchvision", "torchaudio", "flax"]) == 2
    assert "'flax' is no package that accel knows builds of" in capsys.readouterr().err


def test_the_words_need_no_quotes(capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["resolve", *["torch", "on", "a", "3080", "with", "win10", "and", "py310"]]) == 0
    assert "GeForce RTX 3080 (8.6), windows_x86_64, Python 3.10" in capsys.readouterr().out


def test_a_sentence_without_a_package_is_refused_with_those_that_are_known(capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["resolve", "what fits my RTX 3090 best?"]) == 2
    assert "names no package that accel knows builds of. It knows: auto-gptq" in capsys.readouterr().err


def test_a_device_of_a_sentence_that_is_not_known_is_refused(capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["resolve", "torch for an RTX 9950 Ti with python 3.12"]) == 2
    assert "is not known" in capsys.readouterr().err
