"""TPU_LOAD_LIBRARY=0 keeps libtpu from loading."""

from collections.abc import Iterator
from typing import TYPE_CHECKING

from accel.contract.check import Evidence, Problem, Remedy, check, need
from accel_tpu.signs import need_tpu_or_wish, quoted

if TYPE_CHECKING:
    from accel.facts.questions import Facts
    from accel.specs import Specs


@check(code="TP010", name="tpu-load-forbidden", layer="application")
def load_forbidden(facts: "Facts", specs: "Specs") -> Iterator[Problem]:
    """The variable TPU_LOAD_LIBRARY is 0: libtpu refuses to start.

    Why it matters   No program of this environment can have the TPU.
    What to do       Unset the variable.
    Looks at         TPU_LOAD_LIBRARY; "not loading libtpu"
    Silent when      the variable is not 0; undecided where the variables are not known
    Source           openxla/xla: xla/stream_executor/tpu/tpu_initialize_util.cc
    """
    need_tpu_or_wish(facts)
    said = facts.events("tpu-load-refused")
    value = facts.variable("TPU_LOAD_LIBRARY")
    if not said and value != "0":
        need(value or facts.variables_known or None, "variables")
        return
    yield Problem(
        title="TPU_LOAD_LIBRARY=0 keeps libtpu from loading",
        evidence=quoted(said) or (Evidence(fact="TPU_LOAD_LIBRARY", value="0"),),
        remedies=(Remedy(text="Unset the variable.", command="unset TPU_LOAD_LIBRARY"),),
    )
