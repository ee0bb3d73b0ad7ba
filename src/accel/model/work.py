"""What a program did on the processor while devices were watched: the counters of one moment, and what does not change.

Counters only rise; what happened between two moments is their difference (accel.watch.advise.steps). None: not known.
"""

from accel.model.dataclass import dataclass


@dataclass(frozen=True, slots=True, kw_only=True)
class ProcessWork:
    """One process of the program.

    cpu_seconds       of all its threads, since it began; thread_seconds: of each thread, by its number
    running, blocked  threads that run or want to, and threads in an uninterruptible wait
    read_bytes, written_bytes   from and to storage; None where that is its user's and root's alone
    waits_in          the kernel's function in which its first thread sleeps; None where it runs or that is not shown
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

    processes   the program's, its first one first; () if it has ended
    stalled_*_seconds   in which some task of its control group, or else of the machine, waited for that resource
    periods, throttled_periods   of its control groups' share of processor time: how often it ran out
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
    """A file that the program has open for data. system: of the mount that it is on, "nfs4", "ext4", "overlay"."""

    path: str
    system: str | None = None
    size_bytes: int | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class Program:
    """What of the program does not change while it is watched.

    pid           of its first process; command: the words of it, as far as they may be read
    cpus          that it may run on at once: by affinity, and by the control groups' share where that is less
    share_cpus    the control groups' share alone; None: there is none
    variables     those of its variables that say how it computes; None where they may not be read
    files         data files that are open, the largest first; None where they may not be seen
    """

    pid: int
    name: str | None = None
    command: tuple[str, ...] | None = None
    cpus: float | None = None
    share_cpus: float | None = None
    variables: tuple[tuple[str, str], ...] | None = None
    files: tuple[DataFile, ...] | None = None
