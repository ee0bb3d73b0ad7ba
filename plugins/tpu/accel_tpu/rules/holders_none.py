"""A command that lists who has the TPU's nodes open printed nothing."""

from collections.abc import Iterator
from typing import Final

from accel.model.observation import Command, Fact
from accel.vendors.contract.rule import Seen, Specs, fact_from, rule

_ASKING: Final = frozenset(("lsof", "fuser"))
_ABOUT: Final = ("/dev/accel", "/dev/vfio", "libtpu")


@rule(
    gives={"tpu-holders-none": "lsof or fuser on the TPU's nodes or its lock file printed nothing"},
    triggers=("command.lsof", "command.fuser"),
)
def holders_none(seen: Seen, specs: Specs) -> Iterator[Fact]:
    """Holds for a command that was run without output before the next prompt or a blank line.

    Advice in libtpu's message ('Run "$ sudo lsof -w /dev/accel0"') is not a command that was run.
    """
    for command in seen.of(Command):
        if (
            command.tool in _ASKING
            and any(about in operand.lower() for operand in command.operands for about in _ABOUT)
            and not command.advice
            and (command.answer is None or command.answer.lower() in ("(empty)", "(nothing)", "(no output)"))
        ):
            yield fact_from("tpu-holders-none", command)
