"""What is known to work, in one line, so that "No fault found" says what was checked."""

from collections.abc import Iterator
from itertools import combinations
from typing import Final

from accel.apps.render.diagnosis_words import device_summary
from accel.facts.questions import Facts
from accel.model.device import Device
from accel.model.diagnosis import Diagnosis
from accel.model.environment import Framework
from accel.model.observation import Observation
from accel.model.snapshot import Snapshot
from accel.specs import Specs
from accel.specs.paths import PathWords

_LOG: Final = "kernel log"
_READINGS: Final = ("memory_used_bytes", "temperature_celsius", "power_watts", "utilization_percent")
_FABRICS: Final = {"NV": "NVLink"}  # common names for what tools abbreviate
# The checks that say whether a framework's build supports this driver and these devices.
_FIT: Final = {"cuda": ("driver-too-old", "gpu-arch-not-in-build"), "rocm": ("rocm-arch-unsupported",)}


def health_words(diagnosis: Diagnosis, snapshot: Snapshot, specs: Specs | None) -> str:
    """Return "8 × H100 answer · driver 570.124.06 (serves CUDA 12.8) · …" for what is known to work; "" if nothing is.

    specs  determines which links belong to a fabric; None: links are left out
    """
    facts = Facts(snapshot)
    return " · ".join(
        (
            *_devices(diagnosis, facts.live),
            *_drivers(facts),
            *(_links(facts, specs) if specs is not None else ()),
            *(_kernel_log(facts) if facts.live else ()),
            *_frameworks(diagnosis, facts),
        )
    )


def _devices(diagnosis: Diagnosis, live: bool) -> Iterator[str]:
    whole = [device for device in diagnosis.devices if device.kind != "cpu" and device.is_top_level]
    if whole:
        verb = "found" if not all(map(_answers, whole)) else "answers" if len(whole) == 1 else "answer"
        yield f"{device_summary(whole)} {verb}" if live else device_summary(whole)


def _answers(device: Device) -> bool:
    return any(getattr(device, reading) is not None for reading in _READINGS)


def _drivers(facts: Facts) -> Iterator[str]:
    for backend in dict.fromkeys(device.backend for device in facts.accelerators):
        driver = facts.driver(backend)
        if driver is not None and driver.version is not None:
            cuda = (
                (f" (supports CUDA {driver.toolkit_version})") if driver.toolkit_version and backend == "nvidia" else ""
            )
            yield f"driver {driver.version}{cuda}"


def _links(facts: Facts, specs: Specs) -> Iterator[str]:
    """Yield how many pairs of devices a fabric connects, from the source that lists the most of them."""
    words = PathWords(specs)
    best: tuple[int, str, int] | None = None
    for report in facts.snapshot.reports:
        ids = {device.id for device in report.devices if device.is_top_level}
        joined = {
            frozenset((link.one, link.other)): link.path
            for link in report.links
            if {link.one, link.other} <= ids and words.of(link.path).kind == "fabric"
        }
        if joined and (best is None or len(joined) > best[0]):
            name = next(iter(joined.values())).rstrip("0123456789")
            best = (len(joined), _FABRICS.get(name, name), len(list(combinations(ids, 2))))
    if best is not None:
        yield f"{best[1]} {best[0]} of {best[2]} pairs"


def _kernel_log(facts: Facts) -> Iterator[str]:
    unread = facts.host.system != "linux" or any(gap.fact == _LOG for gap in facts.gaps)
    if facts.of("nvidia") and not unread and not any(_is_xid(one) for one in facts.snapshot.observations):
        yield "no Xid in the last day"


def _is_xid(one: Observation) -> bool:
    return one.source == _LOG and "Xid" in one.text


def _frameworks(diagnosis: Diagnosis, facts: Facts) -> Iterator[str]:
    clear = {one.name for one in diagnosis.clear}
    for framework in facts.environment.frameworks:
        if framework.available:
            yield f"{_build(framework)} sees its device"
        elif framework.built_for in _FIT and clear.issuperset(_FIT[framework.built_for]):
            yield f"{_build(framework)} fits"


def _build(framework: Framework) -> str:
    return " ".join(part for part in (framework.name, framework.version) if part)
