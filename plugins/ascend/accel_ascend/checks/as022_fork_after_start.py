"""The NPU runtime was initialized before the process forked."""

from collections.abc import Iterator
from typing import TYPE_CHECKING

from accel.vendors.contract.check import Problem, Remedy, check, quoted

if TYPE_CHECKING:
    from accel.facts.questions import Facts
    from accel.specs import Specs


_OF_VLLM = ("vllm", "multiproc_worker_utils", "multiproc_executor", "core.py:")  # files that its log names


@check(
    code="AS022",
    name="npu-fork-after-start",
    layer="application",
    reads=("npu-fork", "vllm-server"),
    needs=("run.program",),
)
def npu_fork_after_start(facts: "Facts", specs: "Specs") -> Iterator[Problem]:
    """The NPU runtime was initialized before the process forked.

    Why it matters   A chip opened in the parent cannot be used in a forked child.
    What to do       Use the spawn start method, or do not use torch.npu before the fork.
    Looks at         torch_npu's message
    Silent when      there is no such message
    Source           torch_npu npu/__init__.py; github.com/vllm-project/vllm-ascend/issues/4502
    """
    told = facts.stated("npu-fork")
    if not told:
        return
    vllm = Remedy(
        text="vLLM: start workers with spawn.", command="export VLLM_WORKER_MULTIPROC_METHOD=spawn", action="env"
    )
    others = Remedy(
        text="In your own program: multiprocessing.set_start_method('spawn') before the first use of torch.npu, "
        "and no use of torch.npu in the parent.",
        action="app",
    )
    words = " ".join(fact.text.lower() for fact in told)
    by_vllm = any(word in words for word in _OF_VLLM) or bool(facts.packages("vllm", "vllm-ascend"))
    yield Problem(
        title="The NPU runtime was started before the process forked",
        evidence=quoted(told),
        remedies=(vllm, others) if by_vllm else (others, vllm),
    )
