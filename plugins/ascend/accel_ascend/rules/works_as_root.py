"""A command with different output for a user and for root.

[dev@node1 ~]$ python -c "import torch, torch_npu; print(torch.npu.device_count())"
0
[root@node1 ~]# python -c "import torch, torch_npu; print(torch.npu.device_count())"
8
"""

import re
from collections.abc import Iterator
from typing import Final

from accel.model.observation import Command, Fact
from accel.text.pattern import pattern
from accel.vendors.contract.rule import Seen, Specs, fact_from, rule

_WHO: Final = pattern(
    r"^\W{0,3}(?:\([\w./-]+\)[ ]?)?(?P<user>[a-z_][\w.-]{0,31})@[\w.-]+[^#$]{0,80}[#$]", exact_case=True
)
_ASKING: Final = ("npu-smi", "python", "python3")
_ABOUT: Final = pattern(r"\bnpu\b|torch_npu|npu-smi|\bacl\b|mindspore", re.IGNORECASE)
_NONE: Final = pattern(
    r"(?:0|false|\[\])$|.*(?:-80\d\d|failed|error|denied|not permitted|no (?:npu|device))", re.IGNORECASE
)
_SOME: Final = pattern(r"(?:[1-9]\d?|true)$|\+[-=]{10,}", re.IGNORECASE)


@rule(
    gives={"npu-refused-to-user": "a command that finds the chips as root finds none as another user"},
    triggers=tuple(f"command.{tool}" for tool in _ASKING),
)
def works_as_root(seen: Seen, specs: Specs) -> Iterator[Fact]:
    """Holds for one command run at prompts of root and of another user, with output under each."""
    asked = [one for one in seen.of(Command) if one.tool in _ASKING and one.answer and _ABOUT.search(one.text)]
    for one in asked:
        if not _is_root(one) and _NONE.match(one.answer or ""):
            for other in asked:
                same = (one.tool, one.operands, one.options) == (other.tool, other.operands, other.options)
                if same and _is_root(other) and _SOME.match(other.answer or ""):
                    yield fact_from("npu-refused-to-user", one)
                    yield fact_from("npu-refused-to-user", other)
                    return


def _is_root(command: Command) -> bool:
    who = _WHO.match(command.text)
    return (who is not None and who["user"] == "root") or "sudo " in command.text
