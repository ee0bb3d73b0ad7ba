from collections.abc import Iterator

from accel.checks.stated_limits import lowest
from accel.facts.containers import CONTAINER, in_container
from accel.facts.questions import Facts
from accel.specs import Specs
from accel.vendors.contract.check import Problem, Remedy, check, quoted
from accel.vendors.contract.command import command_line, number_word


@check(
    code="AC024",
    name="too-many-open-files",
    layer="access",
    reads=("files-exhausted", "files-exhausted-everywhere", "watches-exhausted", "limit-of-files", *CONTAINER),
    needs=("run.program",),
)
def too_many_open_files(facts: Facts, specs: Specs) -> Iterator[Problem]:
    """A process reached its limit of open files, or the system reached its own.

    Why it matters   Workers pass each tensor as a descriptor, and connections are descriptors too: training and serving
                     stop although memory is free.
    What to do       Raise the limit where the job starts, or let PyTorch pass tensors by file name.
    Looks at         errno 24 and 23 in any wording; "received 0 items of ancdata"; the limit if it is printed
    Silent when      a limit is only listed: 1024 open files are no fault by themselves
    Source           Linux: errno(3), inotify(7); PyTorch: multiprocessing, sharing strategies
    """
    watches, everywhere = facts.stated("watches-exhausted"), facts.stated("files-exhausted-everywhere")
    other = {line for fact in (*watches, *everywhere) for line in range(fact.line or 0, (fact.last_line or 0) + 1)}
    own = [fact for fact in facts.stated("files-exhausted") if fact.line not in other]
    limit, most = lowest(facts, "limit-of-files")
    known = f" ({most})" if most is not None else ""
    if own:
        yield Problem(
            title=f"A process has reached its limit of open files{known}: too many open files",
            evidence=quoted((*own, *((limit,) if limit else ()))),
            remedies=tuple(_remedies(facts, most)),
        )
    elif everywhere:
        yield Problem(
            title="The whole system has reached its limit of open files: too many open files",
            evidence=quoted(everywhere),
            remedies=(
                Remedy(
                    text="Raise the system's limit, and find out which process holds so many.",
                    command="cat /proc/sys/fs/file-nr; sudo sysctl fs.file-max=2097152",
                    action="admin",
                ),
            ),
        )
    elif watches:
        yield Problem(
            title="The user has reached the limit of inotify instances or watches",
            evidence=quoted(watches),
            remedies=(
                Remedy(
                    text="Raise the inotify limits; ulimit -n does not change them.",
                    command="sudo sysctl fs.inotify.max_user_instances=1024 fs.inotify.max_user_watches=1048576",
                    action="admin",
                ),
            ),
        )


def _remedies(facts: Facts, most: int | None) -> Iterator[Remedy]:
    more = max(65536, 4 * (most or 0))
    if in_container(facts):
        yield Remedy(
            text="Start the container with a higher limit.",
            command="docker run --ulimit nofile=1048576:1048576 IMAGE",
            action="env",
        )
    yield Remedy(
        text="Raise the limit in the shell or job script that starts the program.",
        command=command_line("ulimit -n", number_word(more)),
        action="env",
    )
    yield Remedy(
        text="With PyTorch's workers, pass tensors by file name instead: "
        "torch.multiprocessing.set_sharing_strategy('file_system'), before the first worker starts.",
        action="app",
    )
