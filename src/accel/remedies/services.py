"""The systemd service that runs a text's program: its unit, and what is done to it. Pure.

sudo usermod -aG render $USER     sudo usermod -aG render ollama && sudo systemctl restart ollama
"""

from typing import TYPE_CHECKING, Final

from accel.facts.containers import in_container
from accel.facts.infer import observations_of
from accel.model.dataclass import replace
from accel.model.diagnosis import Remedy
from accel.model.observation import Command
from accel.remedies.actions import Action, GrantAccess, actions_of
from accel.resolver.programs import program_of, system_of
from accel.text.pattern import pattern
from accel.vendors.contract.command import chained, command_line, in_place_of, name_word

if TYPE_CHECKING:
    from collections.abc import Sequence

    from accel.remedies.environment import Environment

SERVICE: Final = "service-of-systemd"
_UNIT: Final = pattern(r"[A-Za-z0-9][A-Za-z0-9_@-]{0,60}", exact_case=True)


def unit_of(here: "Environment") -> str | None:
    """Return the systemd unit that runs the program: one that a command in the text names, or the program's own."""
    if in_container(here.facts) or here.facts.host.system not in (None, "linux"):
        return None
    row = program_of(here.facts, here.specs) or {}
    own: str | None = row.get("service", {}).get("unit")
    for one in observations_of(here.facts.snapshot):
        if isinstance(one, Command) and one.tool in ("systemctl", "journalctl"):
            named = [o.partition("=")[2] for o in one.options if o.startswith(("-u=", "--unit="))] + [*one.operands]
            found = [name.removesuffix(".service") for name in named]
            known = [name for name in found if _UNIT.fullmatch(name) and (own is None or name == own)]
            if known:
                return known[0]
    if own is None:
        return "UNIT" if here.facts.stated(SERVICE) else None
    starts = row["service"]["starts"]
    typed = any(
        isinstance(one, Command) and one.tool in starts and one.verb in ("serve", "") and not one.advice
        for one in observations_of(here.facts.snapshot)
    )
    system = system_of(here.facts, row) or "linux"
    return own if system == "linux" and (here.facts.stated(SERVICE) or not typed) else None


def restart_of(unit: str) -> str | None:
    """Return the command that restarts a service; None if its name is not plain."""
    return command_line("sudo systemctl restart", name_word(unit))


def for_its_user(
    remedy: Remedy, actions: "tuple[Action, ...]", here: "Environment"
) -> "tuple[Remedy, tuple[Action, ...]]":
    """Return a remedy that puts the reader into a group as one that does so for the user of the program's service."""
    row = program_of(here.facts, here.specs) or {}
    user, unit = row.get("service", {}).get("user"), unit_of(here)
    if user is None or unit is None or not _joins(actions):
        return remedy, actions
    joined = in_place_of("$USER", name_word(user), (remedy.command or "").replace('"$USER"', "$USER"))
    if (command := chained(joined, restart_of(unit))) is None:
        return remedy, actions
    text = (
        f"{row['name']} runs as a service of the user {user}: that user joins the groups that own the nodes, and the "
        "service is restarted. If you start it yourself, join them yourself and log in again."
    )
    return replace(remedy, text=text, command=command), actions_of(command, here.specs)


def _joins(actions: "Sequence[Action]") -> bool:
    return bool(actions) and all(
        isinstance(one, GrantAccess) and one.command.tool == "usermod" and one.step.words[-1].raw.strip('"') == "$USER"
        for one in actions
    )
