from accel.vendors.contract.check import Evidence, Facts, Problem, Problems, Remedy, Specs, check, quoted
from accel_ascend.compatibility import cann_of_torch_npu, in_window, releases_behind
from accel_ascend.concern import cann_version, version_of

_ANOTHERS = ("torch-npu-attribute-missing",)  # what stopped the program was torch_npu's age
_TOLERATED = 2  # torch_npu ran officially on the release before its own


@check(
    code="AS018",
    name="npu-cann-too-old",
    layer="toolkit",
    reads=("aclnn-not-in-opapi", "cann-symbol-missing", "nnal-symbol-missing", *_ANOTHERS, "ascend-version-file"),
    needs=("package.torch-npu",),
)
def npu_cann_too_old(facts: Facts, specs: Specs) -> Problems:
    """CANN is too old for torch_npu, or for a program that uses it.

    Why it matters   Operators (in libopapi.so) or symbols are missing; the failure comes at their first use.
    What to do       Install the CANN (toolkit, kernels, NNAL) that torch_npu was built with, if the driver accepts it.
    Looks at         versions of torch_npu and CANN; what libopapi.so, CANN's other libraries and NNAL lack
    Silent when      CANN is at most one release older, or the vendor tested the pair, and nothing is missing; either
                     version is unknown and nothing is missing
    Source           specs/ascend/compatibility.yaml; github.com/vllm-project/vllm/issues/8054;
                     github.com/vllm-project/vllm-ascend/issues/540
    """
    told = facts.stated("aclnn-not-in-opapi", "cann-symbol-missing")
    cann, npu = cann_version(facts), version_of(facts, "torch-npu")
    wanted = cann_of_torch_npu(specs, npu) if npu else None
    behind = releases_behind(specs, cann, wanted) if cann and wanted else None
    proof = (*told, *facts.stated("nnal-symbol-missing"))
    if not proof and npu and cann and in_window(specs, npu, cann):
        behind = 0
    if not told and (behind is None or behind < (1 if proof else _TOLERATED)):
        return
    evidence = quoted(proof)
    if cann:
        evidence += (Evidence(fact="CANN version", value=cann),)
    if npu:
        evidence += (Evidence(fact="torch-npu", value=npu),)
    of_torch = bool(npu) or any("torch_npu" in fact.text or "aclnn" in fact.text for fact in told)
    caller = "torch_npu" if of_torch else "the program"
    keep = f"Or keep CANN{f' {cann}' if cann else ''} and "
    keep += "use a torch_npu that was built with it; that may require an older torch."
    if not of_torch:
        keep = "Or keep CANN, and build the program that lacks it against this CANN."
    here = f"CANN {cann}" if cann else "CANN"
    if behind:
        title = f"{here} is older than torch_npu {npu} needs: {wanted}"
    elif facts.stated("aclnn-not-in-opapi"):
        title = f"{here} is older than the program expects: it lacks an operator"
    else:
        title = f"{here} lacks a function that {caller} calls: the two are from different releases"
    yield Problem(
        title=title,
        evidence=evidence,
        severity="warning" if not proof and facts.stated(*_ANOTHERS) else None,
        remedies=(
            Remedy(
                text=f"Install CANN {wanted}: toolkit, kernels (8.5 and later: ops) and NNAL."
                if wanted
                else (
                    f"Install the CANN that {caller}'s release notes name: toolkit, kernels (8.5 and later: ops) "
                    "and NNAL."
                ),
            ),
            Remedy(text=keep),
        ),
    )
