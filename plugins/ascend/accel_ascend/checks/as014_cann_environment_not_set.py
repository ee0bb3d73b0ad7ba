from accel.vendors.contract.check import Evidence, Facts, Problem, Problems, Remedy, Specs, check, quoted
from accel.vendors.toolkit.table_steps import fix, fixes
from accel_ascend.concern import cann_version

_OLD = "source /usr/local/Ascend/ascend-toolkit/set_env.sh"
_NEW = "source /usr/local/Ascend/cann/set_env.sh"  # from CANN 8.5 on


@check(
    code="AS014",
    name="npu-cann-environment-not-set",
    layer="toolkit",
    reads=(
        "cann-library-missing",
        "cann-variable-missing",
        "cann-module-missing",
        "aclnn-not-in-opapi",
        "ascend-version-file",
        "cann-not-installed-said",
    ),
    needs=("package.torch-npu", "environment.variables"),
    asks=("package.torch-npu",),
)
def npu_cann_environment_not_set(facts: Facts, specs: Specs) -> Problems:
    """CANN's environment is not set up in this process.

    Why it matters   torch_npu and MindSpore need ASCEND_HOME_PATH, ASCEND_OPP_PATH and the library path to be imported.
    What to do       Source the toolkit's set_env.sh in the same shell, build step or service; if missing, install it.
    Looks at         missing libraries, headers, modules and commands of CANN; torch_npu's messages about the variables;
                     on a live machine the variables themselves
    Silent when      there is no such sign; libascend_hal.so is missing (the driver's, see AS007), or libatb.so (NNAL's)
    Source           torch_npu registry_manager.py; mind-cluster AISW_PyTorch_Env_01 and _02;
                     github.com/InternLM/lmdeploy/issues/2598
    """
    told = facts.stated("cann-library-missing", "cann-variable-missing", "cann-module-missing")
    if facts.stated("aclnn-not-in-opapi"):  # the message ends in "or libopapi.so not found"
        told = tuple(fact for fact in told if "libopapi" not in (fact.value("name") or ""))
    evidence = quoted(told)
    if not told:
        if not (facts.live and facts.variables_known and facts.package("torch-npu")):
            return
        if facts.variable("ASCEND_HOME_PATH") or facts.variable("ASCEND_TOOLKIT_HOME"):
            return
        evidence = (Evidence(fact="ASCEND_HOME_PATH", value="not set"),)
    missing = next((fact.value("name") for fact in told if fact.name == "cann-library-missing"), None)
    absent = facts.stated("cann-not-installed-said")
    what = "CANN is not installed here" if absent else "CANN's environment is not set in this process"
    yield Problem(
        title=f"{what}: {missing} is not found" if missing else what,
        evidence=(*evidence, *quoted(absent)),
        remedies=(
            *(fixes(specs, "ascend", "install-cann") if absent else ()),
            Remedy(
                text="Source CANN's environment script in the same shell, build step or service unit"
                + (
                    ", from CANN's installation folder."
                    if cann_version(facts)
                    else " (CANN 8.5 and later: /usr/local/Ascend/cann/set_env.sh)."
                ),
                command=_NEW if _is_new(cann_version(facts)) else _OLD,
                action="env",
            ),
            fix(specs, "ascend", "install-toolkit"),
        ),
    )


def _is_new(cann: str | None) -> bool:
    """Return whether the toolkit is in /usr/local/Ascend/cann."""
    from accel_ascend.versions import order

    return cann is not None and order(cann) >= order("8.5.0")
