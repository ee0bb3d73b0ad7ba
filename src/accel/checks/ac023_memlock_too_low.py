from collections.abc import Iterator
from typing import Final

from accel.checks.stated_limits import lowest, size_in_words
from accel.facts.containers import CONTAINER, in_container, is_kubernetes
from accel.facts.questions import Facts
from accel.specs import Specs
from accel.vendors.contract.check import Problem, Remedy, check, quoted
from accel.vendors.contract.command import command_line, name_word

_OF_LOGINS: Final = Remedy(
    text="Remove the limit for logins on this machine, and log in again.",
    command="echo '* - memlock unlimited' | sudo tee /etc/security/limits.d/99-memlock.conf",
    action="admin",
)


@check(
    code="AC023",
    name="memlock-too-low",
    layer="access",
    family="nccl-problem",
    reads=(
        "memlock-named",
        "registration-refused",
        "device-mapping-refused",
        "limit-of-memlock",
        "service-limit",
        "batch-job",
        "scheduler-named",
        *CONTAINER,
    ),
    needs=("run.program",),
)
def memlock_too_low(facts: Facts, specs: Specs) -> Iterator[Problem]:
    """The limit of locked memory is too low: memory cannot be registered with an RDMA card.

    Why it matters   NCCL, UCX and MPI stop or do not use InfiniBand; "Cannot allocate memory" refers neither to the
                     GPU's memory nor to the machine's.
    What to do       Raise the limit for the service that starts the job: limits.conf applies only to logins, and is
                     enough only if the program is started from one.
    Looks at         ibv_* calls, UCX, MPI and libibverbs that mention locked memory or "Cannot allocate memory"; a
                     device's mapping that is refused together with a limit; ulimit -l and the limits that services set
    Silent when      the limit is printed and is unlimited; or nothing failed: a low limit alone is no fault
    Source           rdma-core; NCCL user guide: troubleshooting; systemd.exec: LimitMEMLOCK
    """
    named, refused = facts.stated("memlock-named"), facts.stated("registration-refused")
    limit, size = lowest(facts, "limit-of-memlock")
    mapped = facts.stated("device-mapping-refused") if size is not None else ()
    if not (named or refused or mapped) or (limit is not None and size is None):
        return
    known = f" ({size_in_words(size)})" if size is not None else ""
    limited = facts.stated("service-limit")
    set_by = tuple(fact for fact in limited if fact.value("resource") == "memlock_bytes" and fact.value("value"))
    low = name_word(set_by[0].value("service")) if set_by else None
    service = Remedy(
        text="Set LimitMEMLOCK=infinity for the service that starts the job (slurmd, sshd, docker), and restart it.",
        command=command_line("sudo systemctl edit", low or "SERVICE"),
        action="admin",
    )
    container = Remedy(
        text="Start the container without a limit on locked memory.",
        command="docker run --ulimit memlock=-1 --cap-add IPC_LOCK IMAGE",
        action="env",
    )
    pod = Remedy(
        text='Give the pod the right to lock memory, securityContext: {capabilities: {add: ["IPC_LOCK"]}}, and '
        "/dev/shm as an emptyDir of medium Memory. The limit itself is that of the node's container runtime: "
        "LimitMEMLOCK=infinity for its unit.",
        action="env",
    )
    by_service = bool(set_by or facts.stated("batch-job", "scheduler-named"))
    seen = Remedy(
        text="Check the limit where the job runs: a login shell may have a different one.",
        command="ulimit -l; grep -i 'locked' /proc/self/limits",
        action="env",
        kind="look",
    )
    yield Problem(
        title=f"The locked-memory limit{known} is too low to register memory with the network card"
        if refused
        else f"The locked-memory limit{known} is too low to map the device's memory"
        if mapped and not named
        else f"The locked-memory limit{known} is too low",
        evidence=quoted((*refused, *named, *mapped, *((limit,) if limit else ()))) + quoted(set_by, most=2),
        severity=None
        if refused or mapped or any(word in f.text.lower() for f in named for word in ("memlock", "dma_map"))
        else "warning",
        remedies=(pod, seen)
        if is_kubernetes(facts)
        else (container, service, seen)
        if in_container(facts)
        else (_OF_LOGINS, service, container)
        if mapped and not (named or refused)
        else (service, container, seen)
        if by_service
        else (_OF_LOGINS, service, container, seen),
    )
