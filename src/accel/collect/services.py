"""Failed services of this machine, as listed by systemd.

Runs     systemctl list-units --failed, if systemd is running (/run/systemd/system): not in most containers
"""

from typing import Final

from accel.machine.protocol import Machine
from accel.model.observation import Noted

_RUNS: Final = "/run/systemd/system"
_COMMAND: Final = ("systemctl", "list-units", "--type=service", "--state=failed,activating", "--plain", "--no-pager")
_SECONDS: Final = 1.0  # it asks systemd over a socket of this machine


def services(machine: Machine) -> tuple[Noted, ...]:
    """Return the facts; () if systemd is not running or does not answer."""
    if machine.system != "linux" or not machine.exists(_RUNS):
        return ()
    answer = machine.run(_COMMAND, _SECONDS)
    if answer.exit_code != 0:
        return ()
    from accel.facts.readers.system_services import service_states

    return tuple(service_states(answer.stdout, printed=False))
