from collections.abc import Iterator

from accel.facts.questions import Facts
from accel.specs import Specs
from accel.vendors.contract.check import Evidence, Problem, Remedy, applies, check


@check(code="AC009", name="driver-call-hangs", layer="driver", needs=())
def driver_call_hangs(facts: Facts, specs: Specs) -> Iterator[Problem]:
    """A call into a vendor's library did not return in time, or crashed the probe that made it.

    Why it matters   The next program that makes this call hangs or crashes too, and may be impossible to kill.
    What to do       Read the kernel log; end the programs on the device; reset it, or reboot.
    Looks at         calls that the probes of this machine began but did not complete
    Silent when      the facts come from a text
    Source           the probe itself, docs/decisions/05-probes-run-in-children.md
    """
    lost = [gap for gap in facts.gaps if gap.source == "probe" and gap.backend is not None]
    applies(facts.live or bool(lost), "a text does not show which calls return")
    for gap in lost:
        where = f" of {gap.device}" if gap.device else ""
        crashed = "ended the probing process" in gap.reason
        yield Problem(
            title=f"{gap.fact}{where} {'crashes the process that calls it' if crashed else 'does not return'}",
            devices=(gap.device,) if gap.device else (),
            evidence=(Evidence(fact=gap.fact, value=gap.reason, source=gap.backend),),
            remedies=(
                Remedy(
                    text="Look for the driver's own error messages.",
                    command="sudo dmesg -T | tail -50",
                    action="admin",
                    kind="look",
                ),
                Remedy(
                    text="Stop the programs that use the device and reset it; if that hangs too, reboot.",
                    action="reboot",
                ),
            ),
        )
