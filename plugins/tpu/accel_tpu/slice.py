"""The slice of this host's chips, from variables that Cloud sets for every process of a TPU VM.

    TPU_ACCELERATOR_TYPE=v5litepod-16   TPU_TOPOLOGY=4x4   TPU_WORKER_ID=1   TPU_WORKER_HOSTNAMES=10.0.0.2,10.0.0.3
Source  Cloud TPU and GKE documentation: environment variables of TPU workloads
"""

from collections.abc import Iterator, Mapping, Sequence

from accel.model.device import Device
from accel.model.wiring import Domain


def slices(variables: Mapping[str, str], devices: Sequence[Device]) -> tuple[Domain, ...]:
    """Return the slice; () if nothing indicates one. Host names are counted, not kept."""
    kind = variables.get("TPU_ACCELERATOR_TYPE", "").strip()
    details = tuple(_details(variables))
    if not devices or not (kind or details):
        return ()
    ids = tuple(device.id for device in devices)
    return (Domain(kind="TPU slice", name=kind or None, devices=ids, details=details),)


def _details(variables: Mapping[str, str]) -> Iterator[tuple[str, str]]:
    if topology := variables.get("TPU_TOPOLOGY", "").strip():
        yield "topology", topology
    hosts = [name for name in variables.get("TPU_WORKER_HOSTNAMES", "").split(",") if name.strip()]
    worker = variables.get("TPU_WORKER_ID", "").strip()
    if worker.isdecimal() and len(worker) < 6:
        yield "worker", f"{worker} of {len(hosts)}" if hosts else worker
    elif hosts:
        yield "hosts", str(len(hosts))
