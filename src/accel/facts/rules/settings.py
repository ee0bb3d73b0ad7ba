"""Kernel settings with a bad value, by the table."""

from collections.abc import Iterator

from accel.model.dataclass import replace
from accel.model.observation import Fact, Noted
from accel.specs import Specs
from accel.vendors.contract.rule import Seen, fact_from, rule


@rule(
    gives={
        "numa-balancing-on": "the kernel moves memory between NUMA nodes by itself",
        "overcommit-strict": "the kernel gives out no more memory than it has",
        "clock-source-slow": "the kernel reads its time from a slow clock",
        "cpu-boost-off": "the processors may not run faster than their base clock",
        "zone-reclaim-on": "the kernel drops pages before it takes memory from another node",
        "restart-required": "installed updates only take effect after a reboot",
        "transparent-huge-pages-off": "the kernel gives no huge pages, not even to programs that ask for them",
    },
    triggers=("kernel-settings",),
)
def settings(seen: Seen, specs: Specs) -> Iterator[Fact]:
    """Holds if a setting, read live or printed, has a value that specs/system/settings.yaml lists as bad."""
    rows = (specs.table("system/settings") or {"settings": ()})["settings"]
    measured = [fact_from(one.fact, one, **dict(one.values)) for one in seen.of(Noted) if one.fact == "kernel-settings"]
    for fact in (*measured, *seen.facts("kernel-settings")):
        for row in rows:
            if (fact.value(row["name"]) or "").lower() in row["bad"]:
                yield replace(fact, name=row["states"], values=(("value", fact.value(row["name"]) or ""),))
