"""A search of the kernel log for kfd printed nothing."""

import re
from collections.abc import Iterator
from typing import Final

from accel.model.observation import Command, Fact
from accel.text.pattern import pattern
from accel.vendors.contract.rule import Seen, Specs, fact_from, rule

_SEARCH: Final = pattern(
    r"\b(?:dmesg|journalctl|lsmod)\b[^|]{0,80}\|\s{0,3}(?:sudo\s{1,3})?grep\b[^|]{0,40}\b(?:amd)?(?:kfd|gpu)\b",
    re.IGNORECASE,
)


@rule(
    gives={"kernel-log-without-kfd": "a search of the kernel's log or modules for amdgpu or kfd printed nothing"},
    triggers=("command",),
)
def kernel_log_without_kfd(seen: Seen, specs: Specs) -> Iterator[Fact]:
    """Holds for `dmesg | grep kfd`, `lsmod | grep amdgpu` and the like without output."""
    for command in seen.of(Command):
        if command.answer is None and not command.advice and _SEARCH.search(command.text):
            yield fact_from("kernel-log-without-kfd", command)
