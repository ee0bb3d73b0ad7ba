from collections.abc import Iterable, Iterator, Mapping
from typing import Any, Final

from accel.facts.questions import Facts
from accel.specs import Specs
from accel.text.pattern import pattern
from accel.text.versions import relation
from accel.vendors.contract.check import Evidence, Problem, Remedy, applies, check, quoted
from accel.vendors.contract.command import assignment_word, command_line, variable_word

_LISTS: Final = pattern(r"\[[^\]]{0,200}\]")  # "roundup_power2_divisions:[256:1,512:2]"


@check(
    code="AC346",
    name="allocator-setting-unknown",
    layer="application",
    severity="warning",
    reads=("allocator-option-refused",),
    needs=("environment.variables",),
)
def allocator_setting_unknown(facts: Facts, specs: Specs) -> Iterator[Problem]:
    """A variable with settings of torch's allocator contains an option or a backend that this torch does not know.

    Why it matters   torch rejects them on the first use of the device: "Unrecognized CachingAllocator option".
    What to do       Write the option as torch spells it, or remove it; expandable_segments needs torch 2.1.
    Looks at         PYTORCH_CUDA_ALLOC_CONF and similar, against specs/system/program_settings.yaml; torch's error
                     message
    Silent when      the variables are unset, or contain only known options
    Source           PyTorch: CUDA semantics, memory management
    """
    refused = facts.stated("allocator-option-refused")
    rows = (specs.table("system/program_settings") or {"allocators": ()})["allocators"]
    names = [name for row in rows for name in row["variables"]]
    applies(bool(refused) or any(facts.variable(name) for name in names), "no variable configures torch's allocator")
    found = [one for row in rows for one in _wrong(row, facts)]
    for variable, value, said, mended in found:
        command = command_line("export", assignment_word(variable, mended)) if mended else None
        yield Problem(
            title=f"{variable}: {said}",
            severity="error" if refused else None,
            evidence=(*quoted(refused), Evidence(fact=variable, value=value)),
            remedies=(
                Remedy(text="Use torch's spelling.", command=command, action="env")
                if command
                else Remedy(
                    text="Remove it, or use a torch that supports it.",
                    command=command_line("unset", variable_word(variable)),
                    action="env",
                ),
            ),
        )
    if refused and not found:
        yield Problem(
            title=f"torch's allocator does not know the option {refused[0].value('option') or 'that was set'}",
            severity="error",
            evidence=quoted(refused),
            remedies=(
                Remedy(
                    text="Remove the option from the variable, or use a newer torch: expandable_segments needs 2.1.",
                    command="unset PYTORCH_CUDA_ALLOC_CONF",
                    action="env",
                ),
            ),
        )


def _nearest(word: str, known: Iterable[str], likeness: float) -> list[str]:
    from difflib import get_close_matches

    return get_close_matches(word, list(known), 1, likeness)


def _wrong(row: Mapping[str, Any], facts: Facts) -> Iterator[tuple[str, str, str, str | None]]:
    """Yield each faulty variable: its name, its value, what is wrong, and the corrected value."""
    torch = facts.framework("torch")
    for variable in row["variables"]:
        value = facts.variable(variable) or ""
        for part in _LISTS.sub("", value).split(","):
            option, _, set_to = (word.strip() for word in part.partition(":"))
            since = row["options"].get(option)
            if not option or "=" in option:
                continue
            if option not in row["options"]:
                near = _nearest(option, row["options"], 0.8)
                more = f"; the closest one is {near[0]}" if near else ""
                yield (
                    variable,
                    value,
                    f"there is no option {option[:40]}{more}",
                    (near and value.replace(option, near[0])) or None,
                )
            elif since and torch is not None and relation(torch.version, f">={since}") == "older":
                yield variable, value, f"{option} needs torch {since}, but {torch.version} is installed", None
            elif option == "backend" and row["backends"] and set_to not in row["backends"]:
                near = _nearest(set_to, row["backends"], 0.6)
                yield (
                    variable,
                    value,
                    f"there is no backend {set_to[:40]}",
                    (near and value.replace(set_to, near[0])) or None,
                )
