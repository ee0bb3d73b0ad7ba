"""CANN is older than torch_npu, or a program on it, needs."""

from collections.abc import Iterator

from accel.contract.check import Evidence, Problem, Remedy, check
from accel.facts.questions import Facts
from accel.resolver.remedies import install
from accel.specs import Specs
from accel_ascend.compatibility import cann_of_torch_npu, releases_behind
from accel_ascend.concern import cann_version, npu_machine, only_on_ascend, said

_TOLERATED = 2  # torch_npu ran officially on the release before its own


@check(code="AS018", name="npu-cann-too-old", layer="toolkit")
def npu_cann_too_old(facts: Facts, specs: Specs) -> Iterator[Problem]:
    """CANN is older than torch_npu, or a program on it, needs.

    Why it matters   Operators are missing (not in libopapi.so), symbols too; the failure comes at the first use.
    What to do       Install the CANN (toolkit, kernels and NNAL) that torch_npu's release was made with, if the driver
                     accepts it.
    Looks at         versions of torch_npu and CANN; what libopapi.so and NNAL lack
    Silent when      CANN is at most one release older and nothing is missed; either version is not known and nothing
                     is missed
    Source           specs/ascend/compatibility.yaml; github.com/vllm-project/vllm/issues/8054; github.com/vllm-
                     project/vllm-ascend/issues/540
    """
    only_on_ascend(facts)
    events = facts.events("aclnn-not-in-opapi")
    cann, package = cann_version(facts), facts.package("torch-npu")
    npu = package.version if package else None
    wanted = cann_of_torch_npu(specs, npu) if npu else None
    behind = releases_behind(specs, cann, wanted) if cann and wanted else None
    proof = events + facts.events("atb-symbol-missing")
    if not events and (behind is None or behind < (1 if proof else _TOLERATED)):
        return
    evidence = tuple(said(event) for event in proof)
    if cann:
        evidence += (Evidence(fact="CANN version", value=cann),)
    if npu:
        evidence += (Evidence(fact="torch-npu", value=npu),)
    yield Problem(
        title=f"CANN {cann} is older than torch_npu {npu} needs: {wanted}"
        if behind
        else "CANN's operator package is older than torch_npu expects",
        evidence=evidence,
        remedies=(
            Remedy(
                text=f"Install CANN {wanted or 'of the release that torch_npu names'}: toolkit, kernels (ops) and NNAL",
                action="admin",
            ),
            install(
                facts,
                specs,
                "torch-npu",
                text="Keep CANN and install the torch_npu that was made with it",
                on=npu_machine(facts, specs),
            )
            if cann
            else Remedy(text="Or install the torch_npu that was made with this CANN"),
        ),
    )
