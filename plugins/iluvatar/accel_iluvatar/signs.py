"""Signs that a snapshot is about Iluvatar's hardware at all."""

from typing import TYPE_CHECKING

from accel.contract.check import Evidence, applies
from accel_iluvatar import VENDOR
from accel_iluvatar.model import IluvatarDevice

if TYPE_CHECKING:
    from accel.facts.questions import Facts
    from accel.model.report import Event


def need_iluvatar(facts: "Facts") -> tuple[IluvatarDevice, ...]:
    """Return the devices; end the check as skipped where nothing tells of one."""
    told = any(report.devices or report.events or report.driver for report in facts.reports(VENDOR.name))
    applies(told, "nothing here tells of Iluvatar's hardware")
    return tuple(device for device in facts.of(VENDOR.name) if isinstance(device, IluvatarDevice))


def quoted(event: "Event") -> Evidence:
    """Return an event's sentence as evidence."""
    return Evidence(fact=event.name, value=event.message[:200], source=event.source)
