from collections.abc import Iterator

from accel.vendors.contract.check import Fact, Facts, Problem, Problems, Remedy, Specs, check, quoted
from accel.vendors.contract.command import Word, command_line, path_word
from accel.vendors.toolkit.table_steps import fix

_HELD = ("npu-smi-device-used", "npu-last-process-running", "npu-resources-busy")
_SAID = "npu-use-elsewhere-said"
_ALL_GIVEN = ("npu-container-set-complete", "npu-node-open-to-user")


@check(
    code="AS006",
    name="npu-device-used-elsewhere",
    layer="access",
    reads=(*_HELD, *_ALL_GIVEN, "npu-smi-dcmi-failed", "acl-device-start-failed", "npu-works-elsewhere", _SAID),
    needs=("run.program",),
    requires=("npu-device-permission",),
    explained_by=("npu-cann-driver-mismatch",),
)
def npu_device_used_elsewhere(facts: Facts, specs: Specs) -> Problems:
    """Another container or a dead job holds the chips.

    Why it matters   A plain container claims a chip exclusively: npu-smi and the runtime then fail elsewhere (-8020,
                     EL0005, EJ0001, drvErr=87), or report -8005 although all nodes and folders are present.
    What to do       Stop the container or job that holds the chip, or share it on purpose.
    Looks at         messages of npu-smi and the runtime; what the writer says of other containers; for -8005 the
                     command that started the container
    Silent when      there is no such message; a node, a folder or a permission is missing
    Source           github.com/Ascend/cann-container-image/issues/46; mind-cluster AISW_PyTorch_Start_03;
                     github.com/vllm-project/vllm-ascend/issues/2698, /632, /248
    """
    held = facts.stated(*_HELD)
    if (said := facts.stated(_SAID)) and (failed := facts.stated("acl-device-start-failed")):
        held += (*failed[:2], *said[:1])
    given = facts.stated(*_ALL_GIVEN)
    refused = facts.stated("npu-smi-dcmi-failed") if given or facts.stated("npu-works-elsewhere") else ()
    if not held and not (refused and facts.stated("npu-container-set-complete")):
        return
    dead = any(fact.name == "npu-last-process-running" for fact in held)
    yield Problem(
        title="A process from an earlier job still uses the Ascend chips"
        if dead
        else "Another container or job is using the Ascend chips",
        detail=None
        if held
        else (
            "The nodes, driver folders and permissions are all there; -8005 then means that another container "
            "has claimed the chip."
        ),
        evidence=quoted((*held, *refused, *facts.stated("npu-works-elsewhere"), *given)),
        remedies=tuple(_remedies(dead, given, specs)),
    )


def _remedies(dead: bool, given: tuple[Fact, ...], specs: Specs) -> Iterator[Remedy]:
    given_nodes = next((value for fact in given if (value := fact.value("nodes"))), "").split()
    nodes: list[str | Word | None] = [path_word(node) for node in given_nodes]
    yield Remedy(
        text="On the host, check which processes use the chips; stop those of a finished job, and wait 10 seconds."
        if dead
        else "On the host, check which processes use the chips.",
        command=command_line("npu-smi info; fuser -v", *(nodes or ["/dev/davinci*"])),
        action="env",
        kind="mend" if dead else "look",
    )
    if dead:
        return
    yield fix(specs, "ascend", "container-with-same-chips")
    yield fix(specs, "ascend", "share-chip")
