from collections.abc import Iterator
from typing import Final

from accel.checks.stated_limits import lowest, size_in_words
from accel.facts.containers import is_kubernetes
from accel.facts.questions import Facts
from accel.model.observation import Fact
from accel.specs import Specs
from accel.text.durations import age_text
from accel.vendors.contract.check import Problem, Remedy, check, quoted
from accel.vendors.contract.command import command_line, name_word


@check(
    code="AC022",
    name="host-memory-limit",
    layer="access",
    reads=(
        *("killed-for-memory", "memory-refused", "process-killed", "memory-spoken-of", "limit-of-memory"),
        *("memory-refused-in-cpp", "batch-job", "container-run", "group-killed-for-memory"),
        *("memory-is-the-cure", "workers-stuck"),
    ),
    needs=("run.program",),
    requires=("memlock-too-low", "windows-specific"),
)
def host_memory_limit(facts: Facts, specs: Specs) -> Iterator[Problem]:
    """A process was killed, or denied memory, because the host's memory or the job's limit was exhausted.

    Why it matters   The kernel kills a process without an error message of its own; a launcher only sees that a worker
                     is gone.
    What to do       Request more memory in the job script or the container; use fewer workers; load the model in parts.
    Looks at         "killed by signal: Killed", the kernel's OOM lines, Slurm, PBS, LSF, Kubernetes and Ray; failed
                     allocations of NumPy, PyTorch and C++; exit code 137 and SIGKILL next to a mention of memory;
                     workers that are gone until the limit was raised;
                     live: the kernel log of the last day, and the number of kills in this control group
    Silent when      a worker died of a bus error (/dev/shm) or a segmentation fault (a library); GPU memory ran out
    Source           Linux: mm/oom_kill.c; Slurm: slurmstepd; Kubernetes: container states
    """
    killed = facts.stated("killed-for-memory")
    refused = tuple(fact for fact in facts.stated("memory-refused") if "cuda" not in fact.text.lower())
    if (
        refused or killed or facts.stated("limit-of-memory", "memory-is-the-cure")
    ):  # on its own, it may have requested a nonsensical amount
        refused += facts.stated("memory-refused-in-cpp")
    unsure, counted = facts.stated("process-killed"), facts.stated("group-killed-for-memory")
    limit, size = lowest(facts, "limit-of-memory")
    if size == 0:  # Slurm's --mem=0: all that the node has
        limit, size = None, None
    if facts.live and not refused and (killed or counted):
        yield _seen_live(facts, killed, counted, size if limit else None)
        return
    cure = facts.stated("memory-is-the-cure")
    if cure and not killed:
        killed = (*facts.stated("workers-stuck"), *unsure)
        killed = (*killed, *cure) if killed else ()
    if not (killed or refused) and not (unsure and facts.stated("memory-spoken-of")):
        return
    known = f", limited to {size_in_words(size)}" if size is not None else ""
    of_pod = any("oomkilled" in fact.text.lower() for fact in killed)
    title = f"A process was killed because the host's memory{known} ran out"
    if of_pod:
        most = f" of {size_in_words(size)}" if size is not None else ""
        title = f"The container was killed because it exceeded its memory limit{most} (OOMKilled)"
    if not killed:
        title = (
            f"The host did not have enough memory left{known} for the program"
            if refused
            else f"A process was killed by SIGKILL, most likely because the host's memory{known} ran out"
        )
    yield Problem(
        title=title,
        evidence=quoted((*killed, *refused, *unsure, *((limit,) if limit else ()))),
        severity=None if killed or refused or size is not None else "warning",
        remedies=tuple(_remedies(facts, size, of_pod, _of_group(killed))),
    )


def _of_group(killed: tuple[Fact, ...]) -> bool:
    """Return whether the kernel says that a control group's limit was reached, rather than the machine's."""
    return any("cgroup" in (text := fact.text.lower()) or "constraint_memcg" in text for fact in killed)


def _seen_live(facts: Facts, killed: tuple[Fact, ...], counted: tuple[Fact, ...], size: int | None) -> Problem:
    """Return a problem from the kernel log and the control group's count: kills happened, but maybe not now."""
    known = f" of {size_in_words(size)}" if size is not None else ""
    names = list(dict.fromkeys(f"{f.value('task')} ({f.value('pid')})" for f in killed if f.value("pid")))
    if names:
        more = f" and {len(names) - 2} more" if len(names) > 2 else ""
        whose = "the control group's memory" if all(f.value("by") == "group" for f in killed) else "the host's memory"
        ages = [age for fact in killed if (age := fact.number("ago")) is not None]
        when = f"{age_text(min(ages))} ago" if ages else "in the last day"
        title = f"The kernel killed {', '.join(names[:2])}{more} {when}, because {whose} ran out"
    else:
        count = counted[0].number("count") if counted else None
        title = f"{count or 'Some'} processes of this control group were killed, because its memory{known} ran out"
    evidence = quoted((*killed[-3:], *counted[:1]))
    return Problem(title=title, evidence=evidence, severity="warning", remedies=tuple(_remedies(facts, size)))


_JOB_MEMORY: Final = {
    "slurm": "sacct -j JOBID --format=JobID,State,ReqMem,MaxRSS; sbatch --mem=SIZE JOBSCRIPT",
    "pbs": "qstat -xf JOBID | grep -i mem; qsub -l mem=SIZE JOBSCRIPT",
    "lsf": "bjobs -l JOBID | grep -i mem; bsub -M SIZE JOBSCRIPT",
}


def _scheduler(job: Fact | None) -> str:
    text = job.text.lower() if job else ""
    if "pbs" in text or "qsub" in text:
        return "pbs"
    return "lsf" if "lsb" in text or "memlimit" in text or "bsub" in text else "slurm"


def _remedies(facts: Facts, size: int | None, of_pod: bool = False, of_group: bool = False) -> Iterator[Remedy]:
    job = facts.first("batch-job")
    if job is not None:
        yield Remedy(
            text="Start the job with more memory than the first command reports as used, as an option or in its "
            "script (Slurm: --mem or --mem-per-cpu; PBS: -l mem=; LSF: -M).",
            command=_JOB_MEMORY[_scheduler(job)],
            action="env",
        )
    elif of_pod:
        yield Remedy(
            text="Raise the container's resources.limits.memory (and the request) above its peak usage: loading "
            "a model needs the size of its files, and more if workers copy it.",
            command="kubectl describe pod POD | grep -A6 Limits; "
            "kubectl set resources deployment DEPLOYMENT --limits=memory=SIZE",
            action="env",
        )
    elif size is not None and (facts.first("container-run") is not None or is_kubernetes(facts)):
        gib = max(2, 2 * -(-size // 2**30))
        yield Remedy(
            text="Give the container more memory.",
            command=command_line("docker run --memory", name_word(f"{gib}g"), "IMAGE"),
            action="env",
        )
    elif of_group:
        yield Remedy(
            text="This is the limit of a control group (a container, a pod, a job or a service), not the "
            "machine's memory: raise it where that is started. Cached file pages count towards it, too.",
            command="cat /sys/fs/cgroup/memory.max /sys/fs/cgroup/memory.peak /sys/fs/cgroup/memory.stat | head -n 8",
            action="env",
        )
    elif facts.host.system == "windows":
        yield Remedy(
            text="Let Windows manage the paging file (Advanced, Virtual memory, Change), on a drive with 40 GB free, "
            "and restart: what programs reserve counts against memory and paging file together, used or not.",
            command="SystemPropertiesPerformance",
            action="admin",
        )
    yield Remedy(
        text="Use fewer workers or a smaller batch, or load the model in parts (free -h shows the free memory).",
        action="env",
    )
    yield Remedy(
        text="Check which process the kernel killed.",
        command="sudo dmesg -T | grep -iE 'out of memory|oom-kill|killed process'",
        action="admin",
        kind="look",
    )
