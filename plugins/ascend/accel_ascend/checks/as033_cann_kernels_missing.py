from accel.vendors.contract.check import Evidence, Facts, Problem, Problems, Remedy, Specs, check, quoted
from accel.vendors.toolkit.table_steps import fix
from accel_ascend.concern import cann_version, chips
from accel_ascend.versions import order

_FAMILIES = {"ascend910b": "910b", "ascend910_93": "A3 (910_93)", "ascend310p": "310p", "ascend910": "910"}


@check(
    code="AS033",
    name="npu-cann-kernels-missing",
    layer="toolkit",
    family="npu-package-for-other-chip",
    reads=("cann-kernels-missing", "ascend-version-file"),
    needs=("run.program",),
    requires=("npu-package-for-other-chip", "npu-chip-not-supported"),
)
def npu_cann_kernels_missing(facts: Facts, specs: Specs) -> Problems:
    """CANN's compiled operators for this chip are not installed, or not readable.

    Why it matters   The toolkit starts without them, but the first operator fails.
    What to do       Install the kernels package (8.5 and later: ops) for this chip's family and CANN version into the
                     same folder; if it is installed, check that this user may read it.
    Looks at         CANN's messages about binary_info_config.json, opp_kernel packages and operator binaries
    Silent when      there is no such message; ERR01100 alone, which has other causes
    Source           CANN Community Edition 8.5, operator development; Ascend/pytorch docs operator_called_error;
                     github.com/vllm-project/vllm-ascend/issues/237
    """
    told = facts.stated("cann-kernels-missing")
    if not told:
        return
    cann = cann_version(facts)
    kinds = {_FAMILIES.get(chip.architecture or "") for chip in chips(facts)} - {None}
    chip = kinds.pop() if len(kinds) == 1 else None
    package = "ops" if cann and order(cann) >= order("8.5.0") else "kernels" if cann else "kernels (8.5 and later: ops)"
    of = f" of CANN {cann}" if cann else ""
    yield Problem(
        title=f"CANN's {package} package{f' for {chip}' if chip else ''} is not installed",
        evidence=quoted(told) + ((Evidence(fact="CANN version", value=cann),) if cann else ()),
        remedies=(
            Remedy(
                text=f"Install the {package} package{of} for {chip or 'this chip'} next to the toolkit, and "
                "source set_env.sh again.",
            ),
            fix(specs, "ascend", "kernels-readable"),
        ),
    )
