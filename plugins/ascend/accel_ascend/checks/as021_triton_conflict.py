"""triton and triton-ascend are installed over each other."""

from collections.abc import Iterator

from accel.contract.check import Evidence, Problem, Remedy, check
from accel.facts.questions import Facts
from accel.specs import Specs
from accel_ascend.concern import chips, only_on_ascend


@check(code="AS021", name="npu-triton-conflict", layer="framework", severity="warning")
def npu_triton_conflict(facts: Facts, specs: Specs) -> Iterator[Problem]:
    """triton and triton-ascend are installed over each other.

    Why it matters   Both own the folder triton/: whichever came last wins, and the other's files are left in between.
    What to do       Uninstall both, then install triton-ascend alone; on 310P neither.
    Looks at         the installed packages; the chips
    Silent when      only one of them is installed
    Source           github.com/triton-lang/triton-ascend/issues/306; github.com/vllm-project/vllm-ascend/issues/7359
    """
    only_on_ascend(facts)
    triton, ascend = facts.package("triton"), facts.package("triton-ascend")
    on_310p = any(chip.architecture == "ascend310p" for chip in chips(facts))
    both = triton is not None and ascend is not None
    if not both and not (on_310p and ascend is not None):
        return
    yield Problem(
        title="triton and triton-ascend are installed over each other"
        if both
        else "triton-ascend does not support 310P",
        evidence=tuple(
            Evidence(fact=package.name, value=str(package.version))
            for package in (triton, ascend)
            if package is not None
        ),
        remedies=(
            Remedy(text="Remove both", command="pip uninstall -y triton triton-ascend"),
            *(
                ()
                if on_310p
                else (Remedy(text="Install the one for Ascend", command="pip install --no-deps triton-ascend"),)
            ),
        ),
    )
