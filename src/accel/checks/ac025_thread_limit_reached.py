from collections.abc import Iterator
from typing import Final

from accel.checks.stated_limits import lowest
from accel.facts.containers import CONTAINER, in_container
from accel.facts.questions import Facts
from accel.specs import Specs
from accel.vendors.contract.check import Problem, Remedy, check, need, quoted

_LOW: Final = 16384  # a few programs that start a thread per processor reach a limit below this
_HIGH: Final = 131072  # a limit above this is not the exhausted one: that is the control group's, the job's or memory
_LOOK: Final = Remedy(
    text="Check which limit it is: the control group's, or the job's memory, part of which every thread's stack uses.",
    command="cat /sys/fs/cgroup$(cut -d: -f3 /proc/self/cgroup | tail -1)/pids.max; ulimit -v; ulimit -s",
    action="env",
    kind="look",
)


@check(
    code="AC025",
    name="thread-limit-reached",
    layer="access",
    reads=(
        *("thread-limit-hit", "pids-controller-refused", "thread-not-started", "limit-of-processes", "limit-of-pids"),
        *CONTAINER,
    ),
    needs=("run.program",),
    requires=("container-seccomp-blocks-threads",),
)
def thread_limit_reached(facts: Facts, specs: Specs) -> Iterator[Problem]:
    """A thread or a process could not be created, because the user or the control group has reached its limit.

    Why it matters   Each worker starts as many threads as there are processors: 64 of them times 64 is 4096.
    What to do       Start fewer workers with fewer threads each; raise the limit that is reached.
    Looks at         "Resource temporarily unavailable" from calls that create threads; RLIMIT_NPROC, pids.max
    Silent when      the answer is "Operation not permitted": a filter; undecided if it is not printed
    Source           pthread_create(3), getrlimit(2); Linux: cgroup v2, pids
    """
    hit, by_group = facts.stated("thread-limit-hit"), facts.stated("pids-controller-refused")
    unsure = facts.stated("thread-not-started")
    processes, most = lowest(facts, "limit-of-processes")
    group, most_of_group = lowest(facts, "limit-of-pids")
    if not (hit or by_group):
        if not unsure:
            return
        need(next((n for n in (most, most_of_group) if n is not None and n < _LOW), None), "limit of threads or errno")
    unlimited = processes is not None and most is None
    of_group = bool(by_group) or unlimited or (most_of_group is not None and (most is None or most_of_group < most))
    if most is not None and most > _HIGH and not of_group:
        yield Problem(
            title=f"No more threads can be created, although the user may have {most}: another limit is used up",
            evidence=quoted((*hit, *unsure)[:3]) + quoted((processes,) if processes else ()),
            remedies=(*_remedies(facts, of_group=False, known=False, of_user=False), _LOOK),
        )
        return
    name = "the control group's limit (pids.max)" if of_group else "the user's limit (ulimit -u)"
    value = most_of_group if of_group else most
    limits = tuple(one for one in (group if of_group else processes,) if one)
    yield Problem(
        title=f"No more threads can be created: {name}{f' of {value}' if value is not None else ''} is used up"
        if of_group or processes
        else "No more threads can be created: a limit on processes and threads is used up",
        evidence=quoted((*hit, *by_group, *unsure)[:3]) + quoted(limits),
        remedies=tuple(_remedies(facts, of_group, known=bool(of_group or processes))),
    )


def _remedies(facts: Facts, of_group: bool, known: bool, of_user: bool = True) -> Iterator[Remedy]:
    yield Remedy(
        text="Start fewer threads in each process, and fewer worker processes.",
        command="export OPENBLAS_NUM_THREADS=1 OMP_NUM_THREADS=1 MKL_NUM_THREADS=1",
        action="env",
    )
    if of_group or not known:
        yield Remedy(
            text="Remove the control group's limit: the container's, or the service's (TasksMax=infinity).",
            command="docker run --pids-limit=-1 IMAGE"
            if in_container(facts) or not of_group
            else "sudo systemctl edit SERVICE",
            action="admin",
        )
    if not of_group and of_user:
        yield Remedy(
            text="Raise the user's limit in the shell or job script that starts the program (limits.conf: nproc).",
            command='ulimit -u "$(ulimit -H -u)"',
            action="env",
        )
