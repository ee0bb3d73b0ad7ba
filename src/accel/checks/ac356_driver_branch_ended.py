from collections.abc import Iterator

from accel.facts.questions import Facts
from accel.specs import Specs
from accel.vendors.contract.check import Evidence, Problem, Remedy, applies, check


@check(code="AC356", name="driver-branch-ended", layer="driver", severity="info", needs=("accelerators",))
def driver_branch_ended(facts: Facts, specs: Specs) -> Iterator[Problem]:
    """The driver's branch has reached its end of life: its maker fixes no more bugs or security holes in it.

    Why it matters   It keeps working. New kernels, frameworks and containers are no longer tested with it.
    What to do       Plan the move to a production or long-term branch that still supports these devices.
    Looks at         the driver's branch and its end in specs/<vendor>/drivers.yaml; the day on which the machine was
                     inspected
    Silent when      the branch is not in the table, or has not ended by that day; for a text, which states no day; on
                     Windows, where a branch has several numbers
    Source           NVIDIA: supported drivers and CUDA toolkit versions; endoflife.date
    """
    taken_at = facts.snapshot.taken_at
    applies(not (facts.host.wsl or facts.host.system == "windows"), "on Windows a branch has several numbers")
    applies(taken_at is not None, "a text has no date")
    told = [(backend, driver.version) for backend in _backends(facts) if (driver := facts.driver(backend)) is not None]
    tables = [(version, table) for backend, version in told if version and (table := specs.table(f"{backend}/drivers"))]
    applies(bool(tables), "no table says when this driver's branches end")
    for version, table in tables:
        branch = next((row for row in table["branches"] if str(row["branch"]) == version.partition(".")[0]), None)
        day = min((taken_at or "")[:10], f"{table['as_of']}-01")  # of what ends later the table may say more by then
        if branch is not None and branch["end_of_life"] < day:
            kept = [row["branch"] for row in table["branches"] if row["end_of_life"] >= day and row["type"] != "NFB"]
            names = ", ".join(str(number) for number in sorted(kept))
            yield Problem(
                title=f"The driver's branch {branch['branch']} ended on {branch['end_of_life']}",
                evidence=(Evidence(fact="driver version", value=version),),
                remedies=(
                    Remedy(text=f"Plan to move to a maintained branch{f': {names}' if names else ''}.", action="admin"),
                ),
            )


def _backends(facts: Facts) -> list[str]:
    return list(dict.fromkeys(report.backend for report in facts.snapshot.reports))
