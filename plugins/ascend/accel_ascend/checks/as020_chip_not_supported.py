"""The program in use does not support this generation of chips."""

from collections.abc import Iterator

from accel.contract.check import Evidence, Problem, Remedy, applies, check
from accel.facts.questions import Facts
from accel.specs import Specs
from accel_ascend.concern import chips, only_on_ascend

_TOO_OLD = frozenset({"ascend910", "ascend310", "ascend310b"})


@check(code="AS020", name="npu-chip-not-supported", layer="framework")
def npu_chip_not_supported(facts: Facts, specs: Specs) -> Iterator[Problem]:
    """The program in use does not support this generation of chips.

    Why it matters   vllm-ascend runs on Atlas A2, A3 and 310P and later; on the first 910 and on 310 it fails in ways
                     that do not say so.
    What to do       Use MindIE or another engine that supports the chip, or a machine with newer chips.
    Looks at         the family of every chip; whether vLLM is installed or runs: on these chips it is vllm-ascend
    Silent when      a chip of a supported family is present; no chip's family is known; vLLM is not spoken of
    Source           vllm-ascend supported hardware; github.com/vllm-project/vllm-ascend/issues/1047
    """
    only_on_ascend(facts)
    in_use = bool(facts.packages("vllm-ascend", "vllm") or facts.events("vllm-device-type", "vllm-server"))
    applies(in_use, "vLLM is not in use")
    families = {chip.architecture for chip in chips(facts) if chip.architecture}
    if not families or not families <= _TOO_OLD:
        return
    yield Problem(
        title="vllm-ascend does not support these chips",
        devices=tuple(chip.id for chip in chips(facts)),
        evidence=tuple(
            Evidence(fact="name", value=str(name), source="npu-smi info")
            for name in dict.fromkeys(chip.name for chip in chips(facts))
        ),
        remedies=(
            Remedy(
                text="Use an engine that supports the chip (MindIE), or an Atlas A2, A3 or 310P machine", action="app"
            ),
        ),
    )
