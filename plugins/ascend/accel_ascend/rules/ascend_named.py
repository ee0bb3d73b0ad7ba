"""Whether a text is about Ascend hardware or software at all."""

from collections.abc import Iterator
from typing import Final

from accel.model.dataclass import replace
from accel.model.observation import Command, ErrorSeen, Fact, Installed, Missing, Observation, Product, Raised
from accel.vendors.contract.rule import Seen, Specs, fact_from, rule
from accel_ascend.chips import BACKEND

NAMED: Final = "ascend-named"
_DOMAINS: Final = frozenset(("acl", "hccl", "dcmi", "cann", "ascend"))
_COMPONENTS: Final = frozenset(("ascend-driver", "cann", "nnal", "torch-npu", "triton-ascend", "vllm-ascend", "mindie"))
_MODULES: Final = ("torch_npu", "vllm_ascend", "torchair", "mindspore", "mindspeed", "sgl_kernel_npu")
_PACKAGES: Final = frozenset(("torch-npu", "vllm-ascend", "triton-ascend", "mindspore-ascend", "onnxruntime-cann"))
_SAID: Final = (
    *("triton-ascend-named", "vllm-plugin-from-main", "vllm-ascend-missing", "vllm-pair-sentence", "npu-fork"),
    *("cann-variable-missing", "cann-driver-version-sentence", "cann-wants-newer-driver", "cann-chip-unsupported"),
    *("cann-soc-mismatch", "cann-kernels-missing", "aclnn-not-in-opapi", "torch-npu-attribute-missing"),
    *("npu-smi-dcmi-failed", "npu-smi-device-used", "npu-out-of-memory", "npu-visible-out-of-range", "npu-node-listed"),
    "torch-npu-missing",
)
_WORDS: Final = ("ascend", "davinci", "npu-smi", "cann:", "torch_npu", "torch-npu")


@rule(gives={NAMED: "the text names Ascend hardware or software"})
def ascend_named(seen: Seen, specs: Specs) -> Iterator[Fact]:
    """Holds if an error, a missing part, a traceback, a command, an installed package or a device is Ascend's. Yields
    only the first fact.
    """
    for one in seen.observations:
        if _is_ascends(one):
            yield fact_from(NAMED, one)
            return
    for said in seen.facts(*_SAID):
        yield replace(said, name=NAMED, values=())
        return


def _is_ascends(one: Observation) -> bool:
    if isinstance(one, ErrorSeen):
        return one.domain in _DOMAINS
    if isinstance(one, Missing):
        return bool({one.component, one.by_component} & _COMPONENTS)
    if isinstance(one, Raised):
        return any(frame.module and frame.module.startswith(_MODULES) for frame in one.frames)
    if isinstance(one, Product):
        return one.vendor == BACKEND
    if isinstance(one, Installed):
        return one.package in _PACKAGES and not one.removed
    return isinstance(one, Command) and any(word in one.text.lower() for word in _WORDS)
