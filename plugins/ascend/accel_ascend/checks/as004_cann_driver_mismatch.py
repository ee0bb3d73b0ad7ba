"""The driver is older than the CANN toolkit accepts."""

from collections.abc import Iterator

from accel.contract.check import Evidence, Problem, Remedy, applies, check, need
from accel.facts.questions import Facts
from accel.specs import Specs
from accel_ascend.compatibility import driver_window
from accel_ascend.concern import cann_version, chips, driver_version, only_on_ascend, said
from accel_ascend.versions import matches, order

_START_CODES = frozenset({"507033", "507899", "507008"})


@check(code="AS004", name="npu-cann-driver-mismatch", layer="toolkit")
def npu_cann_driver_mismatch(facts: Facts, specs: Specs) -> Iterator[Problem]:
    """The driver is older than the CANN toolkit accepts.

    Why it matters   The runtime fails when it opens a chip (507033, 507899, EL0005), often without naming the version.
    What to do       Upgrade the driver and firmware on the host to the release of that CANN, or use a CANN (or image)
                     that accepts the driver.
    Looks at         the driver's version; the version of CANN; the vendor's window of drivers for it
    Silent when      either version is not known; the table does not have this CANN; the chip is a 950, whose drivers
                     are numbered apart
    Source           specs/ascend/compatibility.yaml; github.com/vllm-project/vllm-ascend/issues/5468;
                     github.com/gpustack/gpustack/issues/755
    """
    only_on_ascend(facts)
    applies(not any(chip.architecture == "ascend950" for chip in chips(facts)), "950 drivers are numbered apart")
    cann, driver = cann_version(facts), driver_version(facts)
    applies(cann is not None, "CANN is not spoken of")
    cann = need(cann, "CANN version")
    driver = need(driver, "driver version")
    window = need(driver_window(specs, cann), f"the drivers that CANN {cann} accepts")
    failures = facts.events("npu-device-start-failed", "npu-resources-busy") + tuple(
        event for event in facts.events("acl-error") if event.value("code") in _START_CODES
    )
    admitted = window.admits(driver)
    behind = order(driver) < order(window.recommended) and not matches(driver, window.recommended)
    if admitted is not False and not (failures and behind):
        return
    floor = window.lowest or window.recommended
    yield Problem(
        title=f"Driver {driver} is older than CANN {cann} accepts",
        detail=f"CANN {window.cann} is released with driver {window.recommended}; it takes drivers from {floor} on"
        + ("." if window.published else ", by the vendor's rule of four releases."),
        severity="error" if window.published or failures else "warning",
        evidence=(
            Evidence(fact="driver_version", value=driver),
            Evidence(fact="CANN version", value=cann),
            *(said(event) for event in failures),
        ),
        remedies=(
            Remedy(
                text=f"Install driver and firmware {window.recommended} on the host, then restart it", action="admin"
            ),
            Remedy(text="Or use a CANN toolkit, or a container image, of the driver's own release"),
        ),
    )
