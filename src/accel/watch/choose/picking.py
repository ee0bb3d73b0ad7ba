"""Chooses devices of this machine: reads them, leaves out reserved ones, and waits if asked to."""

import time
from collections.abc import Callable, Mapping, Sequence
from typing import TYPE_CHECKING, Final

from accel.model.dataclass import dataclass
from accel.model.device import Device
from accel.model.errors import RequirementUnmet, in_words
from accel.vendors.contract.backend import Mask
from accel.vendors.toolkit.masking import not_told
from accel.watch.choose.choice import Candidates, Choice
from accel.watch.choose.fitness import Wanted, check_wanted
from accel.watch.choose.nearness import NOT_KNOWN, Near, Way, nearness

if TYPE_CHECKING:
    from accel.machine.protocol import Machine
    from accel.model.device import Device, Gap
    from accel.model.report import Report
    from accel.model.wiring import Wiring
    from accel.plugins.registry import Registry
    from accel.vendors.contract.backend import Backend
    from accel.watch.choose.choice import Masker
    from accel.watch.choose.leases import Lease, Leases


_FIRST_PAUSE_SECONDS: Final = 0.5
_LONGEST_PAUSE_SECONDS: Final = 5.0


@dataclass(frozen=True, slots=True, kw_only=True)
class Seen:
    """The devices of a machine at one moment, and how close they are. failed: what could not be read, for people."""

    devices: "tuple[Device, ...]"
    near: Near
    failed: tuple[str, ...] = ()


def seen_here(
    machine: "Machine", registry: "Registry", *, several: bool, isolate: bool, timeout_seconds: float
) -> Seen:
    """Read this machine's devices and what may prevent their use; if several are wanted, also their connections."""
    from accel.collect.live import Gathering, plugin_gaps
    from accel.model.merge import merged_devices

    gathering = Gathering(
        machine, registry, depth="health", isolate=isolate, timeout_seconds=timeout_seconds, wiring=several
    )
    found = gathering.reports()
    gaps: list[Gap] = [gap for report in found if report.status == "failed" for gap in report.gaps]
    gaps += [gap for report in found for gap in report.gaps if gap.source in ("probe", "time")]
    gaps += plugin_gaps(registry)
    failed = dict.fromkeys(f"{gap.device or gap.backend or gap.source}: {gap.reason}" for gap in gaps)
    near = joined(registry, gathering.wiring, found) if several else _alone
    return Seen(devices=merged_devices(found)[0], near=near, failed=tuple(failed))


def joined(registry: "Registry", wiring: "Wiring | None", reports: "Sequence[Report]") -> Near:
    """Return how close devices are, from everything known about their links."""
    links = [link for report in reports for link in report.links]
    return nearness(registry.specs.table("system/paths"), wiring, links)


def _alone(one: "Device", other: "Device") -> Way:
    return NOT_KNOWN


def pick(
    wanted: Wanted,
    registry: "Registry",
    variables: Mapping[str, str],
    *,
    look: Callable[[], Seen],
    leases: "Leases | None" = None,
    hold: str | None = None,
    wait_seconds: float = 0.0,
    waiting: Callable[[str], None] = lambda reason: None,
) -> "tuple[Choice, Lease | None]":
    """Return the best devices that fit and are not reserved; with `hold`, the name of a command, reserve them for it.

    variables  environment variables, in which masks may already be set
    waiting    called once with the reason why nothing fits yet

    Raises RequirementUnmet, with the reason for each device, if nothing fits within the time to wait; BadInput for
    requirements that make no sense.
    """
    check_wanted(wanted, () if wanted.vendor is None else _vendors(registry), lambda: registry.specs)
    until, pause = None, _FIRST_PAUSE_SECONDS
    while True:
        seen = look()
        try:
            return _pick(wanted, seen, registry, variables, leases, hold)
        except RequirementUnmet as unmet:
            reason = "\n".join((str(unmet), *(f"  not read: {one}" for one in seen.failed)))
            first = until is None
            until = time.monotonic() + wait_seconds if until is None else until
            left = until - time.monotonic()
            if left <= 0:
                raise RequirementUnmet(reason, reasons=unmet.reasons) from None
        if first:
            waiting(reason)
        time.sleep(min(pause, left))
        pause = min(pause * 1.5, _LONGEST_PAUSE_SECONDS)


def _vendors(registry: "Registry") -> list[str]:
    return sorted({*registry.backend_names.values(), *registry.specs.vendors})


def _pick(
    wanted: Wanted,
    seen: Seen,
    registry: "Registry",
    variables: Mapping[str, str],
    leases: "Leases | None",
    hold: str | None,
) -> "tuple[Choice, Lease | None]":
    devices = seen.devices
    mask = masker(devices, registry, variables)
    candidates = Candidates(devices, wanted, mask=mask, near=seen.near, specs=lambda: registry.specs)
    if leases is None or hold is None:
        return candidates.choose(leases.taken(devices) if leases is not None else {}), None
    with leases.turn():
        choice = candidates.choose(leases.taken(devices))
        return choice, leases.take(choice.devices, devices, hold)


def masker(devices: Sequence[Device], registry: "Registry", variables: Mapping[str, str]) -> "Masker":
    """Return a function that asks the vendor's plugin for the mask of some devices."""

    def mask(chosen: Sequence[Device]) -> Mask:
        backend = registry.backend(chosen[0].backend)
        if backend is None or not hasattr(backend, "mask"):
            return not_told(chosen[0].backend)
        its_own = [device for device in devices if device.backend == chosen[0].backend]
        try:
            return _proven(backend, chosen, its_own, variables)
        except (Exception, SystemExit) as error:  # a plugin's code may raise anything
            return Mask(refused=f"its plugin broke: {in_words(error)}")

    return mask


def _proven(
    backend: "Backend", chosen: Sequence[Device], devices: Sequence[Device], variables: Mapping[str, str]
) -> Mask:
    """Return the mask if the plugin itself interprets it as showing exactly these devices."""
    answer = backend.mask(chosen, devices, variables)
    if answer.refused is not None:
        return answer
    seen = backend.visible(devices, {**variables, **answer.environment})
    shown = {device.id for device in seen if device.visible}
    if shown == {device.id for device in chosen}:
        return answer
    told = " ".join(f"{name}={value}" for name, value in answer.environment.items())
    return Mask(
        refused=f"its plugin's mask shows other devices than it should ({told or 'none is set'}); please report this"
    )
