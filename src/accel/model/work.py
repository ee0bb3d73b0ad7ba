"""What a program did on the host while devices were monitored: the counters at one moment, and what does not change.

Counters only increase; the difference of two moments is what happened in between (accel.watch.advise.steps). None means
unknown.
"""

from accel.model.dataclass import dataclass


@dataclass(frozen=True, slots=True, kw_only=True)
class ProcessWork:
    """One process of the program.

    cpu_seconds       of all its threads, since it started; thread_seconds: of each thread, by its id
    running, blocked  number of runnable threads, and of threads in uninterruptible sleep
    read_bytes, written_bytes   from and to storage; None if only its user and root may read them
    waits_in          the kernel function in which its first thread sleeps; None if it runs or this is hidden
    """

    pid: int
    parent_pid: int | None = None
    name: str | None = None
    cpu_seconds: float | None = None
    thread_seconds: tuple[tuple[int, float], ...] = ()
    threads: int | None = None
    running: int | None = None
    blocked: int | None = None
    read_bytes: int | None = None
    written_bytes: int | None = None
    major_faults: int | None = None
    swapped_bytes: int | None = None
    waits_in: str | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class Work:
    """One moment.

    processes   of the program, the first one first; () if it has ended
    stalled_*_seconds   time in which some task of its control group, or else of the machine, waited for that resource
    periods, throttled_periods   of its control group's CPU quota: how often it ran out
    swapped_in_bytes    of the whole machine
    shm_total_bytes, shm_free_bytes   of the /dev/shm that the program sees
    """

    seconds: float
    processes: tuple[ProcessWork, ...] = ()
    stalled_cpu_seconds: float | None = None
    stalled_io_seconds: float | None = None
    stalled_memory_seconds: float | None = None
    periods: int | None = None
    throttled_periods: int | None = None
    swapped_in_bytes: int | None = None
    shm_total_bytes: int | None = None
    shm_free_bytes: int | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class DataFile:
    """A data file that the program has open. system: the type of its file system, "nfs4", "ext4", "overlay"."""

    path: str
    system: str | None = None
    size_bytes: int | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class Program:
    """What does not change about the program while it is monitored.

    pid           of its first process
    command       its arguments, as far as they can be read
    cpus          CPUs that it can use at once: by affinity, and by its control group's quota if that is less
    share_cpus    its control group's quota alone; None: there is none
    variables     its environment variables that affect how it computes; None if they cannot be read
    files         open data files, the largest first; None if they cannot be seen
    """

    pid: int
    name: str | None = None
    command: tuple[str, ...] | None = None
    cpus: float | None = None
    share_cpus: float | None = None
    variables: tuple[tuple[str, str], ...] | None = None
    files: tuple[DataFile, ...] | None = None
