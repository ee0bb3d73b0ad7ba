"""CANN's libraries or variables are not set in this process."""

from collections.abc import Iterator

from accel.contract.check import Evidence, Problem, Remedy, check
from accel.facts.questions import Facts
from accel.specs import Specs
from accel_ascend.concern import only_on_ascend, said

_SOURCE = "source /usr/local/Ascend/ascend-toolkit/set_env.sh  # CANN 8.5 and later: /usr/local/Ascend/cann/set_env.sh"


@check(code="AS014", name="npu-cann-environment-not-set", layer="toolkit")
def npu_cann_environment_not_set(facts: Facts, specs: Specs) -> Iterator[Problem]:
    """CANN's libraries or variables are not set in this process.

    Why it matters   torch_npu and MindSpore do not import: they look for CANN by ASCEND_HOME_PATH, ASCEND_OPP_PATH and
                     the loader's path.
    What to do       Source the toolkit's set_env.sh in the same shell or service; if it is not there, install the
                     toolkit.
    Looks at         libraries that the loader does not find; what torch_npu says of the variables; on a live machine
                     the variables themselves
    Silent when      none of this was said; libascend_hal.so is the driver's, and is AS007's
    Source           torch_npu registry_manager.py; mind-cluster AISW_PyTorch_Env_01 and _02;
                     github.com/InternLM/lmdeploy/issues/2598
    """
    only_on_ascend(facts)
    events = tuple(
        event
        for event in facts.events("cann-library-missing", "cann-variable-missing")
        if not (event.value("library") or "").startswith("libascend_hal")
    )
    evidence = tuple(said(event) for event in events)
    if not events:
        if not (facts.live and facts.variables_known and facts.package("torch-npu")):
            return
        if facts.variable("ASCEND_HOME_PATH") or facts.variable("ASCEND_TOOLKIT_HOME"):
            return
        evidence = (Evidence(fact="ASCEND_HOME_PATH", value="not set"),)
    yield Problem(
        title="CANN's environment is not set in this process",
        evidence=evidence,
        remedies=(
            Remedy(text="Source CANN's variables in this shell or service unit", command=_SOURCE),
            Remedy(text="If there is no such file, install the CANN toolkit that torch_npu's release names"),
        ),
    )
