"""A program asks for CUDA on an Ascend machine."""

from collections.abc import Iterator

from accel.contract.check import Evidence, Problem, Remedy, check
from accel.facts.questions import Facts
from accel.specs import Specs
from accel_ascend.concern import only_on_ascend, said


@check(code="AS027", name="npu-program-asks-for-cuda", layer="application")
def npu_program_asks_for_cuda(facts: Facts, specs: Specs) -> Iterator[Problem]:
    """A program asks torch for CUDA on an Ascend machine.

    Why it matters   It stops with "Torch not compiled with CUDA enabled"; reinstalling torch does not help.
    What to do       Let the program use the device "npu"; where a library chose CUDA, use a release of it that knows
                     NPUs.
    Looks at         torch's complaint; chips, CANN or torch_npu in the same report
    Silent when      torch did not complain; an NVIDIA GPU is there too
    Source           github.com/hiyouga/LLaMA-Factory/issues/7986; torch_npu documents, transfer_to_npu
    """
    only_on_ascend(facts)
    events = facts.events("torch-not-compiled-with-cuda")
    if not events or facts.of("nvidia"):
        return
    evidence = tuple(said(event) for event in events)
    evidence += tuple(
        Evidence(fact=package.name, value=str(package.version))
        for package in facts.packages("torch-npu", "transformers")
    )
    yield Problem(
        title="A program asks for CUDA on an Ascend machine",
        evidence=evidence,
        remedies=(
            Remedy(
                text="Import torch_npu and use the device",
                command="python -c 'import torch, torch_npu; x = torch.ones(1).npu()'",
            ),
            Remedy(
                text="For a program written for CUDA, put this first: from torch_npu.contrib import transfer_to_npu",
                action="app",
            ),
            Remedy(text="Where a library chose CUDA, take an older release of it, or a newer torch and torch_npu"),
        ),
    )
