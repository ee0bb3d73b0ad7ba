"""Values of CUDA_VISIBLE_DEVICES set or printed by commands."""

from collections.abc import Iterator
from typing import Final

from accel.model.observation import Command, Fact
from accel.vendors.contract.rule import Seen, Specs, fact_from, rule

_VARIABLE: Final = "CUDA_VISIBLE_DEVICES"


@rule(gives={"mask-in-command": "a command sets or prints CUDA_VISIBLE_DEVICES: value"}, triggers=("command",))
def masks(seen: Seen, specs: Specs) -> Iterator[Fact]:
    """Holds for variables before a command, export, -e options, and the output of echo and printenv."""
    for command in seen.of(Command):
        if command.advice:
            continue
        values = [value for name, value in command.variables if name.upper() == _VARIABLE]
        values += [
            option.split("=", 2)[2]
            for option in command.options
            if option.upper().startswith((f"-E={_VARIABLE}=", f"--ENV={_VARIABLE}="))
        ]
        if command.tool in ("echo", "printenv") and command.answer is not None:
            asked = [word.strip("\"'${}%").upper() for word in command.operands]
            values += [command.answer] if asked == [_VARIABLE] and len(command.answer) < 200 else []
        for value in values:
            yield fact_from("mask-in-command", command, value=value.strip().strip("\"'"))
