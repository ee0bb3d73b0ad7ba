from accel.vendors.contract.check import Facts, Problem, Problems, Remedy, Specs, check, quoted
from accel_ascend.concern import cann_version


@check(
    code="AS015",
    name="npu-nnal-missing",
    layer="toolkit",
    reads=("nnal-library-missing", "ascend-version-file"),
    needs=("run.program",),
)
def npu_nnal_missing(facts: Facts, specs: Specs) -> Problems:
    """A library of NNAL (ATB) is not found.

    Why it matters   torch_npu's fused operators and vllm-ascend need it; vLLM reports only an unknown device type.
    What to do       Source its set_env.sh after CANN's; if there is none, install the NNAL of CANN's version.
    Looks at         missing libraries and headers
    Silent when      none of NNAL's is missing
    Source           github.com/vllm-project/vllm-ascend/issues/152; vllm-ascend FAQ 6
    """
    told = facts.stated("nnal-library-missing")
    if not told:
        return
    cann = cann_version(facts)
    name = next((value for fact in told if (value := fact.value("name"))), "libatb.so")
    yield Problem(
        title=f"NNAL (ATB) is not found: {name}",
        evidence=quoted(told),
        remedies=(
            Remedy(
                text="Source NNAL's environment script after CANN's. If there is no such file, first install the "
                f"NNAL package for {f'CANN {cann}' if cann else 'the CANN version in use'}.",
                command="source /usr/local/Ascend/nnal/atb/set_env.sh",
                action="env",
            ),
        ),
    )
