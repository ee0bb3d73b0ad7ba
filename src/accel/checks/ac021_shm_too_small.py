from collections.abc import Iterator
from typing import Final

from accel.checks.stated_limits import lowest, size_in_words
from accel.facts.containers import CONTAINER, in_container
from accel.facts.questions import Facts
from accel.specs import Specs
from accel.text.amounts import size_bytes
from accel.vendors.contract.check import Evidence, Problem, Remedy, check, quoted
from accel.vendors.contract.command import command_line, name_word

_SMALL: Final = 2**31  # bytes; a bus error with more than this has other causes as well

_AMPLE: Final = 2**36  # bytes; a bus error with this much has another cause: a truncated file, a full disk

_NEARLY_FULL: Final = 80  # percent


@check(
    code="AC021",
    name="shm-too-small",
    layer="access",
    reads=(
        *("shm-exhausted", "bus-error", "limit-of-shm", "shm-use", "workers-stuck", "shm-is-the-cure"),
        *("shm-given", "disk-is-full", "disk-has-room-said"),
        "managed-training-named",
        *CONTAINER,
    ),
    needs=("run.program",),
    requires=("too-many-open-files",),
)
def shm_too_small(facts: Facts, specs: Specs) -> Iterator[Problem]:
    """The shared memory (/dev/shm) is full: a container gets 64 MiB by default.

    Why it matters   Worker processes pass batches through it; one that writes beyond its end dies with a bus error.
    What to do       Start the container with more shared memory or with the host's; use fewer workers until then.
    Looks at         bus errors of workers; messages about shared memory and /dev/shm; its size if it is printed;
                     workers that hang or are gone while it is nearly full, or until it was enlarged; a full file
                     system in a container with the default size, where the disk has room
    Silent when      /dev/shm has 64 GiB or more and is not nearly full; NCCL complains about its own
                     segments; a worker was "Killed" (memory) or had a segmentation fault
    Source           PyTorch: torch/csrc/DataLoader.cpp; PaddlePaddle: dataloader; docker run --shm-size
    """
    said, died = facts.stated("shm-exhausted"), facts.stated("bus-error")
    limit, size = lowest(facts, "limit-of-shm")
    if limit is None and (given := facts.first("shm-given")) and (size := size_bytes(given.value("size"))):
        limit = given
    if size is None:
        size = facts.host.shm_bytes
    small = (size is not None and size < _SMALL) or (limit is None and facts.first("container-run") is not None)
    full = tuple(fact for fact in facts.stated("shm-use") if (fact.number("percent") or 0) >= _NEARLY_FULL)
    cure = facts.stated("shm-is-the-cure")
    if small and not facts.stated("shm-given") and facts.stated("disk-has-room-said"):
        said = said or facts.stated("disk-is-full")  # of the file systems, that one has 64 MiB
    stuck = facts.stated("workers-stuck") if full or cure else ()
    if size is not None and size >= _AMPLE and not full and not cure:
        return
    if not said and not (died and (small or cure)) and not stuck:
        return
    evidence = quoted((*said, *died, *stuck[:1], *full[:1], *cure[:1]))
    if limit is not None:
        evidence = (*evidence, *quoted([limit]))
    elif size is not None:
        evidence = (*evidence, Evidence(fact="size of /dev/shm", value=size_in_words(size)))
    known = f" ({size_in_words(size)})" if size is not None else ""
    yield Problem(
        title=f"/dev/shm is too small for this program's workers{known}",
        detail="The machine's free memory and ulimit do not matter here: it is a separate file system.",
        evidence=evidence,
        remedies=tuple(_remedies(facts, size)),
    )


def _remedies(facts: Facts, size: int | None) -> Iterator[Remedy]:
    fewer = Remedy(text="Until then start fewer workers (num_workers=0 uses no shared memory).", action="app")
    if facts.first("managed-training-named") is not None and not in_container(facts):
        yield Remedy(
            text="This service starts the container itself and has no option for /dev/shm: start fewer workers "
            "(num_workers=0 uses no shared memory), use smaller batches, or use a larger machine.",
            action="env",
        )
    gib = max(8, 2 * -(-(size or 0) // 2**30))
    if in_container(facts) or facts.host.containerized is not False:
        yield Remedy(
            text="Start the container with more shared memory (in a compose file: shm_size), or with the host's "
            "(--ipc=host).",
            command=command_line("docker run --shm-size", name_word(f"{gib}g"), "IMAGE"),
            action="env",
        )
    if not in_container(facts):
        yield Remedy(
            text="Outside containers: check what fills /dev/shm, and enlarge it.",
            command="df -h /dev/shm; ls -l /dev/shm; sudo mount -o remount,size=50% /dev/shm",
            action="admin",
        )
    yield fewer
