from collections.abc import Iterator
from typing import Final

from accel.checks.stated_limits import lowest
from accel.facts.questions import Facts
from accel.model.observation import Fact
from accel.specs import Specs
from accel.vendors.contract.check import Problem, Remedy, check, quoted
from accel.vendors.contract.command import assignment_word, command_line

_LEAST_PERIODS: Final = 600  # of a tenth of a second: the start alone is not representative
_MANY: Final = 4  # threads for each allowed processor, where the text says that it is slow
_THROTTLED: Final = 0.1  # of the periods; below this the quota is only reached occasionally


@check(
    code="AC026",
    name="cpu-oversubscription",
    layer="access",
    severity="warning",
    reads=(
        "limit-of-cpus",
        "thread-count",
        "cpu-throttled",
        "cpu-throttled-said",
        "more-threads-slower",
        "slowness-told",
    ),
    needs=(),
    requires=("thread-limit-reached", "container-seccomp-blocks-threads"),
)
def cpu_oversubscription(facts: Facts, specs: Specs) -> Iterator[Problem]:
    """A program starts as many threads as the machine has processors, but may use the time of fewer.

    Why it matters   The threads wait for each other while the control group throttles them: a job takes a hundred times
                     as long, without an error. Programs count the machine's processors, not the container's.
    What to do       Set the number of threads to the number of allowed processors, or allow more.
    Looks at         cpu.max, --cpus and similar; numbers of threads; cpu.stat; times with few and with many threads
    Silent when      nothing is slow: a limit below the machine's processors is common; the limit is unknown
    Source           Linux: cgroup v2, cpu.max and cpu.stat; scikit-learn: parallelism
    """
    limit, quota = lowest(facts, "limit-of-cpus")
    if limit is None or quota is None:
        return
    counts = [(count, fact) for fact in facts.stated("thread-count") if (count := fact.number("count")) is not None]
    more = [(count, fact) for count, fact in counts if count * 1000 > quota]
    slower = facts.stated("more-threads-slower")
    throttled = [fact for fact in facts.stated("cpu-throttled") if _is_throttled(fact)]
    throttled += facts.stated("cpu-throttled-said")
    most = max(more, key=lambda pair: pair[0]) if more else None
    if most and most[0] * 1000 >= _MANY * quota:
        slower = (*slower, *facts.stated("slowness-told"))
    if not (throttled or (slower and (more or not counts))):
        return
    allowed = max(1, quota // 1000)
    allowed_words = f"{quota / 1000:g} CPU{'s' if quota != 1000 else ''}"
    title = f"The program may use {allowed_words}"
    title += f" but starts threads for {most[0]}" if most else " but starts more threads than that"
    if facts.live and throttled and most is None:
        title = (
            f"This control group may use {allowed_words}, and was throttled in {_share(throttled[0]):.0%} of "
            "its periods"
        )
    yield Problem(
        title=title,
        evidence=quoted((limit, *((most[1],) if most else ()), *throttled[:1], *slower[:1])),
        remedies=(
            Remedy(
                text="Start as many threads as there are allowed processors (also n_jobs, num_threads and nthread).",
                command=command_line(
                    "export",
                    *(assignment_word(f"{name}_NUM_THREADS", str(allowed)) for name in ("OMP", "MKL", "OPENBLAS")),
                ),
                action="env",
            ),
            Remedy(
                text="Or allow more: the container's --cpus, the job's --cpus-per-task, the pod's limits.cpu.",
                command="cat /sys/fs/cgroup/cpu.max /sys/fs/cgroup/cpu.stat",
                action="env",
            ),
        ),
    )


def _is_throttled(fact: Fact) -> bool:
    """Return whether a program was throttled often, over a long enough measurement."""
    return _share(fact) > _THROTTLED and (fact.grade != "measured" or (fact.number("periods") or 0) >= _LEAST_PERIODS)


def _share(fact: Fact) -> float:
    periods, throttled = fact.number("periods"), fact.number("throttled")
    return throttled / periods if periods and throttled else 0.0
