"""Python packages that CANN's compiler needs are missing in this environment."""

from collections.abc import Iterator

from accel.contract.check import Problem, Remedy, check
from accel.facts.questions import Facts
from accel.specs import Specs
from accel_ascend.concern import only_on_ascend, said


@check(code="AS025", name="npu-cann-python-packages-missing", layer="toolkit")
def npu_cann_python_packages_missing(facts: Facts, specs: Specs) -> Iterator[Problem]:
    """Python packages that CANN's compiler needs are missing in this environment.

    Why it matters   The compiler runs inside this Python; without them nothing can be built, and the error is only
                     EH9999.
    What to do       Install CANN's Python requirements in the environment in use.
    Looks at         `init env failed` of EH9999
    Silent when      it was not said
    Source           github.com/Ascend/pytorch/issues/7; CANN installation guide
    """
    only_on_ascend(facts)
    events = facts.events("cann-python-packages-missing")
    if not events:
        return
    yield Problem(
        title="CANN's compiler does not start: Python packages are missing",
        evidence=tuple(said(event) for event in events),
        remedies=(
            Remedy(
                text="Install them in the environment in use",
                command="pip install attrs cython numpy decorator sympy cffi pyyaml pathlib2 psutil protobuf scipy",
            ),
        ),
    )
