from accel.checks.stated_limits import lowest, size_in_words
from accel.facts.containers import CONTAINER, in_container
from accel.vendors.contract.check import Evidence, Facts, Problem, Problems, Specs, check, quoted
from accel.vendors.toolkit.table_steps import fix


@check(
    code="NV054",
    name="nccl-shm-too-small",
    layer="access",
    family="nccl-problem",
    reads=("nccl-shm-full", "limit-of-shm", *CONTAINER),
    needs=("run.program",),
)
def nccl_shm_too_small(facts: Facts, specs: Specs) -> Problems:
    """/dev/shm is too small for NCCL's shared-memory segments: the default in a container is 64 MiB.

    Why it matters   Multi-GPU jobs stop with "unhandled system error".
    What to do       Start the container with more shared memory, or share the host's.
    Looks at         NCCL's messages about its segments; the size of /dev/shm
    Silent when      NCCL reports no error: a small /dev/shm alone is no fault
    Source           NCCL user guide: troubleshooting, shared memory
    """
    full = facts.stated("nccl-shm-full")
    if not full:
        return
    limit, size = lowest(facts, "limit-of-shm")
    evidence = quoted((*full[:3], *((limit,) if limit else ())))
    if size is None and facts.host.shm_bytes is not None:
        evidence = (*evidence, Evidence(fact="size of /dev/shm", value=size_in_words(facts.host.shm_bytes)))
    container = fix(specs, "nvidia", "container-shm")
    bare = fix(specs, "nvidia", "host-shm")
    yield Problem(
        title="/dev/shm is too small for NCCL",
        evidence=evidence,
        remedies=(container,) if in_container(facts) else (container, bare),
    )
