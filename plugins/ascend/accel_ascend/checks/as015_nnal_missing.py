"""A library of NNAL (ATB) is not found."""

from collections.abc import Iterator

from accel.contract.check import Problem, Remedy, check
from accel.facts.questions import Facts
from accel.specs import Specs
from accel_ascend.concern import only_on_ascend, said


@check(code="AS015", name="npu-nnal-missing", layer="toolkit")
def npu_nnal_missing(facts: Facts, specs: Specs) -> Iterator[Problem]:
    """A library of NNAL (ATB) is not found.

    Why it matters   torch_npu's fused operators and vllm-ascend need it; vLLM then only says that it cannot infer the
                     device type.
    What to do       Install NNAL of CANN's own version, and source its set_env.sh after CANN's.
    Looks at         libraries that the loader does not find
    Silent when      none of NNAL's is missing
    Source           github.com/vllm-project/vllm-ascend/issues/152; vllm-ascend FAQ 6
    """
    only_on_ascend(facts)
    events = facts.events("atb-library-missing")
    if not events:
        return
    yield Problem(
        title=f"NNAL (ATB) is not found: {events[0].value('library') or 'libatb.so'}",
        evidence=tuple(said(event) for event in events),
        remedies=(
            Remedy(
                text="Source NNAL's variables, after CANN's", command="source /usr/local/Ascend/nnal/atb/set_env.sh"
            ),
            Remedy(text="If there is no such file, install the NNAL package of the CANN version", action="admin"),
        ),
    )
