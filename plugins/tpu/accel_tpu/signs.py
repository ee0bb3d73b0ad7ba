"""Signs that a machine has a TPU. JAX complains of a missing TPU on every CPU and GPU machine: that is none."""

from collections.abc import Iterable
from typing import TYPE_CHECKING, Final

from accel.contract.check import Evidence, applies

if TYPE_CHECKING:
    from accel.facts.questions import Facts
    from accel.model.report import Event

_NODES: Final = ("tpu-node-busy", "tpu-node-refused", "tpu-node-missing")
_TELLING: Final = (*_NODES, "tpu-seen-without-libtpu", "tpu-in-use", "tpu-hugepages-off", "tpu-metrics-unavailable")
_VARIABLES: Final = ("TPU_ACCELERATOR_TYPE", "TPU_WORKER_ID", "TPU_WORKER_HOSTNAMES", "TPU_NAME", "CLOUD_TPU_TASK_ID")
NO_TPU: Final = "nothing here tells of a TPU"


def tpu_seen(facts: "Facts") -> bool:
    """Whether anything tells of a TPU: a device, a sentence about one, a variable that Cloud sets on TPU machines."""
    return bool(facts.of("tpu") or facts.events(*_TELLING) or any(facts.variable(name) for name in _VARIABLES))


def tpu_asked_for(facts: "Facts") -> bool:
    """Whether a program that asked for a TPU by name died of not getting it: else JAX only logs the failure."""
    return any(event.value("raised") for event in facts.events("tpu-backend-failed"))


def need_tpu(facts: "Facts") -> None:
    """End the check as skipped where nothing tells of a TPU."""
    applies(tpu_seen(facts), NO_TPU)


def need_tpu_or_wish(facts: "Facts") -> None:
    """End the check as skipped where nothing tells of a TPU, and no program insisted on one."""
    applies(tpu_seen(facts) or tpu_asked_for(facts), NO_TPU)


def quoted(events: "Iterable[Event]") -> tuple[Evidence, ...]:
    """Return the events' sentences as evidence, each once."""
    seen = dict.fromkeys((event.name, event.message.strip(), event.source) for event in events)
    return tuple(Evidence(fact=name, value=message, source=source) for name, message, source in list(seen)[:4])


def with_nodes(facts: "Facts", paths: Iterable[str | None]) -> tuple[str, ...]:
    """Return the ids of the devices that have one of these nodes."""
    wanted = set(paths) - {None}
    return tuple(d.id for d in facts.of("tpu") if getattr(d, "device_path", None) in wanted)
