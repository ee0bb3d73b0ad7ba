from typing import Final

from accel.vendors.contract.check import Facts, Problem, Problems, Remedy, Specs, check, quoted
from accel_nvidia import around

_FAILS: Final = ("launch-timed-out", "cuda-failed-at-work")
_RESETS: Final = ("display-driver-reset", "tdr-delay-named")


@check(
    code="NV100",
    name="windows-tdr-timeout",
    layer="driver",
    family="windows-specific",
    reads=(*_FAILS, *_RESETS, "cuda-unknown-error", *around.AROUND),
    needs=("run.program",),
)
def windows_tdr_timeout(facts: Facts, specs: Specs) -> Problems:
    """A kernel ran longer than Windows' display driver timeout (two seconds by default), so Windows reset the driver.

    Why it matters   The screen goes black briefly, and the program's calls fail: 702, 719 or 999 after some work.
    What to do       Raise TdrDelay, shorten the kernels, or use a GPU that drives no screen (TCC or MCDM).
    Looks at         errors 702, 719 and 999 of calls that wait for work; nvlddmkm events; TdrDelay; a black screen
    Silent when      the error comes at CUDA initialization, or the text shows neither Windows nor a reset
    Source           Microsoft: TDR registry keys; CUDA driver API: CUDA_ERROR_LAUNCH_TIMEOUT
    """
    fails, resets = facts.stated(*_FAILS), facts.stated(*_RESETS)
    timed_out = facts.stated("launch-timed-out")
    if facts.host.system == "linux" and not facts.on_wsl:
        return
    reset = around.on_windows(facts) and any("stopped responding" in fact.text.lower() for fact in resets)
    reset = reset or any(fact.value("certain") for fact in resets)
    late = timed_out and (around.on_windows(facts) or resets)
    if not (late or reset or (resets and (fails or facts.stated("cuda-unknown-error")))):
        return
    yield Problem(
        title="Windows reset the display driver: a kernel ran longer than the timeout (TDR) allows",
        evidence=quoted((*fails[:2], *resets[:2])),
        remedies=(
            Remedy(
                text="Increase the timeout: TdrDelay in seconds, as an administrator; then restart Windows.",
                command="reg add HKLM\\SYSTEM\\CurrentControlSet\\Control\\GraphicsDrivers /v TdrDelay /t REG_DWORD "
                "/d 60 /f",
                action="admin",
            ),
            Remedy(
                text="Or split the work into shorter kernels, or compute on a GPU that drives no display.",
                action="app",
            ),
        ),
    )
