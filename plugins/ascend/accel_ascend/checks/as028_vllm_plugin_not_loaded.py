from typing import Final

from accel.model.observation import Command
from accel.vendors.contract.check import Facts, Problem, Problems, Remedy, Specs, check, quoted
from accel.vendors.toolkit.table_steps import fix, fixes
from accel_ascend.concern import only_on_ascend, version_of
from accel_ascend.pairs import is_development

_SOURCES: Final = frozenset((".", "-e", "--editable"))


@check(
    code="AS028",
    name="npu-vllm-plugin-not-loaded",
    layer="framework",
    reads=("vllm-device-type", "vllm-ascend-missing", "vllm-custom-ops-missing", "ascend-named"),
    needs=("run.program",),
    requires=(
        *("npu-driver-not-answering", "npu-device-used-elsewhere", "npu-container-without-devices"),
        *("npu-cann-environment-not-set", "npu-nnal-missing", "npu-nnal-mismatch", "npu-torch-npu-mismatch"),
        *("npu-torch-npu-missing", "npu-torch-npu-too-old", "npu-cann-too-old", "npu-vllm-version-mismatch"),
        *("npu-device-permission", "npu-driver-not-loaded", "npu-chip-not-supported", "npu-triton-conflict"),
        *("npu-cann-driver-mismatch", "wheel-not-in-index", "torch-cpu-label-conflict", "static-tls-exhausted"),
        *("extension-built-for-other-torch", "glibc-too-old"),
    ),
)
def npu_vllm_plugin_not_loaded(facts: Facts, specs: Specs) -> Problems:
    """vLLM's Ascend plugin is not installed, or does not load.

    Why it matters   vLLM then does not support NPUs, and only reports that it cannot infer the device type.
    What to do       Install the vllm-ascend of vLLM's version; import it alone to see the error.
    Looks at         messages of vLLM and Python about the plugin
    Silent when      there is no such message; another check names the reason
    Source           vllm-ascend FAQ 6; github.com/vllm-project/vllm-ascend/issues/3793
    """
    told = facts.stated("vllm-device-type", "vllm-ascend-missing", "vllm-custom-ops-missing")
    if not told:
        return
    only_on_ascend(facts)
    vllm = version_of(facts, "vllm")
    unbuilt = bool(facts.stated("vllm-custom-ops-missing"))
    known = vllm is not None and not is_development(vllm)
    yield Problem(
        title="vllm-ascend's compiled operators are missing" if unbuilt else "vLLM's Ascend plugin does not load",
        evidence=quoted(told),
        remedies=(
            *(fixes(specs, "ascend", "compile-operators") if unbuilt and _is_from_sources(facts) else ()),
            fix(specs, "ascend", "cann-variables"),
            Remedy(
                text=f"If it is not installed, install the vllm-ascend release for vLLM {vllm.partition('+')[0]}."
                if known and vllm
                else "If it is not installed, install the vllm-ascend release that matches vLLM.",
            ),
        ),
    )


def _is_from_sources(facts: Facts) -> bool:
    """Return whether the text installs a package from the folder of its sources: "pip install -e ."."""
    typed = (one for one in facts.snapshot.observations if isinstance(one, Command) and not one.advice)
    return any("install" in one.text and _SOURCES & set(one.text.split()) for one in typed)
