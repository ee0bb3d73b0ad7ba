"""Processes, and which devices they hold."""

from typing import Literal

from accel.model.dataclass import dataclass
from accel.model.device import Gap

State = Literal["running", "sleeping", "blocked", "stopped", "zombie", "idle", "ended"]


@dataclass(frozen=True, slots=True, kw_only=True)
class RunningProcess:
    """A process, as far as it is known. pid and start_ticks together name it: a pid alone is given away again.

    name            the program: "python3"
    user            by name, or by number where no name is known
    command         its words; () of a kernel thread; None if not known
    started_at      ISO 8601 in UTC; start_ticks: the same as the kernel counts, 100 a second from the machine's start
    state           "blocked": uninterruptible (D); "zombie": ended, and its parent has not asked how
    waits_in        the function of the kernel that a blocked one waits in, of a driver where one is on its stack:
                    "uvm_va_space_down_write"; waits_in_module: the kernel module of it, "nvidia_uvm"
    stuck           it was blocked at two looks a second apart, and did not run between them; None: it was not asked
    threads         how many it has; memory_bytes: of the host, in use
    role            what a vendor's own service is, for people: "MPS server"; None: no such service
    container       its id, as the engine has it; container_name, engine ("docker", "containerd", "podman", …)
    pod_uid, pod, pod_namespace   of Kubernetes
    scheduler, job, job_step      a batch job: "slurm", "1234", "0"
    ray_job, ray_task             of Ray; a task is "train_step" or "Trainer.fit"
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
    """A process that holds a device.

    device        the device's id; None where it has only nodes open that belong to no one device
    backend       of the device or of the node
    memory_bytes  what it holds on that device; None if not known
    nodes         of /dev, that it has open; () where none is seen
    watches       it has no node open through which a process gets memory of the device: it only asks
    listed        whether the vendor's driver lists it on that device; None where the driver could not be asked
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
    """Who holds the devices of a machine.

    holders         by device, then by memory, the most first
    looked_into     how many processes were looked into; closed: how many this user may not look into; unread: how many
                    there was no time for
    own_namespace   processes outside this container are not seen at all
    gaps            what is not known of them, and why
    """

    holders: tuple[Holder, ...] = ()
    looked_into: int = 0
    closed: int = 0
    unread: int = 0
    own_namespace: bool | None = None
    gaps: tuple[Gap, ...] = ()

    @property
    def sees_everybody(self) -> bool:
        """Whether who is not among the holders holds nothing."""
        return not self.closed and not self.unread and self.own_namespace is False
