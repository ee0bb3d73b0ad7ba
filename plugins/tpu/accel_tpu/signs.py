"""Signs that a machine has a TPU. JAX's complaint about a missing TPU on every CPU and GPU machine is not one."""

from collections.abc import Iterable
from typing import Final

from accel.vendors.contract.check import Fact, Facts, Specs, applies
from accel_tpu.accelerator_type import AcceleratorType, accelerator_type

TELLING: Final = (
    *("tpu-in-use", "tpu-seen-without-libtpu", "tpu-hugepages-off", "tpu-metrics-unavailable", "tpu-library-loaded"),
    *("tpu-topology-unknown", "tpu-hosts-awaited", "tpu-worker-addresses", "tpu-mentioned", "tpu-type", "tpu-runtime"),
    *("tpu-host-chips", "tpu-backend-raised", "tpu-process-environment"),
)
_VARIABLES: Final = ("TPU_ACCELERATOR_TYPE", "TPU_WORKER_ID", "TPU_WORKER_HOSTNAMES", "TPU_NAME", "CLOUD_TPU_TASK_ID")
NO_TPU: Final = "nothing here mentions a TPU"


def tpu_seen(facts: Facts) -> bool:
    """Return whether anything indicates a TPU: a device, a sentence about one, or a variable that Cloud sets."""
    if facts.of("tpu") or facts.stated(*TELLING) or any(facts.variable(name) for name in _VARIABLES):
        return True
    return (facts.variable("PJRT_DEVICE") or "").upper() == "TPU"


def need_tpu(facts: Facts) -> None:
    """End the check as not applicable if nothing indicates a TPU."""
    applies(tpu_seen(facts), NO_TPU)


def with_nodes(facts: Facts, named: Iterable[Fact]) -> tuple[str, ...]:
    """Return the IDs of the devices whose nodes these facts name."""
    texts = [fact.text for fact in named]
    paths = {d.id: getattr(d, "device_path", None) for d in facts.of("tpu")}
    return tuple(device for device, path in paths.items() if path and any(path in text for text in texts))


def type_here(facts: Facts, specs: Specs) -> AcceleratorType | None:
    """Return this machine's accelerator type; None if none is named, or several with different hosts."""
    variable = facts.variable("TPU_ACCELERATOR_TYPE")
    if variable and (known := accelerator_type(variable, specs)):
        return known
    stated = facts.stated("tpu-type")
    labelled = [fact for fact in stated if fact.value("labelled") == "yes"] or list(stated)
    found = [known for fact in labelled if (known := accelerator_type(fact.value("type") or "", specs))]
    if not found or len({one.one_host for one in found}) > 1:
        return None
    return found[0]


def hosts_here(facts: Facts, specs: Specs) -> int | None:
    """Return how many hosts the slice has: 1 for a single host, 2 for "several"; None if unknown."""
    names = [name for name in (facts.variable("TPU_WORKER_HOSTNAMES") or "").split(",") if name.strip()]
    if len(names) > 1:
        return len(names)
    kind = type_here(facts, specs)
    if kind is not None:
        each = [int(fact.value("chips") or 0) for fact in facts.stated("tpu-host-chips")]
        if each and 0 < each[0] < kind.chips:
            return -(-kind.chips // each[0])
        return kind.hosts if kind.hosts is not None else 2
    if facts.stated("tpu-one-host"):
        return 1
    return 2 if facts.stated("tpu-several-hosts") else None
