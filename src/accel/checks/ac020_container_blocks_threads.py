from collections.abc import Iterator
from typing import Final

from accel.facts.questions import Facts
from accel.specs import Specs
from accel.vendors.contract.check import Problem, Remedy, check, quoted

_REMEDIES: Final = (
    Remedy(
        text="Update the container engine and libseccomp on the host (docker 20.10.10 or newer), then start the "
        "container again.",
        command="sudo apt-get install --only-upgrade docker-ce containerd.io libseccomp2",
        action="admin",
    ),
    Remedy(
        text="Start the container without the filter, until the engine supports the call.",
        command="docker run --rm --security-opt seccomp=unconfined IMAGE",
        action="env",
    ),
    Remedy(text="Or use an image whose C library is older than 2.34, such as Ubuntu 20.04.", action="env"),
)


@check(
    code="AC020",
    name="container-seccomp-blocks-threads",
    layer="access",
    reads=("thread-refused", "thread-not-started", "seccomp-is-the-cure", "container-run", "engine-version-said"),
    needs=("run.program",),
)
def container_blocks_threads(facts: Facts, specs: Specs) -> Iterator[Problem]:
    """Threads cannot be created: the system says "Operation not permitted", which no resource limit does.

    Why it matters   Programs stop at startup. glibc 2.34 and newer create threads with clone3; the seccomp filter of an
                     older container engine returns EPERM for system calls that it does not know.
    What to do       Update docker (20.10.10 or newer), runc and libseccomp on the host; until then run without the
                     filter, or use an image with an older C library.
    Looks at         pthread_create, clone3 and thread pools that fail with EPERM, in the wording of many programs; a
                     thread that cannot be created, but can without the filter;
                     a container engine that does not know clone3
    Silent when      the answer is "Resource temporarily unavailable": that is a limit
    Source           moby/moby pull request 42681; glibc 2.34: clone3
    """
    refused = facts.stated("thread-refused")
    cure, failed = facts.stated("seccomp-is-the-cure"), facts.stated("thread-not-started")
    if not refused and cure and failed:
        refused = (*failed, *cure)
    old = tuple(fact for fact in facts.stated("engine-version-said") if _before_clone3(fact.value("version")))
    if not refused and failed and old:
        yield Problem(
            title="The container engine is older than docker 20.10.10, the first whose filter supports clone3: "
            "threads fail in newer images",
            severity="warning",
            evidence=quoted((*failed[:2], *old[:1])),
            remedies=_REMEDIES,
        )
        return
    if not refused:
        return
    yield Problem(
        title="The container's system call filter blocks thread creation (Operation not permitted)",
        detail="A limit would return 'Resource temporarily unavailable', so raising limits does not help here.",
        evidence=quoted(refused),
        remedies=_REMEDIES,
    )


def _before_clone3(version: str | None) -> bool:
    """Return whether this Docker does not know clone3, which 20.10.10 added."""
    numbers = [int(part) for part in (version or "").split(".")[:3] if part.isdecimal()]
    return len(numbers) == 3 and (17, 0, 0) < tuple(numbers) < (20, 10, 10)
