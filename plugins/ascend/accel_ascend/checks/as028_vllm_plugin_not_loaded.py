"""vLLM finds no device type, since its Ascend plugin does not load."""

from collections.abc import Iterator

from accel.contract.check import Problem, Remedy, check
from accel.facts.questions import Facts
from accel.specs import Specs
from accel_ascend.concern import only_on_ascend, said


@check(
    code="AS028",
    name="npu-vllm-plugin-not-loaded",
    layer="framework",
    explained_by=(
        "npu-driver-not-answering",
        "npu-device-used-elsewhere",
        "npu-container-without-devices",
        "npu-cann-environment-not-set",
        "npu-nnal-missing",
        "npu-nnal-mismatch",
        "npu-torch-npu-mismatch",
        "npu-torch-npu-missing",
        "npu-cann-too-old",
    ),
)
def npu_vllm_plugin_not_loaded(facts: Facts, specs: Specs) -> Iterator[Problem]:
    """vLLM's Ascend plugin is not installed, or does not load.

    Why it matters   vLLM then knows no NPU, and only says that it cannot infer the device type.
    What to do       Install the vllm-ascend of vLLM's own number; import it by itself to see what stops it.
    Looks at         what vLLM and Python say of the plugin
    Silent when      neither was said; another check names what stops it and then explains this
    Source           vllm-ascend FAQ 6; github.com/vllm-project/vllm-ascend/issues/3793
    """
    only_on_ascend(facts)
    events = facts.events("vllm-device-type", "vllm-ascend-missing")
    if not events:
        return
    vllm = facts.package("vllm")
    wanted = f"vllm-ascend=={vllm.version}" if vllm and vllm.version else "vllm-ascend"
    yield Problem(
        title="vLLM's Ascend plugin does not load",
        evidence=tuple(said(event) for event in events),
        remedies=(
            Remedy(text="See what stops it", command="python -c 'import torch, torch_npu, vllm_ascend'"),
            Remedy(text="If it is not installed, install that of vLLM's release", command=f"pip install {wanted}"),
        ),
    )
