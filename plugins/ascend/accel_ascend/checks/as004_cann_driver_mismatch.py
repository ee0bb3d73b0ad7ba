from accel.model.observation import Fact
from accel.vendors.contract.check import Evidence, Facts, Problem, Problems, Remedy, Specs, applies, check, need, quoted
from accel.vendors.toolkit.table_steps import fix
from accel_ascend.compatibility import DriverWindow, driver_window
from accel_ascend.concern import cann_version, chips, driver_version, only_on_ascend
from accel_ascend.versions import matches, order

_STARTS = ("acl-device-start-failed", "npu-resources-busy")
_SAYS = ("cann-wants-newer-driver", "cann-driver-version-sentence", "cann-verify-failed")
_NARROWER = (
    *(
        "npu-smi-device-used",
        "npu-use-elsewhere-said",
        "npu-smi-dcmi-failed",
        "npu-last-process-running",
        "npu-node-denied",
    ),
    *("npu-node-closed-to-user", "npu-visible-out-of-range", "npu-driver-library-missing", "npu-node-missing"),
    *("npu-container-set-lacks", "npu-works-as-root-only", "hccl-link-down", "npu-fork"),
)


@check(
    code="AS004",
    name="npu-cann-driver-mismatch",
    layer="toolkit",
    reads=(*_STARTS, *_SAYS, *_NARROWER, "ascend-version-file", "ascend-named"),
    needs=("ascend.driver.version",),
)
def npu_cann_driver_mismatch(facts: Facts, specs: Specs) -> Problems:
    """The driver is older, or much newer, than the CANN toolkit accepts.

    Why it matters   The runtime fails when it opens a chip (507033, 507899, EL0005), often without naming a version.
    What to do       Install the driver and firmware for that CANN on the host, or a CANN (or image) for the driver.
    Looks at         the driver version; the CANN version; the vendor's driver range for it; an error when a chip is
                     opened; CANN's messages about the driver
    Silent when      either version is unknown and the chip works; a more specific cause is reported; the table lacks
                     this CANN; the chip is a 950, whose driver versions differ
    Source           specs/ascend/compatibility.yaml; github.com/vllm-project/vllm-ascend/issues/5468;
                     github.com/gpustack/gpustack/issues/755; github.com/PaddlePaddle/Paddle/issues/68865
    """
    only_on_ascend(facts)
    applies(
        not any(chip.architecture == "ascend950" for chip in chips(facts)),
        ("950 drivers use a different version scheme"),
    )
    said, starts = facts.stated(*_SAYS), facts.stated(*_STARTS)
    narrower = bool(facts.stated(*_NARROWER))
    cann, driver = cann_version(facts), driver_version(facts)
    applies(cann is not None or bool(said), "no version of CANN found")
    window = driver_window(specs, cann) if cann else None
    if driver is None and (said or (starts and cann and not narrower)):
        yield _unread(cann, window, (*said, *starts), specs)
        return
    if said:
        yield _certain(cann, driver, window, said)
        return
    driver = need(driver, "driver version")
    window = need(window, f"the drivers that CANN {cann} accepts")
    failed = bool(starts) and not narrower
    admitted = window.admits(driver)
    unlike = not matches(driver, window.recommended)
    if admitted is not False and not (
        failed and unlike and (order(driver) < order(window.recommended) or _ahead(window, driver))
    ):
        return
    yield _certain(cann, driver, window, starts)


def _ahead(window: DriverWindow, driver: str) -> bool:
    return window.highest is not None and order(driver) > order(window.highest) and not matches(driver, window.highest)


def _certain(cann: str | None, driver: str | None, window: DriverWindow | None, told: tuple[Fact, ...]) -> Problem:
    newer = window is not None and driver is not None and _ahead(window, driver)
    if cann is None or window is None:
        title = f"Driver {driver} does not match CANN{f' {cann}' if cann else ''}, as CANN itself reports"
        detail = None
    else:
        title = f"Driver {driver} is {'newer' if newer else 'older'} than CANN {cann} accepts"
        detail = f"CANN {window.cann} is released with driver {window.recommended}; it accepts {_range(window)}" + (
            "." if window.published else ", according to the vendor's four-release rule."
        )
    published = window is not None and window.published
    evidence = tuple(
        Evidence(fact=name, value=value)
        for name, value in (("driver_version", driver), ("CANN version", cann))
        if value
    )
    return Problem(
        title=title,
        detail=detail,
        severity="error" if published or told else "warning",
        evidence=(*evidence, *quoted(told)),
        remedies=_remedies(window, newer),
    )


def _unread(cann: str | None, window: DriverWindow | None, told: tuple[Fact, ...], specs: Specs) -> Problem:
    """Return the problem of a chip that does not initialize, if the driver version is unknown."""
    of = f" {cann}" if cann else ""
    verb = "wants" if any(fact.name in _SAYS for fact in told) else "may want"
    takes = f" takes {_range(window)}" if window else f" {verb} another driver"
    evidence = (Evidence(fact="CANN version", value=cann),) if cann else ()
    return Problem(
        title=f"The chip does not start: the driver may not match CANN{of}",
        detail=f"CANN{of}{takes}. The text does not say which driver is installed.",
        evidence=(*quoted(told), *evidence),
        remedies=(
            fix(specs, "ascend", "driver-versions-on-host"),
            *_remedies(window, newer=False),
        ),
    )


def _range(window: DriverWindow) -> str:
    lowest = window.lowest or window.recommended
    return f"drivers from {lowest} to {window.highest}" if window.highest else f"drivers from {lowest} on"


def _remedies(window: DriverWindow | None, newer: bool) -> tuple[Remedy, ...]:
    image = Remedy(text="Use a CANN toolkit, or a container image, from the driver's release.", action="env")
    driver = Remedy(
        text=f"Install driver and firmware {window.recommended} on the host, then restart it."
        if window
        else "Install the driver and firmware that CANN's release notes name on the host, then restart it.",
        action="admin",
    )
    return (image, driver) if newer else (driver, image)
