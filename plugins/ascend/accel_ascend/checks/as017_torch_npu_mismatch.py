"""torch_npu is of another release than torch."""

from collections.abc import Iterator

from accel.contract.check import Evidence, Problem, check
from accel.facts.questions import Facts
from accel.resolver.remedies import install
from accel.specs import Specs
from accel_ascend.concern import npu_machine, only_on_ascend, said
from accel_ascend.versions import release


@check(code="AS017", name="npu-torch-npu-mismatch", layer="framework")
def npu_torch_npu_mismatch(facts: Facts, specs: Specs) -> Iterator[Problem]:
    """torch_npu is of another release than torch.

    Why it matters   Its libraries are built against one torch release: import fails with an undefined symbol, or
                     worse, does not.
    What to do       Install the torch release that torch_npu's own number begins with.
    Looks at         versions of torch and torch_npu; undefined symbols in torch_npu's libraries
    Silent when      the releases agree; either is not known and no symbol was missed
    Source           github.com/Ascend/pytorch/issues/35; github.com/sgl-project/sglang/issues/28628; torch_npu's own
                     requirements
    """
    only_on_ascend(facts)
    npu, torch = _version(facts, "torch-npu"), _version(facts, "torch")
    events = facts.events("torch-npu-symbol-missing")
    differ = npu is not None and torch is not None and release(npu) != release(torch)
    if not differ and not events:
        return
    evidence = tuple(said(event) for event in events)
    if npu:
        evidence += (Evidence(fact="torch-npu", value=npu),)
    if torch:
        evidence += (Evidence(fact="torch", value=torch),)
    wanted = release(npu) if npu else "<the release that torch_npu's number begins with>"
    yield Problem(
        title=f"torch_npu {npu} is built for torch {wanted}, and torch is {torch}"
        if differ
        else "torch_npu misses a symbol of torch: it was built for another one",
        detail="A later pip install may have replaced torch.",
        evidence=evidence,
        remedies=(
            install(
                facts,
                specs,
                "torch-npu",
                text="Install the torch that this torch_npu is built for",
                on=npu_machine(facts, specs),
                again=True,
            ),
        ),
    )


def _version(facts: Facts, name: str) -> str | None:
    package = facts.package(name)
    return package.version if package else None
