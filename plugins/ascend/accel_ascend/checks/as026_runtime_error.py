"""The CANN runtime returned an error."""

from collections.abc import Iterator

from accel.contract.check import Problem, Remedy, check
from accel.facts.questions import Facts
from accel.specs import Specs
from accel_ascend.concern import only_on_ascend, said

_MEANINGS = {
    "107001": "the device number is not one of this process's devices",
    "107002": "no context: the runtime was used before a device was set, or after a fork",
    "207000": "the feature is not supported: CANN or the driver is too old for it",
    "207001": "memory could not be allocated",
    "207004": "the device is not available: hidden, or lost",
    "207006": "this user may not do that",
    "207008": "the stream resources are used up: too many captured graphs or streams",
    "207018": "the device's memory is used up",
    "500001": "an internal error at start: the environment is not complete",
    "507008": "the chip's type could not be asked: driver and CANN do not fit",
    "507010": "the chip's task scheduler gives no sign of life",
    "507018": "an operator failed on the AI CPU: its kernels may not fit",
    "507033": "the chip did not start: driver, firmware and CANN do not fit",
    "507899": "the driver failed inside: it may be older than CANN accepts",
    "507901": "the session between host and chip broke: the chip was reset under the job",
}


@check(
    code="AS026",
    name="npu-runtime-error",
    layer="application",
    explained_by=(
        "npu-driver-not-loaded",
        "npu-driver-not-answering",
        "npu-cann-driver-mismatch",
        "npu-device-permission",
        "npu-device-used-elsewhere",
        "npu-container-without-devices",
        "npu-unhealthy",
        "npu-lost-card",
        "npu-memory-taken",
        "npu-hidden",
        "npu-cann-environment-not-set",
        "npu-cann-too-old",
        "npu-cann-python-packages-missing",
        "npu-hccl-problem",
    ),
)
def npu_runtime_error(facts: Facts, specs: Specs) -> Iterator[Problem]:
    """The CANN runtime returned an error.

    Why it matters   The number is all that most programs print; the cause is named in the runtime's own log.
    What to do       See what the number means; then read the first ERROR of the runtime's log.
    Looks at         error numbers of the runtime in texts
    Silent when      none was printed; another check names the cause and then explains this
    Source           github.com/Ascend/pytorch torch_npu/csrc/core/npu/NPUErrorCodes.h
    """
    only_on_ascend(facts)
    codes = {code: event for event in facts.events("acl-error") if (code := event.value("code"))}
    for code, event in codes.items():
        yield Problem(
            title=f"The CANN runtime returned {code}: {_MEANINGS.get(code, 'see its log')}",
            evidence=(said(event),),
            remedies=(
                Remedy(
                    text="Read the first error of the runtime's log",
                    command="grep -rh ERROR ~/ascend/log/debug/plog | head",
                ),
            ),
        )
