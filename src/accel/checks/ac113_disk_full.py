from collections.abc import Iterator
from typing import Final

from accel.checks.stated_limits import size_in_words
from accel.facts.questions import Facts
from accel.specs import Specs
from accel.vendors.contract.check import Problem, Remedy, check, quoted
from accel.vendors.contract.command import chained, command_line, path_word

_LEAST_BYTES: Final = 64 << 20  # below this not even a lock file's folder is safe
_LITTLE_BYTES: Final = 1 << 30
_LITTLE_SHARE: Final = 0.01


@check(
    code="AC113",
    name="disk-full",
    layer="access",
    severity="warning",
    reads=("disk-use",),
    needs=("fact.disk-use.free",),
)
def disk_full(facts: Facts, specs: Specs) -> Iterator[Problem]:
    """A disk that programs write to has less than 1 GiB and 1 % free, or less than 64 MiB.

    Why it matters   Checkpoints are truncated, downloads of models and compiled kernels fail, and the only message is
                     often "No space left on device".
    What to do       Remove what is not needed, or move the caches to a larger disk.
    Looks at         /, /tmp, /var and the folders in TMPDIR, HOME, HF_HOME, TORCH_HOME and similar variables
    Silent when      it is a network file system: a query to a hung server would never return
    Source           statvfs(3)
    """
    for fact in facts.stated("disk-use"):
        free, total = fact.number("free"), fact.number("total")
        if free is None or not total:
            continue
        if free >= _LEAST_BYTES and (free >= _LITTLE_BYTES or free >= _LITTLE_SHARE * total):
            continue
        path = fact.value("path") or "/"
        variable = fact.value("variable")
        named = f" (which contains {variable})" if variable else ""
        yield Problem(
            title=f"{path}{named} has {size_in_words(free)} free of {size_in_words(total)}",
            evidence=quoted([fact]),
            remedies=(
                Remedy(
                    text="Check what fills it.",
                    command=chained(
                        command_line("df -h", path_word(path)),
                        command_line("sudo du -xh --max-depth=2 --threshold=1G", path_word(path)),
                        by=";",
                    ),
                    action="admin",
                    kind="look",
                ),
                Remedy(
                    text="Or move caches and temporary files to a larger disk: TMPDIR, HF_HOME, XDG_CACHE_HOME.",
                    command="export TMPDIR=/path/on/a/larger/disk HF_HOME=/path/on/a/larger/disk/hf",
                    action="env",
                ),
            ),
        )
