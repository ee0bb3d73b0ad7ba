"""A driver of a branch that gets no more fixes."""

from collections.abc import Iterator
from typing import TYPE_CHECKING

from accel.contract.check import Evidence, Problem, Remedy, applies, check, need
from accel_nvidia import around

if TYPE_CHECKING:
    from accel.facts.questions import Facts
    from accel.specs import Specs


@check(
    code="NV167",
    name="driver-branch-ended",
    layer="driver",
    severity="info",
    needs=("nvidia.driver.version",),
)
def driver_branch_ended(facts: "Facts", specs: "Specs") -> Iterator[Problem]:
    """The driver's branch has come to its end: NVIDIA mends no faults and no security holes of it any more.

    Why it matters   It works on. New kernels, frameworks and containers are no longer tried with it.
    What to do       Plan the move to a production or long-term branch that still drives these GPUs.
    Looks at         the driver's branch and its end in specs/nvidia/drivers.yaml; the day on which the machine was
                     looked at
    Silent when      the branch is not in the table, or has not ended by that day; of a text, which tells no day; on
                     Windows, where a branch bears several numbers
    Source           NVIDIA: supported drivers and CUDA toolkit versions; endoflife.date
    """
    applies(not around.on_windows(facts), "on Windows a branch bears several numbers")
    taken_at = facts.snapshot.taken_at
    applies(taken_at is not None, "a text does not tell its day")
    version = need(around.driver_version(facts), "the driver's version")
    table = specs.table("nvidia/drivers") or {"branches": (), "as_of": ""}
    branch = next((row for row in table["branches"] if str(row["branch"]) == version.partition(".")[0]), None)
    day = min((taken_at or "")[:10], f"{table['as_of']}-01")  # of what ends later the table may say more by then
    if branch is not None and branch["end_of_life"] < day:
        living = [row for row in table["branches"] if row["end_of_life"] >= day and row["type"] != "NFB"]
        names = ", ".join(str(row["branch"]) for row in sorted(living, key=lambda row: row["branch"]))
        yield Problem(
            title=f"The driver's branch {branch['branch']} ended on {branch['end_of_life']}",
            evidence=(Evidence(fact="driver version", value=version),),
            remedies=(
                Remedy(
                    text=f"Plan the move to a branch that is kept{f': {names}' if names else ''}.",
                    action="admin",
                ),
            ),
        )
