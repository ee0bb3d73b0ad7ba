"""Whether a hang is caused by NVIDIA's driver, and whether it is the one that occurs after a long uptime."""

from collections.abc import Iterator
from typing import Final

from accel.model.dataclass import replace
from accel.model.observation import Fact, Noted
from accel.vendors.contract.rule import Seen, Specs, fact_from, rule

_LONG_DAYS: Final = 66  # open kernel modules of these branches stop answering after 66 days and 12 hours
_FIRST_BRANCH: Final = 570
_PAST_BRANCH: Final = 590


@rule(
    gives={
        "stuck-in-driver": "a process is blocked in the kernel, in NVIDIA's driver",
        "hang-after-long-uptime": "nvidia-smi hangs on a machine that has been up for 66 days or more",
    },
    triggers=("blocked-task", "up-for-days", "holder-stuck"),
)
def hangs(seen: Seen, specs: Specs) -> Iterator[Fact]:
    """A blocked task is the driver's if its name or stack says so, or if no stack is printed and nvidia-smi hangs or
    the driver logged errors. A hang after 66 days is the known bug if the driver's branch is 570 to 580 or unknown.
    """
    smi = seen.facts("smi-hangs")
    blocked = [one for one in seen.of(Noted) if one.fact == "blocked-task"]
    errors = any(one.fact == "xid" for one in seen.of(Noted))
    for one in blocked:
        owner = dict(one.values).get("owner")
        if owner == "nvidia" or (owner is None and (smi or errors)):
            yield fact_from("stuck-in-driver", one, **dict(one.values))
    for fact in seen.facts("holder-stuck"):
        if (fact.value("module") or "").startswith("nvidia"):
            yield replace(fact, name="stuck-in-driver")
    branches = {int(v.split(".")[0]) for v in _driver_versions(seen) if v.split(".")[0].isdecimal()}
    known = not branches or any(_FIRST_BRANCH <= branch < _PAST_BRANCH for branch in branches)
    for fact in seen.facts("up-for-days"):
        if (fact.number("days") or 0) >= _LONG_DAYS and smi and known:
            yield replace(fact, name="hang-after-long-uptime")
            yield from (replace(one, name="hang-after-long-uptime") for one in smi[:1])
            return


def _driver_versions(seen: Seen) -> Iterator[str]:
    for report in seen.snapshot.reports:
        if report.backend == "nvidia" and report.driver is not None and report.driver.version:
            yield report.driver.version
    for fact in seen.facts("driver-version-said"):
        if fact.value("version"):
            yield str(fact.value("version"))
