"""NNAL (ATB) lacks a symbol: it is older than what was built on it, or of the other C++ ABI."""

from collections.abc import Iterator

from accel.contract.check import Evidence, Problem, Remedy, check
from accel.facts.questions import Facts
from accel.specs import Specs
from accel_ascend.concern import only_on_ascend, said


@check(code="AS016", name="npu-nnal-mismatch", layer="toolkit")
def npu_nnal_mismatch(facts: Facts, specs: Specs) -> Iterator[Problem]:
    """NNAL (ATB) lacks a symbol: it is older than what was built on it, or of the other C++ ABI.

    Why it matters   Nothing that loads it can start.
    What to do       Install NNAL of CANN's version, and source its set_env.sh when the torch in use is already
                     installed: it looks at torch's ABI.
    Looks at         undefined symbols of ATB, AsdOps and Mki; ATB_HOME_PATH
    Silent when      no such symbol was missed
    Source           github.com/vllm-project/vllm-ascend/issues/750, /1144; github.com/Ascend/pytorch/issues/99
    """
    only_on_ascend(facts)
    events = facts.events("atb-symbol-missing")
    if not events:
        return
    symbol = next((s for e in events if (s := e.value("symbol") or e.value("atb_symbol"))), "")
    old_strings = "RKSs" in symbol
    evidence = tuple(said(event) for event in events)
    home = facts.variable("ATB_HOME_PATH")
    if home:
        evidence += (Evidence(fact="ATB_HOME_PATH", value=home),)
    yield Problem(
        title="NNAL (ATB) does not fit what was built on it",
        detail="The missing symbol has the old form of std::string: the caller wants cxx_abi_0."
        if old_strings
        else "Either NNAL is older than torch_npu wants, or two versions or ABIs of it are mixed on the loader's path.",
        evidence=evidence,
        remedies=(
            Remedy(
                text="Take the other ABI of NNAL" if old_strings else "Take the ABI of the installed torch",
                command="source /usr/local/Ascend/nnal/atb/set_env.sh --cxx_abi="
                + ("0" if old_strings else "$(python -c 'import torch; print(int(torch.compiled_with_cxx11_abi()))')"),
            ),
            Remedy(text="Install CANN and NNAL of one version, that of torch_npu's release", action="admin"),
        ),
    )
