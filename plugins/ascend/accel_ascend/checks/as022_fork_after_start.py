"""The NPU runtime was started before the process forked."""

from collections.abc import Iterator

from accel.contract.check import Problem, Remedy, check
from accel.facts.questions import Facts
from accel.specs import Specs
from accel_ascend.concern import only_on_ascend, said


@check(code="AS022", name="npu-fork-after-start", layer="application")
def npu_fork_after_start(facts: Facts, specs: Specs) -> Iterator[Problem]:
    """The NPU runtime was started before the process forked.

    Why it matters   A chip opened in the parent cannot be used in a forked child.
    What to do       Start workers by spawn, or do not touch torch.npu before the fork.
    Looks at         torch_npu's message
    Silent when      it was not said
    Source           github.com/vllm-project/vllm-ascend/issues/4502
    """
    only_on_ascend(facts)
    events = facts.events("npu-fork")
    if not events:
        return
    yield Problem(
        title="The NPU runtime was started before the process forked",
        evidence=tuple(said(event) for event in events),
        remedies=(
            Remedy(text="vLLM: start workers by spawn", command="export VLLM_WORKER_MULTIPROC_METHOD=spawn"),
            Remedy(
                text="Elsewhere: multiprocessing.set_start_method('spawn') before the first use of torch.npu",
                action="app",
            ),
        ),
    )
