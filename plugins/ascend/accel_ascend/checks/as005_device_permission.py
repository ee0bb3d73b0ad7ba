from collections.abc import Iterator

from accel.vendors.contract.check import Facts, Problem, Problems, Remedy, Specs, check, quoted
from accel.vendors.toolkit.table_steps import fix

_REFUSED = ("npu-node-denied", "npu-node-closed-to-user", "npu-refused-to-user")


@check(
    code="AS005",
    name="npu-device-permission",
    layer="access",
    family="device-permission",
    reads=(*_REFUSED, "npu-works-as-root-only", "ascend-named"),
    needs=("run.program",),
)
def npu_device_permission(facts: Facts, specs: Specs) -> Problems:
    """The user may not open the chips' device nodes.

    Why it matters   The runtime finds no device, or fails with 207006 or -8005.
    What to do       Add the user to the group HwHiAiUser, which owns the nodes; in a container run as that account, or
                     add the group's number.
    Looks at         access to /dev/davinci<N>, davinci_manager, devmm_svm and hisi_hdc; refusals in texts; runtime
                     error 207006; mode and owner of the nodes against the user's IDs; programs that work only as root
    Silent when      no refusal was seen, and the mode admits the user
    Source           github.com/vllm-project/vllm-ascend/issues/9490; torch_npu NPUErrorCodes.h; capabilities(7)
    """
    refused = facts.stated(*_REFUSED)
    as_root = facts.stated("npu-works-as-root-only") if facts.stated("ascend-named") else ()
    told = (*refused, *as_root)
    if not told:
        return
    closed = facts.first("npu-node-closed-to-user")
    uid, owner = (closed.value("uid"), closed.value("owner")) if closed else (None, None)
    mode = closed.value("mode") if closed else None
    root = uid == "0"
    title = (
        f"User {uid.lstrip('?')} has no permission to open the Ascend device nodes"
        if uid and uid != "?"
        else "This user has no permission to open the Ascend device nodes"
    )
    detail = (
        f"The nodes belong to {owner} with mode 0{mode}."
        if owner
        else "The nodes belong to HwHiAiUser:HwHiAiUser with mode 0660."
    )
    if root:
        detail += " Root can open them only with the capability DAC_OVERRIDE, which was dropped."
    yield Problem(
        title=title, detail=detail, evidence=quoted(told), remedies=tuple(_remedies(facts, specs, owner, root))
    )


def _remedies(facts: Facts, specs: Specs, owner: str | None, root: bool) -> Iterator[Remedy]:
    told = facts.stated("npu-node-closed-to-user")
    contained = facts.host.containerized or any(f.scope == "container" or "runasuser" in f.text.lower() for f in told)
    if root:
        yield fix(specs, "ascend", "capability-dac-override")
    if contained or root:
        yield Remedy(
            text=f"Run the container as {owner or 'HwHiAiUser'}, the nodes' owner, or add its group by the number "
            "that it has on the host.",
            command='docker run --group-add "$(getent group HwHiAiUser | cut -d: -f3)" IMAGE',
            action="admin",
        )
        return
    yield fix(specs, "ascend", "join-group")
    yield fix(specs, "ascend", "group-in-container")
    if facts.stated("npu-works-as-root-only") or any("dcmi" in fact.text.lower() for fact in facts.stated(*_REFUSED)):
        yield fix(specs, "ascend", "dcmi-of-root")
