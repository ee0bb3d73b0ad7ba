from collections.abc import Iterator

from accel.facts.questions import Facts
from accel.specs import Specs
from accel.vendors.contract.check import Evidence, Problem, Remedy, applies, check
from accel.vendors.contract.command import command_line, variable_word


@check(code="AC347", name="masks-contradict", layer="access", severity="warning", needs=("environment.variables",))
def masks_contradict(facts: Facts, specs: Specs) -> Iterator[Problem]:
    """A runtime's mask names devices by numbers that the outer mask hides.

    Why it matters   The inner mask counts the devices left by the outer one, from 0: a number that is too high hides
                     that device and all after it, so the program sees fewer devices, or none.
    What to do       Number from 0 within the container or the job, or unset the inner mask.
    Looks at         the pairs in specs/system/program_settings.yaml: NVIDIA_ and CUDA_VISIBLE_DEVICES, ROCR_ and
                     HIP_VISIBLE_DEVICES, ASCEND_ and ASCEND_RT_VISIBLE_DEVICES
    Silent when      either is unset, names devices other than by numbers, or every number is visible
    Source           the runtimes' guides to their masks
    """
    rows = (specs.table("system/program_settings") or {"masks": ()})["masks"]
    both = [row for row in rows if facts.variable(row["outer"]) and facts.variable(row["inner"])]
    applies(bool(both), "no two masks are set of which one counts within the other")
    for row in both:
        outer, inner = facts.variable(row["outer"]), facts.variable(row["inner"])
        left = _entries(outer)
        wanted = [int(one) for one in _entries(inner) or () if one.isdecimal() and len(one) < 4]
        beyond = [number for number in wanted if left is not None and number >= len(left)]
        if left and beyond:
            yield Problem(
                title=f"{row['inner']} is set to device {beyond[0]}, but {row['outer']} leaves {len(left)}, counted "
                "from 0",
                evidence=(
                    Evidence(fact=row["outer"], value=outer or ""),
                    Evidence(fact=row["inner"], value=inner or ""),
                ),
                remedies=(
                    Remedy(
                        text=f"Count from 0 within what {row['outer']} leaves, or unset the inner mask.",
                        command=command_line("unset", variable_word(row["inner"])),
                        action="env",
                    ),
                ),
            )


def _entries(value: str | None) -> list[str] | None:
    """Return the entries of a mask; None if it lists nothing, or everything."""
    entries = [one.strip() for one in (value or "").split(",") if one.strip()]
    return None if not entries or entries[0].lower() in ("all", "void", "none", "-1") else entries
