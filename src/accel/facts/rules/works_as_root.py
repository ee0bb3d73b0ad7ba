"""A command that fails as a user and works as root: the user lacks a permission, whatever the error message."""

import re
from collections.abc import Iterator, Sequence
from typing import Final

from accel.model.observation import Command, Complaint, ErrorSeen, Fact, Observation
from accel.specs import Specs
from accel.text.pattern import pattern
from accel.vendors.contract.rule import Seen, fact_from, rule

_ROOT: Final = pattern(r"(?:^|[\s$#>])(?:sudo|doas|pkexec)\s")
_DEVICE: Final = pattern(r"(?<![a-z])[gn]pu(?![a-z])", re.IGNORECASE)
_FEW: Final = 40  # lines of output that are checked


@rule(gives={"works-as-root": "root sees the GPU, and the user does not"}, triggers=("command",))
def works_as_root(seen: Seen, specs: Specs) -> Iterator[Fact]:
    """Holds if the text shows a vendor's program run twice, the same but for sudo: an error follows the run without it,
    output without an error the run with it; or the run with it alone lists a GPU or NPU.
    """
    run = [one for one in seen.of(Command) if not one.advice and one.line is not None]
    wrong: list[Observation] = [*seen.of(ErrorSeen), *(one for one in seen.of(Complaint) if one.certain)]
    for number, one in enumerate(run):
        fails, empty = _fails(number, run, wrong), one.answer is not None and not _DEVICE.search(one.answer)
        if _ROOT.search(one.text) or not (fails or empty) or not _is_makers(one.tool, specs):
            continue
        for other, again in enumerate(run):
            alike = again.tool == one.tool and again.operands == one.operands
            shown = again.answer and _ROOT.search(again.text) and (fails or _DEVICE.search(again.answer))
            if alike and shown and not _fails(other, run, wrong):
                yield fact_from("works-as-root", one, tool=one.tool)
                return


def _is_makers(tool: str, specs: Specs) -> bool:
    layer = specs.components.layer(specs.components.of_command(tool))
    return layer in ("driver", "toolkit")


def _fails(number: int, run: Sequence[Command], wrong: Sequence[Observation]) -> bool:
    """Return whether there is an error between a command and the next one."""
    begins = run[number].last_line or run[number].line or 0
    later = [one.line for one in run[number + 1 :] if one.line is not None and one.line > begins]
    ends = min([*later, begins + _FEW])
    return any(one.line is not None and begins < one.line < ends for one in wrong)
