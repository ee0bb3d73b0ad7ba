"""Signs that a snapshot is about Kunlunxin's hardware at all."""

from typing import TYPE_CHECKING

from accel.contract.check import Evidence, applies
from accel_kunlun import VENDOR
from accel_kunlun.model import KunlunDevice

if TYPE_CHECKING:
    from accel.facts.questions import Facts
    from accel.model.report import Event


def need_kunlun(facts: "Facts") -> tuple[KunlunDevice, ...]:
    """Return the devices; end the check as skipped where nothing tells of one."""
    told = any(report.devices or report.events or report.driver for report in facts.reports(VENDOR.name))
    applies(told, "nothing here tells of Kunlunxin's hardware")
    return tuple(device for device in facts.of(VENDOR.name) if isinstance(device, KunlunDevice))


def quoted(event: "Event") -> Evidence:
    """Return an event's sentence as evidence."""
    return Evidence(fact=event.name, value=event.message[:200], source=event.source)
