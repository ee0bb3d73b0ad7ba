"""torch_npu is not installed in the Python that needs it, or not importable."""

from collections.abc import Iterator

from accel.contract.check import Evidence, Problem, Remedy, check
from accel.facts.questions import Facts
from accel.resolver.remedies import install
from accel.specs import Specs
from accel_ascend.concern import chips, npu_machine, only_on_ascend, said


@check(code="AS019", name="npu-torch-npu-missing", layer="framework")
def npu_torch_npu_missing(facts: Facts, specs: Specs) -> Iterator[Problem]:
    """torch_npu is not installed in the Python that needs it, or not importable.

    Why it matters   torch alone knows no NPU; vLLM and others then fall back to another device or stop.
    What to do       Install the torch_npu of the torch release in this Python.
    Looks at         `No module named torch_npu`; on machines with chips, a whole package list without it
    Silent when      it is installed; the package list is not whole; torch is not installed either
    Source           github.com/vllm-project/vllm-ascend/issues/166; github.com/Ascend/pytorch/issues/24
    """
    only_on_ascend(facts)
    events = facts.events("torch-npu-missing")
    torch = facts.package("torch")
    missing = bool(chips(facts)) and torch is not None and facts.lacks_package("torch-npu")
    if not events and not missing:
        return
    in_source_tree = any((event.value("part") or "").startswith("._C") for event in events)
    yield Problem(
        title="torch_npu is imported from its source tree"
        if in_source_tree
        else "torch_npu is not installed in this Python",
        detail="Python was started in a folder that holds the sources of torch_npu." if in_source_tree else None,
        severity="error" if events else "warning",
        evidence=tuple(said(event) for event in events)
        + ((Evidence(fact="torch", value=str(torch.version)),) if torch else ()),
        remedies=(
            Remedy(text="Leave that folder", command="cd / && python -c 'import torch_npu'")
            if in_source_tree
            else install(facts, specs, "torch-npu", text="Install it for this torch", on=npu_machine(facts, specs)),
        ),
    )
