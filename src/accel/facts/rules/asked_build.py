"""The PyTorch build that an install command requests, if the text does not show the installed one.

pip install torch --index-url https://download.pytorch.org/whl/cu121        CUDA 12.1
pip install torch==2.3.0+cu118          conda install pytorch pytorch-cuda=12.1 -c pytorch -c nvidia
conda install pytorch torchvision cudatoolkit=10.2 -c pytorch
pip install torch --index-url https://download.pytorch.org/whl/cpu          conda install pytorch cpuonly
"""

import re
from collections.abc import Iterator
from typing import Final

from accel.model.observation import Command, Fact
from accel.specs import Specs
from accel.text.pattern import pattern
from accel.text.versions import index_variant
from accel.vendors.contract.rule import Seen, fact_from, rule

_TORCH: Final = pattern(r"(?:[\w-]{1,30}::)?(?:torch|pytorch)(?:$|[=<>!~\[ ].*)", re.IGNORECASE)
_LOCAL: Final = pattern(r"\+(?P<variant>cu\d{2,3}|cpu|rocm[\d.]{1,6})$", re.IGNORECASE)
_OF_CONDA: Final = pattern(r"(?:[\w-]{1,30}::)?(?:pytorch-cuda|cudatoolkit)=+(?P<cuda>\d{1,2}\.\d)", re.IGNORECASE)
_FAILED: Final = pattern(r"(?:ERROR|Error|error|Could not|PackagesNotFound|UnsatisfiableError|Collecting .* ERROR)")


@rule(
    gives={
        "torch-build-asked": "the build of PyTorch that the last installation requested: cuda (its version), or kind"
    },
    triggers=tuple(
        f"command.{tool}" for tool in ("pip", "pip3", "python", "python3", "uv", "conda", "mamba", "micromamba")
    ),
)
def asked_build(seen: Seen, specs: Specs) -> Iterator[Fact]:
    """Holds for the last command that installed PyTorch and was not rejected at once."""
    last: tuple[Command, dict[str, str]] | None = None
    for command in seen.of(Command):
        if command.advice or "install" not in (command.verb, *command.operands[:4], command.verb.split(" ")[-1]):
            continue
        if not any(_TORCH.match(word) for word in command.operands):
            continue
        told = _told(command)
        if command.answer and _FAILED.match(command.answer.strip()):
            continue
        last = (command, told) if told else None
    if last is not None:
        yield fact_from("torch-build-asked", last[0], **last[1])


def _told(command: Command) -> dict[str, str]:
    """Return the build in a command: {"cuda": "12.1"}, {"kind": "cpu"}; {} if it names none."""
    words = (*command.options, *command.operands)
    if found := next((hit for word in words if (hit := _LOCAL.search(word))), None):
        return _of_variant(found["variant"].lower())
    if variant := next((label for word in words if (label := index_variant(word))), None):
        return _of_variant(variant)
    if found := next((hit for word in words if (hit := _OF_CONDA.match(word))), None):
        return {"cuda": found["cuda"]}
    return {"kind": "cpu"} if "cpuonly" in command.operands else {}


def _of_variant(variant: str) -> dict[str, str]:
    if found := re.match(r"cu(\d{1,2})(\d)$", variant):
        return {"cuda": f"{found[1]}.{found[2]}"}
    return {"kind": "cpu" if variant == "cpu" else "xpu" if variant == "xpu" else "rocm"}
