"""A package was built for another chip than is here, or this chip's operators are not installed."""

from collections.abc import Iterator

from accel.contract.check import Problem, Remedy, check
from accel.facts.questions import Facts
from accel.specs import Specs
from accel_ascend.concern import only_on_ascend, said


@check(code="AS023", name="npu-package-for-other-chip", layer="toolkit")
def npu_package_for_other_chip(facts: Facts, specs: Specs) -> Iterator[Problem]:
    """A package was built for another chip than is here, or this chip's operators are not installed.

    Why it matters   Kernels of one chip do not run on another.
    What to do       Install the package, or use the image, of this chip's family; when building, set SOC_VERSION.
    Looks at         what CANN says of SoC versions and operator binaries
    Silent when      nothing of the kind was said
    Source           github.com/vllm-project/vllm-ascend/issues/5599; Ascend/pytorch docs operator_called_error
    """
    only_on_ascend(facts)
    events = facts.events("cann-soc-mismatch", "cann-operator-missing")
    if not events:
        return
    other = next((event for event in events if event.name == "cann-soc-mismatch"), None)
    yield Problem(
        title=f"A package built for {other.value('package')} runs on {other.value('device')}"
        if other
        else "CANN's operators of this chip are not installed",
        evidence=tuple(said(event) for event in events),
        remedies=(
            Remedy(text="Install CANN's kernels (8.5 and later: ops) package of this chip's family", action="admin"),
            Remedy(text="Use the image or wheel of this chip's family (-310p, -a3), or build with SOC_VERSION set"),
        ),
    )
