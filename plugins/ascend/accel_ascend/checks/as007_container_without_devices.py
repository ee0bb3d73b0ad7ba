from accel.facts.containers import IMAGE_BUILD, IN_BUILD, in_image_build
from accel.vendors.contract.check import Facts, Problem, Problems, Remedy, Specs, applies, check, quoted
from accel.vendors.toolkit.table_steps import fixes
from accel_ascend.concern import chips

_LIBRARY = "npu-driver-library-missing"
_BY_DEFAULT = "npu-runtime-by-default"
_FAILS = ("npu-smi-dcmi-failed", "npu-no-node", "npu-node-missing", "npu-smi-missing", "npu-count-refused")
_ENDS = (*_FAILS, "hccl-rank-table", "acl-no-device", "vllm-device-type", "npu-smi-no-list")


@check(
    code="AS007",
    name="npu-container-without-devices",
    layer="access",
    family="container-without-gpu",
    reads=(
        *_ENDS,
        _LIBRARY,
        _BY_DEFAULT,
        "npu-driver-file-missing",
        "npu-container-set-lacks",
        "npu-container-set-complete",
        *IMAGE_BUILD,
    ),
    needs=("run.program",),
    requires=("npu-device-used-elsewhere", "npu-device-permission"),
)
def npu_container_without_devices(facts: Facts, specs: Specs) -> Problems:
    """The container was started without the chips' nodes or the driver's files.

    Why it matters   Nothing can be opened inside: -8005, no libdcmi.so, no npu-smi; or a part of the driver's folder is
                     missing, such as the topology files of a 950.
    What to do       Start it with the Ascend container runtime, or pass each node and mount the driver's folders.
    Looks at         whether this is a container; nodes; messages of npu-smi, the loader and HCCL; the start command
    Silent when      no container is known and no driver file is missing; the command passed everything (see AS006)
    Source           github.com/Ascend/mind-cluster container documents; vllm-ascend installation.md;
                     github.com/Project-HAMi/HAMi/issues/1696; github.com/vllm-project/recipes/issues/907
    """
    library = facts.stated(_LIBRARY)
    files = facts.stated("npu-driver-file-missing")
    lacks, complete = facts.stated("npu-container-set-lacks"), facts.stated("npu-container-set-complete")
    contained = facts.host.containerized or bool(lacks or complete)
    applies(contained or facts.host.containerized is None, "this is not a container")
    fails = facts.stated(*_FAILS) if contained else ()
    if contained:
        applies(not chips_of_smi(facts) or bool(library or files), "chips are visible in the container")
    certain = (*library, *files)
    ends = facts.stated(*_ENDS)
    without_tool = complete and facts.stated("npu-smi-missing")
    if without_tool and not (certain or lacks):
        yield Problem(
            title="npu-smi is not in the container, though its path is handed over: the host has it elsewhere",
            evidence=quoted((*without_tool[:2], *complete[:1])),
            remedies=fixes(specs, "ascend", "npu-smi-elsewhere"),
        )
        return
    if not certain and not (lacks and ends) and not (fails and not complete):
        return
    partial = (files and not library) or any(fact.value("partial") for fact in lacks)
    missing = next((value for fact in lacks if (value := fact.value("lacks"))), None)
    yield Problem(
        title="The container has only part of the driver folder"
        if partial
        else "The container was started without the Ascend nodes or driver files",
        detail=f"The command does not pass: {missing}."
        if missing
        else "It needs the host's /dev/davinci<N> for its chips, /dev/davinci_manager, /dev/devmm_svm, "
        "/dev/hisi_hdc, and the driver folders.",
        evidence=quoted((*certain, *fails, *lacks, *ends), most=6),
        remedies=_remedies(facts, specs, bool(partial)),
    )


def _remedies(facts: Facts, specs: Specs, partial: bool) -> tuple[Remedy, ...]:
    if in_image_build(facts):
        return (IN_BUILD, *fixes(specs, "ascend", "start-with-chips"))
    if facts.stated(_BY_DEFAULT) and any("npu-smi: error while" in fact.text for fact in facts.stated(_LIBRARY)):
        return fixes(specs, "ascend", "loader-cache", "start-with-chips")
    shown = facts.mentions("runtime ascend", "runtime=ascend", "ascend-docker-runtime", "ascend docker runtime")
    return (
        fixes(specs, "ascend", "whole-driver-folder")
        if partial
        else fixes(specs, "ascend", "start-with-chips")[::-1]
        if shown
        else fixes(specs, "ascend", "start-with-chips")
    )


def chips_of_smi(facts: Facts) -> bool:
    """Return whether npu-smi lists chips: a node listing, or prose, may be the host's."""
    return any(chip.npu_id is not None for chip in chips(facts))
