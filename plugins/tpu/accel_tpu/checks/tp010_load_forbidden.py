"""TPU_LOAD_LIBRARY=0 keeps libtpu from loading."""

from collections.abc import Iterator
from typing import TYPE_CHECKING

from accel.vendors.contract.check import Evidence, Problem, Remedy, applies, check, quoted

if TYPE_CHECKING:
    from accel.facts.questions import Facts
    from accel.specs import Specs


@check(
    code="TP010",
    name="tpu-load-forbidden",
    layer="application",
    reads=("tpu-load-refused",),
    needs=("tpu.devices", "environment.variables"),
)
def load_forbidden(facts: "Facts", specs: "Specs") -> Iterator[Problem]:
    """The variable TPU_LOAD_LIBRARY is 0: libtpu refuses to start.

    Why it matters   No program of this environment can have the TPU.
    What to do       Unset the variable.
    Looks at         TPU_LOAD_LIBRARY; "not loading libtpu"
    Silent when      the variable is not 0, or nothing tells of a TPU; undecided where the variables are not known
    Source           openxla/xla: xla/stream_executor/tpu/tpu_initialize_util.cc
    """
    said = facts.stated("tpu-load-refused")
    if not said and facts.variable("TPU_LOAD_LIBRARY") != "0":
        applies(facts.live or facts.variables_known, "the variables are not shown")
        return
    yield Problem(
        title="TPU_LOAD_LIBRARY=0 keeps libtpu from loading",
        evidence=quoted(said) or (Evidence(fact="TPU_LOAD_LIBRARY", value="0"),),
        remedies=(Remedy(text="Unset the variable.", command="unset TPU_LOAD_LIBRARY", action="env"),),
    )
