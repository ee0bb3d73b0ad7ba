"""`accel.pick`: free devices for this process or one that it starts."""

import warnings
from typing import TYPE_CHECKING

from accel.apps import api

if TYPE_CHECKING:
    from accel.watch.choose.choice import Choice


def pick(
    count: int = 1,
    *,
    min_free_bytes: int | None = None,
    min_free_share: float | None = None,
    max_use_percent: float = 50.0,
    dtype: str | None = None,
    compute_capability: str | None = None,
    vendor: str | None = None,
    kind: str | None = None,
    partition: bool | None = None,
    unused: bool = False,
    wait_seconds: float = 0.0,
    hold: bool = False,
) -> "Choice":
    """Return the best free devices of one vendor, and the variables that restrict a program to them.

    Sets nothing: call  os.environ.update(accel.pick(2).environment)  before importing torch, JAX or CANN, or pass the
    variables to a new process. Masks that are already set are respected; devices reserved by `accel run` are skipped.

    min_free_bytes   free memory of each; min_free_share: fraction of its total memory, 0 to 1. Without both: half of
                     it, or no process on the device
    max_use_percent  maximum utilisation; 100: any
    dtype            a format that its architecture computes in: "bf16"; compute_capability: at least this, "8.0"
    vendor, kind     "nvidia"; "gpu", "npu" or "tpu"
    partition        True: only partitions such as MIG instances; False: only whole devices; None: whole ones first
    unused           no process holds it
    wait_seconds     how long to wait until something fits
    hold             reserve the devices against others that choose with accel until this process and its forks end

    An unknown value never counts as free. Raises RequirementUnmet, whose `reasons` say why each device was rejected,
    and BadInput for an unknown vendor, kind or dtype.
    """
    from accel.machine.live import LiveMachine
    from accel.watch.choose.fitness import Wanted
    from accel.watch.choose.leases import Leases
    from accel.watch.choose.picking import pick as picked
    from accel.watch.choose.picking import seen_here

    machine, registry = api._machine(), api._registry()
    isolate, timeout_seconds = api._way(None, None)
    leases = Leases(machine) if isinstance(machine, LiveMachine) else None
    choice, _ = picked(
        Wanted(
            count=count,
            min_free_bytes=min_free_bytes,
            min_free_share=min_free_share,
            max_use_percent=max_use_percent,
            dtype=dtype,
            compute_capability=compute_capability,
            vendor=vendor,
            kind=kind,
            partition=partition,
            unused=unused,
        ),
        registry,
        machine.environment,
        look=lambda: seen_here(machine, registry, several=count > 1, isolate=isolate, timeout_seconds=timeout_seconds),
        leases=leases,
        hold="python" if hold else None,
        wait_seconds=wait_seconds,
    )
    if leases is not None:
        leases.close()
    if hold and leases is not None and leases.trouble is not None:
        warnings.warn(
            (f"no lease is held, so another process may choose the same devices: {leases.trouble}"), stacklevel=2
        )
    return choice
