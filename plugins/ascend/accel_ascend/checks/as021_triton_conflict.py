from typing import Final

from accel.resolver.installer import pip_install
from accel.vendors.contract.check import Evidence, Facts, Problem, Problems, Remedy, Specs, applies, check, quoted
from accel.vendors.contract.command import Word, chained, package_word, requirement_word
from accel_ascend.concern import chips, only_on_ascend
from accel_ascend.versions import order

_INDEX = "https://mirrors.huaweicloud.com/ascend/repos/pypi"
_REMOVE: Final = "pip uninstall -y triton triton-ascend"
_SIDE_BY_SIDE = "3.2.1"  # from here on triton-ascend requires triton and is installed over it


@check(
    code="AS021",
    name="npu-triton-conflict",
    layer="framework",
    severity="warning",
    reads=(
        *("triton-both-named", "triton-ascend-named"),
        "triton-both-installed",
        "triton-npu-driver",
        "triton-ascend-backend-missing",
        "triton-fails",
        "ascend-named",
    ),
    needs=("package.triton-ascend",),
)
def npu_triton_conflict(facts: Facts, specs: Specs) -> Problems:
    """Upstream Triton overwrote or replaced Triton-Ascend.

    Why it matters   Both install into triton/: the last one overwrites the other's files, and leftovers remain.
    What to do       Uninstall both, then install triton-ascend; on 310P neither.
    Looks at         installed packages and versions; "0 active drivers ([])"; missing parts of Triton-Ascend; the chips
    Silent when      only triton-ascend is installed; it is 3.2.1 or later, the triton it requires is installed and
                     nothing failed, or no triton is listed with it; nothing mentions Ascend
    Source           Triton-Ascend FAQ; github.com/triton-lang/triton-ascend/issues/306;
                     github.com/vllm-project/vllm-ascend/issues/7359
    """
    only_on_ascend(facts)
    both = facts.stated("triton-both-installed")
    stops = facts.stated("triton-npu-driver", "triton-ascend-backend-missing")
    fails = facts.stated("triton-fails")
    ascend, triton = facts.package("triton-ascend"), facts.package("triton")
    on_310p = any(chip.architecture == "ascend310p" for chip in chips(facts)) and ascend is not None
    version = next((v for fact in both if (v := fact.value("triton_ascend"))), ascend.version if ascend else None)
    meant = version is not None and order(version) >= order(_SIDE_BY_SIDE)
    removed = any(fact.value("removed") for fact in both)
    over = bool(both) and (removed or (not meant if version else bool(fails or stops)))
    applies(bool(both or stops or ascend or on_310p), "neither of the two seems to matter here")
    alone = bool(stops) and not both
    if not over and not stops and not on_310p:
        return
    named = version or next((v for f in facts.stated("triton-ascend-named") if (v := f.value("version"))), None)
    if alone and not on_310p and triton is None and _stands_alone(named):
        return  # it brings Triton itself: another fault, of its build or of the driver
    listed = tuple(Evidence(fact=p.name, value=str(p.version)) for p in (triton, ascend) if p is not None)
    yield Problem(
        title="triton-ascend does not support 310P"
        if on_310p and not over and not stops
        else "triton was removed, and files of triton-ascend with it"
        if removed
        else "Upstream triton is installed instead of triton-ascend"
        if alone
        else "triton and triton-ascend are installed over each other",
        severity="error" if stops or fails or removed else "warning",
        evidence=(*quoted((*stops, *both, *fails)), *listed),
        remedies=(
            Remedy(text="Remove both.", command=_REMOVE)
            if on_310p
            else Remedy(
                text="Remove both, because pip treats a damaged package as installed; then install the Ascend "
                "one as the last step.",
                command=chained(_REMOVE, pip_install(facts, _wanted(version), extra=_INDEX if meant else None)),
            ),
        ),
    )


def _stands_alone(version: str | None) -> bool:
    return version is not None and order(version) >= order(_SIDE_BY_SIDE)


def _wanted(version: str | None) -> Word | None:
    return requirement_word("triton-ascend", version) if version else package_word("triton-ascend")
