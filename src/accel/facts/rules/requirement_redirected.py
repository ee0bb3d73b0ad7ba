"""A requirement without quotes, in which a shell takes < or > for a redirection.

!pip install torch<2.4 torchaudio<2.4         the shell wants to read a file 2.4, and pip does not start
pip install faster-whisper>=1.1.0             pip gets no bound, and the shell writes a file =1.1.0
"""

from collections.abc import Iterator
from typing import Final

from accel.model.observation import Command, Fact
from accel.specs import Specs
from accel.text.pattern import pattern
from accel.vendors.contract.rule import Seen, fact_from, rule

_BARE: Final = pattern(r"(?:^|\s)(?P<name>[A-Za-z][\w.-]{1,60})(?P<sign>[<>])(?P<bound>=?\d[\w.]{0,20})(?=\s|,|$)")
_INSTALLERS: Final = ("pip", "pip3", "uv")


@rule(
    gives={"requirement-redirected": "a shell takes the bound of a requirement without quotes for a redirection"},
    triggers=("command.pip", "command.pip3", "command.uv"),
)
def requirement_redirected(seen: Seen, specs: Specs) -> Iterator[Fact]:
    """Holds for an installation that was typed, in a shell or behind ! in a cell; %pip needs no quotes."""
    for one in seen.of(Command):
        if one.advice or one.tool not in _INSTALLERS or one.verb != "install" or "%pip" in one.text:
            continue
        line = one.text.strip()
        if (found := _BARE.search(line)) is not None and line.startswith(("!", "$", "#", "pip", "uv", "sudo")):
            yield fact_from("requirement-redirected", one, name=found["name"], bound=found["sign"] + found["bound"])
