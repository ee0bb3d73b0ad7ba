"""A program asks for CUDA on an Ascend machine."""

from collections.abc import Iterator
from typing import TYPE_CHECKING

from accel.vendors.contract.check import Evidence, Problem, Remedy, applies, check, quoted
from accel_ascend.concern import only_on_ascend

if TYPE_CHECKING:
    from accel.facts.questions import Facts
    from accel.specs import Specs


@check(
    code="AS027",
    name="npu-program-asks-for-cuda",
    layer="application",
    reads=("torch-not-compiled-with-cuda", "ascend-named"),
    needs=("run.program",),
    requires=("torch-too-old-for-transformers",),
)
def npu_program_asks_for_cuda(facts: "Facts", specs: "Specs") -> Iterator[Problem]:
    """A program asks torch for CUDA on an Ascend machine.

    Why it matters   It stops with "Torch not compiled with CUDA enabled"; reinstalling torch does not help.
    What to do       Let the program use the device "npu"; where a library chose CUDA, use a release of it that knows
                     NPUs.
    Looks at         torch's complaint; chips, CANN or torch_npu in the same report
    Silent when      torch did not complain; an NVIDIA GPU is there too
    Source           github.com/hiyouga/LLaMA-Factory/issues/7986; torch_npu documents, transfer_to_npu
    """
    told = facts.stated("torch-not-compiled-with-cuda")
    if not told:
        return
    only_on_ascend(facts)
    applies(not facts.of("nvidia"), "an NVIDIA GPU is there too")
    installed = tuple(Evidence(fact=p.name, value=str(p.version)) for p in facts.packages("torch-npu", "transformers"))
    yield Problem(
        title="A program asks for CUDA on an Ascend machine",
        evidence=quoted(told) + installed,
        remedies=(
            Remedy(
                text="Import torch_npu and use the device.",
                command="python -c 'import torch, torch_npu; x = torch.ones(1).npu()'",
            ),
            Remedy(
                text="For a program written for CUDA, put this first: from torch_npu.contrib import transfer_to_npu.",
                action="app",
            ),
            Remedy(text="Where a library chose CUDA, take an older release of it, or a newer torch and torch_npu."),
        ),
    )
