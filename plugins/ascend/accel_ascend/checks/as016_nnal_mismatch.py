from accel.vendors.contract.check import Evidence, Facts, Problem, Problems, Remedy, Specs, check, quoted
from accel_ascend.concern import cann_version

_OLD_ABI = "source /usr/local/Ascend/nnal/atb/set_env.sh --cxx_abi=0"
_NEW_ABI = "source /usr/local/Ascend/nnal/atb/set_env.sh --cxx_abi=1"


@check(
    code="AS016",
    name="npu-nnal-mismatch",
    layer="toolkit",
    reads=("nnal-symbol-missing", "ascend-version-file"),
    needs=("run.program",),
)
def npu_nnal_mismatch(facts: Facts, specs: Specs) -> Problems:
    """NNAL (ATB) lacks a symbol: it is too old for the caller, or has the other C++ ABI.

    Why it matters   Nothing that loads it starts.
    What to do       Install the NNAL of CANN's version. The ABI matters only if the symbol's name contains std::string:
                     then source set_env.sh with the other ABI.
    Looks at         undefined symbols of ATB, AsdOps and Mki, and their argument types; ATB_HOME_PATH
    Silent when      no such symbol is missing
    Source           github.com/vllm-project/vllm-ascend/issues/750, /1144; github.com/Ascend/pytorch/issues/99;
                     libstdc++ manual, Dual ABI
    """
    told = facts.stated("nnal-symbol-missing")
    if not told:
        return
    abi = next((found for fact in told if (found := _abi_of(fact.value("name") or "")) is not None), None)
    evidence = quoted(told)
    home = facts.variable("ATB_HOME_PATH")
    if home:
        evidence += (Evidence(fact="ATB_HOME_PATH", value=home),)
    cann = cann_version(facts)
    used = f"CANN {cann}, the version in use" if cann else "the CANN version in use"
    same = Remedy(
        text=f"Install NNAL for {used}; if that is older than what torch_npu's release notes name, update both CANN "
        "and NNAL.",
        action="env",
    )
    yield Problem(
        title="NNAL (ATB) was built with a different C++ ABI than the program that uses it"
        if abi is not None
        else "NNAL (ATB) is older than what was built on it",
        detail=f"The missing symbol takes the {'new' if abi else 'old'} std::string: the program needs cxx_abi_{abi}."
        if abi is not None
        else "The missing symbol takes no std::string, so the C++ ABI does not matter: this NNAL does not have it yet.",
        evidence=evidence,
        remedies=(
            Remedy(
                text="Use the other build of NNAL, which is also installed.",
                command=_NEW_ABI if abi else _OLD_ABI,
                action="env",
            ),
            same,
        )
        if abi is not None
        else (same,),
    )


def _abi_of(symbol: str) -> int | None:
    """Return the std::string ABI in a mangled name: 1 the new, 0 the old; None if it has none."""
    if "__cxx11" in symbol or "B5cxx11" in symbol:
        return 1
    return 0 if (symbol.startswith("_Z") and symbol.endswith(("RKSs", "Ss", "ERSs"))) or "RKSs" in symbol else None
