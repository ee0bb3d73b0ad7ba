"""How a kernel module that Secure Boot refuses gets loaded: one remedy, its steps in order. Pure.

DKMS and akmods sign what they build with a key of this machine; the firmware must know it. What nvidia-installer or a
driver container builds carries no signature at all.
"""

from typing import TYPE_CHECKING, Final

from accel.vendors.contract.check import Remedy
from accel.vendors.contract.command import chained, command_line

if TYPE_CHECKING:
    from accel.facts.questions import Facts

NAMED: Final = "secure-boot-named"
_STEPS: Final = (
    "Enrol the key that signed the module: choose a one-time password at the prompt, reboot, and on the blue screen "
    "(MOK manager) take Enroll MOK and type that password. The module loads from then on. Or switch Secure Boot off in "
    "the firmware's setup, which needs no key."
)
_UBUNTU: Final = ("ubuntu", "mint", "pop", "zorin", "elementary")
_FEDORA: Final = ("fedora", "red hat", "rhel", "centos", "rocky", "alma", "oracle")
_KEYS: Final = (  # which key signs, by the distribution's name, and what makes it where there is none yet
    (_UBUNTU, "/var/lib/shim-signed/mok/MOK.der", "update-secureboot-policy --new-key"),
    (_FEDORA, "/etc/pki/akmods/certs/public_key.der", "kmodgenca -a"),
)
_DKMS_KEY: Final = "/var/lib/dkms/mok.pub"


def enrol_key(facts: "Facts") -> Remedy:
    """Return how the firmware learns the key that signed the module, and the module is loaded."""
    told = (facts.host.distribution or "").lower()
    row = next((row for row in _KEYS if any(name in told for name in row[0])), None)
    key, make = (row[1], row[2]) if row is not None else (_DKMS_KEY, None)
    first = command_line("sudo test -f", key, "|| sudo", make) if make else None
    enrol = command_line("sudo mokutil --import", key)
    where = "" if told else " Fedora's akmods keep theirs in /etc/pki/akmods/certs, Ubuntu in /var/lib/shim-signed/mok."
    steps = f"({first}) && {enrol}" if first else enrol
    return Remedy(text=f"{_STEPS}{where}", command=chained(steps, "sudo reboot"), action="reboot")
