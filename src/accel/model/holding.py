"""Processes and the devices that they use."""

from typing import Literal

from accel.model.dataclass import dataclass
from accel.model.device import Gap

State = Literal["running", "sleeping", "blocked", "stopped", "zombie", "idle", "ended"]


@dataclass(frozen=True, slots=True, kw_only=True)
class RunningProcess:
    """A process. Only pid and start_ticks together identify it, because process ids are reused.

    name            the program: "python3"
    user            name, or number if the name is unknown
    command         its arguments; () for a kernel thread; None if unknown
    started_at      ISO 8601, UTC
    start_ticks     the same as the kernel counts it: 100 per second since boot
    state           "blocked": uninterruptible (D); "zombie": ended, but not reaped by its parent
    waits_in        the kernel function that a blocked process waits in, a driver's if one is on the stack:
                    "uvm_va_space_down_write"
    waits_in_module the kernel module of that function: "nvidia_uvm"
    stuck           it was blocked in two samples a second apart and did not run in between; None: not sampled
    threads         number of threads
    memory_bytes    host memory in use
    role            what a vendor's own service is, for people: "MPS server"; None: it is not one
    container       the container's id; container_name, engine ("docker", "containerd", "podman", …)
    pod_uid, pod, pod_namespace   in Kubernetes
    scheduler, job, job_step      of a batch job: "slurm", "1234", "0"
    ray_job, ray_task             in Ray; a task is "train_step" or "Trainer.fit"
    unit            the systemd unit that started it: "docker.service", "session-3.scope"
    """

    pid: int
    parent_pid: int | None = None
    name: str | None = None
    user: str | None = None
    command: tuple[str, ...] | None = None
    started_at: str | None = None
    start_ticks: int | None = None
    state: State | None = None
    waits_in: str | None = None
    waits_in_module: str | None = None
    stuck: bool | None = None
    threads: int | None = None
    memory_bytes: int | None = None
    role: str | None = None
    container: str | None = None
    container_name: str | None = None
    engine: str | None = None
    pod_uid: str | None = None
    pod: str | None = None
    pod_namespace: str | None = None
    scheduler: str | None = None
    job: str | None = None
    job_step: str | None = None
    ray_job: str | None = None
    ray_task: str | None = None
    unit: str | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class Holder:
    """A process that uses a device.

    device        the device's id; None if it only has nodes open that belong to no particular device
    backend       of the device or the node
    memory_bytes  its memory on that device; None if unknown
    nodes         nodes in /dev that it has open; () if none are seen
    watches       it has no node open that gives access to device memory: it only monitors
    listed        whether the vendor's driver lists it on that device; None if the driver could not be asked
    """

    backend: str
    process: RunningProcess
    device: str | None = None
    memory_bytes: int | None = None
    nodes: tuple[str, ...] = ()
    listed: bool | None = None
    watches: bool = False


@dataclass(frozen=True, slots=True, kw_only=True)
class Holdings:
    """Which processes use the devices of a machine.

    holders         by device, then by memory in descending order
    looked_into     number of processes inspected
    closed          number of processes that this user may not inspect
    unread          number of processes for which there was no time
    own_namespace   processes outside this container cannot be seen at all
    gaps            what is unknown about them, and why
    """

    holders: tuple[Holder, ...] = ()
    looked_into: int = 0
    closed: int = 0
    unread: int = 0
    own_namespace: bool | None = None
    gaps: tuple[Gap, ...] = ()

    @property
    def sees_everybody(self) -> bool:
        """Whether every process that uses a device is among the holders."""
        return not self.closed and not self.unread and self.own_namespace is False
