"""What has builds for Linux alone, on Windows: in WSL 2, from its installation to the packages in it. Pure."""

from typing import TYPE_CHECKING, Final

from accel.vendors.contract.check import Remedy
from accel.vendors.contract.command import chained, command_line

if TYPE_CHECKING:
    from accel.facts.questions import Facts

_VENV: Final = "sudo apt update && sudo apt install -y python3-venv && python3 -m venv ~/gpu"
_IN_VENV: Final = ". ~/gpu/bin/activate"
_WSL: Final = "wsl-named"


def has_wsl(facts: "Facts") -> bool:
    """Whether WSL is known to be on this Windows."""
    return bool(facts.host.wsl) or facts.first(_WSL) is not None


def in_wsl(facts: "Facts", text: str, command: str | None) -> Remedy:
    """Return how something is installed in WSL 2: the installation of WSL first, where nothing shows that it is there.

    text     what is done, without a full stop
    command  what installs it there by pip; None: whatever its own guide for Linux names
    """
    inside = chained(command_line(_VENV), command_line(_IN_VENV), command) if command is not None else None
    if has_wsl(facts) and inside is not None:
        return Remedy(text=f"{text} in WSL 2, in an environment of its own. There type:", command=inside, action="env")
    then = f"type there:  {inside}" if inside is not None else "follow its guide for Linux there"
    return Remedy(
        text=f"{text} in WSL 2. The command, in PowerShell as administrator, installs that with Ubuntu. Restart "
        f"Windows, open Ubuntu, and {then}  . The driver is the one of Windows: install none in WSL.",
        command="wsl --install",
        action="admin",
    )
