"""This user may not open the device nodes of the chips."""

from collections.abc import Iterator

from accel.contract.check import Problem, Remedy, check
from accel.facts.questions import Facts
from accel.specs import Specs
from accel_ascend.concern import only_on_ascend, said


@check(code="AS005", name="npu-device-permission", layer="access", family="device-permission")
def npu_device_permission(facts: Facts, specs: Specs) -> Iterator[Problem]:
    """This user may not open the device nodes of the chips.

    Why it matters   The runtime then finds no device, or fails with 207006 or -8005.
    What to do       Add the user to the group HwHiAiUser, which owns the nodes; in a container add that group's
                     number.
    Looks at         access to /dev/davinci<N>, davinci_manager, devmm_svm and hisi_hdc; refusals in texts; the
                     runtime's 207006
    Silent when      no refusal was seen
    Source           github.com/vllm-project/vllm-ascend/issues/9490; torch_npu NPUErrorCodes.h
    """
    only_on_ascend(facts)
    events = facts.events("npu-node-denied") + tuple(
        event for event in facts.events("acl-error") if event.value("code") == "207006"
    )
    if not events:
        return
    yield Problem(
        title="This user may not open the Ascend device nodes",
        detail="The nodes belong to HwHiAiUser:HwHiAiUser with mode 0660.",
        evidence=tuple(said(event) for event in events),
        remedies=(
            Remedy(
                text="Add the user to the group, and log in again",
                command="sudo usermod -a -G HwHiAiUser $USER",
                action="admin",
            ),
            Remedy(
                text="In a container, add the group by its number on the host",
                command="docker run --group-add $(getent group HwHiAiUser | cut -d: -f3) …",
                action="app",
            ),
        ),
    )
