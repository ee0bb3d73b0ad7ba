from collections.abc import Iterator
from typing import Final

from accel.facts.questions import Facts
from accel.specs import Specs
from accel.vendors.contract.check import Problem, Remedy, check, quoted
from accel.vendors.contract.command import chained, command_line, name_word

_INSTALL: Final = Remedy(
    text="Its program is not where the unit expects it: install the package that contains it, or set its path in "
    "the unit (ExecStart).",
    action="admin",
)


@check(
    code="AC310",
    name="service-failed",
    layer="driver",
    severity="warning",
    reads=("service-state",),
    needs=("fact.service-state.state",),
    explained_by=("fabric-manager-not-running", "driver-not-loaded", "driver-library-mismatch"),
)
def service_failed(facts: Facts, specs: Specs) -> Iterator[Problem]:
    """A service that accelerators, containers or jobs need has failed, or exits and is restarted repeatedly.

    Why it matters   Its function is missing: no persistence, no fabric, no containers, no jobs on this node.
    What to do       Read why it ended; fix that, and start it again.
    Looks at         what systemd lists as failed; pasted `systemctl --failed` and `systemctl status`
    Silent when      the service is none of those in specs/system/surroundings.yaml; systemd does not run here
    Source           systemctl(1), systemd.service(5)
    """
    purposes = (specs.table("system/surroundings") or {}).get("judged_services", {})
    seen: set[str] = set()
    for fact in facts.stated("service-state"):
        name, state = fact.value("service") or "", fact.value("state")
        if name not in purposes or name in seen or state not in ("failed", "restarting"):
            continue
        seen.add(name)
        unit = name_word(f"{name}.service")
        became = "has failed" if state == "failed" else "exits and is restarted again and again"
        yield Problem(
            title=f"The service {name} {became}: {purposes[name]}",
            evidence=quoted((fact,)),
            remedies=(
                *((_INSTALL,) if fact.value("program") else ()),
                Remedy(
                    text="Check why it exited.",
                    command=chained(
                        command_line("systemctl status", unit, "--no-pager"),
                        command_line("sudo journalctl -b --no-pager -n 50 -u", unit),
                        by=";",
                    ),
                    action="admin",
                    kind="look",
                ),
                Remedy(
                    text="When that is fixed, start it again.",
                    command=command_line("sudo systemctl restart", unit),
                    action="admin",
                ),
            ),
        )
