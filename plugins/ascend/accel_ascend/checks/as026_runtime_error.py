from accel.vendors.contract.check import Facts, Problem, Problems, Specs, check, quoted
from accel.vendors.toolkit.table_steps import fixes

_CAUSES = (
    *("npu-driver-not-loaded", "npu-driver-not-answering", "npu-cann-driver-mismatch", "npu-device-permission"),
    *("npu-device-used-elsewhere", "npu-container-without-devices", "npu-unhealthy", "npu-lost-card", "npu-ecc-error"),
    *("npu-memory-taken", "npu-hidden", "npu-cann-environment-not-set", "npu-cann-too-old", "npu-fork-after-start"),
    *("npu-cann-python-packages-missing", "npu-hccl-problem", "npu-hccl-port-in-use", "npu-link-down"),
    *("npu-cann-kernels-missing", "npu-package-for-other-chip", "npu-chip-not-supported", "npu-nnal-mismatch"),
    *("npu-torch-npu-too-old", "npu-torch-npu-mismatch", "npu-triton-conflict", "numpy-too-new"),
)

_MENDED = ("hardware", "driver", "access")  # of these layers


@check(
    code="AS026",
    name="npu-runtime-error",
    layer="application",
    severity="warning",
    reads=("acl-error",),
    needs=("run.program",),
    requires=_CAUSES,
)
def npu_runtime_error(facts: Facts, specs: Specs) -> Problems:
    """The CANN runtime returned an error.

    Why it matters   Most programs print only the number; the runtime's own log names the cause.
    What to do       Look up the number; then read the first ERROR in the runtime's log.
    Looks at         runtime error numbers about the chip, the driver or permissions
    Silent when      there is none; another check names the cause; the number is about a program or CANN in general
                     (500001), which alone proves nothing
    Source           CANN acl_base_rt.h and rt_error_codes.h; Ascend/pytorch NPUErrorCodes.h
    """
    told = {code: fact for fact in facts.stated("acl-error") if (code := fact.value("code"))}
    for code, fact in told.items():
        layer = specs.errors.layer("acl", code)
        if layer not in _MENDED:
            continue
        yield Problem(
            title=f"The CANN runtime returned {code}: {specs.errors.meaning('acl', code) or 'see its log'}",
            evidence=quoted((fact,)),
            remedies=fixes(specs, "ascend", f"runtime-error-{layer}", "runtime-log"),
        )
