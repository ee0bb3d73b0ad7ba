"""What the user asked an installer for is kept: the release, and the build for a GPU."""

import pytest

from accel.collect.live import judged
from accel.collect.text import read_texts
from accel.facts.questions import Facts
from accel.plugins.registry import Registry
from accel.resolver.typed import TypedPin, typed_pin


@pytest.mark.parametrize(
    ("typed", "names", "pin"),
    [
        ('pip install --upgrade "jax[cuda12_pip]"', ("jax", "jaxlib"), TypedPin(build="cuda12")),
        (
            "pip install jaxlib==0.4.28+cuda12.cudnn89 -f https://storage.googleapis.com/jax-releases/x.html\n"
            'pip install "jax[cpu]==0.4.28"',
            ("jax", "jaxlib"),
            TypedPin(version="0.4.28", build="cuda12"),
        ),
        ("pip install torch==2.4.1+cu118 torchvision", ("torch",), TypedPin(version="2.4.1", build="cu118")),
        (
            "pip install torch==2.3.0 --index-url https://download.pytorch.org/whl/cu121",
            ("torch",),
            TypedPin(version="2.3.0", build="cu121"),
        ),
        ("pip install torchvision==0.19.1", ("torch",), TypedPin()),
        ("docker run torch==2.4.1", ("torch",), TypedPin()),
    ],
)
def test_the_last_command_of_an_installer_tells_what_was_asked_for(
    typed: str, names: tuple[str, ...], pin: TypedPin
) -> None:
    snapshot = read_texts(
        [("the text", f"$ {line}") for line in [typed.replace(chr(10), chr(10) + "$ ")]], Registry({})
    )
    assert typed_pin(Facts(snapshot), names) == pin


@pytest.mark.parametrize(
    ("text", "command"),
    [
        ("jax.devices() lists the CPU alone", "python -c 'import jax; print(jax.devices())'"),
        ("torch 2.4.0 and jax 0.4.31", "python -c 'import torch; print(torch.cuda.device_count())'"),
        ("./train sees none", "python -c 'import torch; print(torch.cuda.device_count())'"),
    ],
    ids=["jax-alone", "both", "neither"],
)
def test_what_shows_that_a_fault_is_over_asks_the_framework_of_the_text(text: str, command: str) -> None:
    registry = Registry({})
    hidden = f"$ echo $CUDA_VISIBLE_DEVICES\n-1\nno GPU was found\n{text}\n"
    (finding, *_) = judged(read_texts([("the text", hidden)], registry), registry).findings
    assert finding.name == "devices-hidden"
    assert finding.verification is not None
    assert finding.verification.command == command


@pytest.mark.parametrize(
    ("text", "packages"),
    [
        ("pip install torch==2.1.0 numpy", {"torch": "2.1.0"}),
        ("RUN pip install torch==2.3.0 --index-url https://download.pytorch.org/whl/cu121", {"torch": "2.3.0+cu121"}),
        (
            "export V=0.2.4\npip install https://x.org/vllm-${V}+cu118-cp39-cp39-manylinux1_x86_64.whl",
            {"vllm": "0.2.4+cu118"},
        ),
        ("pip install torch==2.1.0\npip install --upgrade torch", {}),
        ("pip install torch==2.1.0 torchaudio==2.1.0\npip install torch==2.2.0", {}),
        ("pip install torch==2.1.0\npip uninstall -y torch", {}),
        ("you should try `pip install torch==2.1.0`", {}),
        ("$ pip install torch==9.1\nERROR: No matching distribution found for torch==9.1", {}),
        ("$ pip install flash-attn==2.5.8\nCollecting flash-attn\nERROR: Failed building wheel for flash-attn", {}),
        ("pip install torch==2.1.0\n\ntorch 2.4.1+cu121 is installed", {}),
    ],
)
def test_a_typed_version_is_installed_unless_something_says_otherwise(text: str, packages: dict[str, str]) -> None:
    failed = f"{text}\n\nImportError: cannot import name 'Sampler'\n"
    environments = read_texts([("the text", failed)], Registry({})).environments
    typed = [one for one in environments if one.source == "typed installation"]
    found = {
        package.name: f"{package.version}+{package.variant}" if package.variant else package.version
        for one in typed
        for package in one.packages or ()
    }
    assert found == packages


def test_commands_of_a_question_or_a_manual_install_nothing() -> None:
    text = "GTX 1080. I want to install\npip install torch==2.8.0\nWill it work?"
    assert not [
        e for e in read_texts([("the text", text)], Registry({})).environments if e.source == "typed installation"
    ]
