"""The steps that tables state: plain ones, and those whose command depends on what fits this machine. Pure.

{text, command, …}                                     accel.facts.row_subjects
{text, kernel_option: "iommu=pt"}                      how this machine's boot loader is given the option
{text, install: "torch", maker: "nvidia", newest: true}    the release and build that fit a maker's devices; also
                                                       again: true, remove: ["what to remove first"]
"""

from collections.abc import Iterable, Iterator, Mapping, Sequence
from typing import TYPE_CHECKING, Any

from accel.facts.row_subjects import fixes_of
from accel.model.dataclass import replace

if TYPE_CHECKING:
    from accel.facts.questions import Facts
    from accel.facts.row_words import Subject
    from accel.specs import Specs
    from accel.vendors.contract.check import Remedy


def fixes(
    rows: Iterable[Mapping[str, Any]], told: "Sequence[Subject]", facts: "Facts", specs: "Specs"
) -> "Iterator[Remedy]":
    """Yield the steps that hold here, with the values of the first fact that has them."""
    for row in rows:
        for remedy in fixes_of((row,), told, facts):
            yield _resolved(row, remedy, facts, specs)


def _resolved(row: Mapping[str, Any], step: "Remedy", facts: "Facts", specs: "Specs") -> "Remedy":
    if "kernel_option" in row:
        from accel.resolver.system_tools import kernel_option

        name, _, value = row["kernel_option"].partition("=")
        return replace(step, command=kernel_option(name, value, facts, specs))
    if "install" not in row:
        return step
    from accel.resolver.remedies import install, machine_of

    if row.get("maker") == "jetson":
        from accel.resolver.jetson import torch_of_jetson

        return torch_of_jetson(facts, specs)
    machine = machine_of(facts, specs, row["maker"]) if "maker" in row else None
    how = {key: row[key] for key in ("again", "newest", "remove") if key in row}
    return install(facts, specs, row["install"], text=step.text, on=machine, **how)
