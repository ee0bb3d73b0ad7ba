"""Report debugging variables that somebody set and forgot to unset, from a table of them. Pure."""

from collections.abc import Iterator

from accel.facts.questions import Facts
from accel.specs import Specs
from accel.vendors.contract.check import Evidence, Problem, Remedy
from accel.vendors.contract.command import chained, command_line, variable_word


def left_on(table: str, text: str, facts: Facts, specs: Specs) -> Iterator[Problem]:
    """Yield one problem for all variables of a table that are set to a value with an effect.

    text  the remedy's text
    """
    rows = (specs.table(table) or {"variables": ()})["variables"]
    found = [(row, value) for row in rows if (value := facts.variable(row["name"])) is not None]
    found = [(row, value) for row, value in found if value.strip().lower() not in map(str.lower, row["idle"])]
    if found:
        first = found[0][0]
        yield Problem(
            title=f"{first['name']} is set: it {first['does']}"
            + (f"; {len(found) - 1} more of this kind" if len(found) > 1 else ""),
            evidence=tuple(Evidence(fact=row["name"], value=value) for row, value in found),
            remedies=(
                Remedy(
                    text=text,
                    command=chained(*(command_line("unset", variable_word(row["name"])) for row, _ in found)),
                    action="env",
                ),
            ),
        )
