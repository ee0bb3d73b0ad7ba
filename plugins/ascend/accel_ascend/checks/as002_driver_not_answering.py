from collections.abc import Iterator
from typing import TYPE_CHECKING, Final

from accel.facts.containers import in_container
from accel.vendors.contract.check import Problem, Remedy, applies, check, quoted
from accel_ascend.concern import chips

if TYPE_CHECKING:
    from accel.facts.questions import Facts
    from accel.specs import Specs

_SAYS = ("npu-smi-dcmi-failed", "npu-smi-board-type-failed", "npu-smi-hung", "npu-smi-no-list")

_RESTART: Final = Remedy(text="Restart the host, which also restarts the firmware and the driver.", action="reboot")
_OF_HOST: Final = Remedy(
    text="On the machine itself: if lsmod lists no drv_ modules, install the running kernel's headers, then the driver "
    "package (HDK) of this chip again.",
    command="sudo bash ./Ascend-hdk-*-npu-driver_*.run --full --install-for-all",
    action="admin",
)
_NODES: Final = Remedy(
    text="In a container: pass /dev/davinci*, davinci_manager, devmm_svm and hisi_hdc to it, and run as their owner or "
    "in their group.",
    action="env",
)


@check(
    code="AS002",
    name="npu-driver-not-answering",
    layer="driver",
    reads=_SAYS,
    needs=("ascend.driver.version",),
    requires=(
        "npu-driver-not-loaded",
        "npu-device-permission",
        "npu-device-used-elsewhere",
        "npu-container-without-devices",
    ),
    explained_by=("npu-lost-card",),
)
def npu_driver_not_answering(facts: "Facts", specs: "Specs") -> Iterator[Problem]:
    """npu-smi reaches no chip: the driver is missing, refuses, or does not respond.

    Why it matters   No program can open a chip if the management library cannot.
    What to do       On the host check npu-smi and dmesg; in a container check its device nodes and mounts.
    Looks at         npu-smi's messages (ret is -8005, -9005), whether it ended and whether it listed chips
    Silent when      npu-smi listed chips; AS001, AS005, AS006 or AS007 names the cause
    Source           gitcode.com/cann/driver npucli; github.com/Project-HAMi/HAMi/issues/1696;
                     github.com/vllm-project/vllm-ascend/issues/2698
    """
    told = facts.stated(*_SAYS)
    applies(not any(chip.npu_id is not None for chip in chips(facts)), "npu-smi listed chips")
    if not told:
        return
    certain = any(fact.name != "npu-smi-no-list" for fact in told)
    hung = any(fact.name == "npu-smi-hung" for fact in told)
    yield Problem(
        title="npu-smi hangs: the driver does not answer" if hung else "npu-smi cannot reach any Ascend chip",
        detail=(
            "A chip's firmware or the driver is stuck, or npu-smi had no CPU cores left to run on."
            if hung
            else "Three causes look alike: the driver is not loaded; this container or user has no device node that it "
            "may open (/dev/davinci<N>, davinci_manager, devmm_svm, hisi_hdc); another container uses the chips."
        ),
        severity="error" if certain else "warning",
        evidence=quoted(told),
        remedies=(
            Remedy(
                text="Check the device nodes and who may open them.",
                command="ls -l /dev/davinci* /dev/devmm_svm /dev/hisi_hdc; id",
                kind="look",
            ),
            Remedy(
                text="On the host, check whether the driver is loaded and healthy.",
                command="lsmod | grep drv_pcie_host; npu-smi info; dmesg | tail -50",
                action="admin",
                kind="look",
            ),
            *(_RESTART,) * hung,
            *(_OF_HOST,) * (not hung and not in_container(facts)),
            *(_NODES,) * (not hung),
        ),
    )
