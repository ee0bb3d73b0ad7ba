"""How to load a kernel module that Secure Boot rejects, depending on who built it and what was done already. Pure.

DKMS and akmods sign what they build with a key of this machine, which the firmware must know. What nvidia-installer or
a driver container builds is not signed at all. A kernel without a machine keyring ignores keys in the firmware's list,
however often they are enrolled. The keys are in specs/system/module_signing.yaml.
"""

from collections.abc import Iterator, Mapping, Sequence
from typing import TYPE_CHECKING, Any, Final

from accel.text.pattern import pattern
from accel.vendors.contract.check import Remedy
from accel.vendors.contract.command import chained, command_line, path_word

if TYPE_CHECKING:
    from accel.facts.questions import Facts
    from accel.specs import Specs

NAMED: Final = "secure-boot-named"
ENROLLED: Final = "signing-key-enrolled"
KEYRING: Final = "machine-keyring-named"
OTHER_KERNEL: Final = "kernel-that-loads-it"
_NUMBERS: Final = pattern(r"\d{1,3}(?:\.\d{1,4}){1,3}", exact_case=True)
_CLOUD: Final = "machine-in-cloud"
_BUILDER: Final = "module-builder-named"
READS: Final = (NAMED, ENROLLED, KEYRING, OTHER_KERNEL, _BUILDER, _CLOUD)
_STEPS: Final = (
    "Enrol the key that signed the module: choose a one-time password at the prompt, reboot, and on the blue "
    "screen (MOK manager) choose Enroll MOK and type that password. The module loads from then on. Or disable "
    "Secure Boot in the firmware setup, which needs no key."
)
_BY_HAND: Final = (
    " A module that was built and inserted manually has no signature yet: it is signed with that key first."
)
_SIGN: Final = 'sudo "/lib/modules/$(uname -r)/build/scripts/sign-file" sha256'
_PLACES: Final = " Fedora's akmods keep theirs in /etc/pki/akmods/certs, Ubuntu in /var/lib/shim-signed/mok."
_SIGNED_AGAIN: Final = Remedy(
    text="The key is enrolled, so the module is unsigned or signed by another one: build it again, which signs it "
    "(sudo dkms build MODULE/VERSION --force && sudo dkms install MODULE/VERSION --force, both as dkms status "
    "lists them; akmods: sudo akmods --force --rebuild), and load it. modinfo -F signer names the key.",
    action="admin",
)
_OFF: Final = Remedy(
    text="Or switch Secure Boot off in the firmware's setup (of a virtual machine: in its own settings), which needs "
    "no key and no other kernel.",
    command="sudo systemctl reboot --firmware-setup",
    action="reboot",
)


def let_load(facts: "Facts", specs: "Specs", module: str, files: Sequence[str] = ()) -> tuple[Remedy, ...]:
    """Return how to load a rejected module. files: modules that were built and inserted by hand.

    With another kernel if that one accepts it, or if this one ignores enrolled keys; with a new signature if the key is
    already enrolled; otherwise by enrolling the key.
    """
    others = _other_kernels(facts)
    if others or facts.stated(KEYRING):
        return (_boot_other(others), _OFF)
    if facts.stated(ENROLLED):
        return (_SIGNED_AGAIN, _OFF)
    return (_enrol_key(facts, specs, module, files),)


def _enrol_key(facts: "Facts", specs: "Specs", module: str, files: Sequence[str]) -> Remedy:
    """Return how to enrol the key that signed the module, and then load the module."""
    table: Mapping[str, Any] = specs.table("system/module_signing") or {}
    row = next(_fitting(table, facts, module), {})
    if "only" in row:
        return Remedy(text=row["only"], command=row.get("enrol"), action="admin")
    key = row.get("key", "")
    first = command_line("sudo test -f", key, "|| sudo", row["make"]) if "make" in row else None
    enrol = row.get("enrol") or command_line("sudo mokutil --import", key)
    where = "" if facts.host.distribution or "enrol" in row else _PLACES
    says = f" {row['says']}" if "says" in row else ""
    signed = [command_line(_SIGN, row["private"], key, path_word(one)) for one in files] if "private" in row else []
    if signed:
        says += _BY_HAND
    command = chained(*([first] if first else []), *signed, enrol, "sudo reboot")  # a || b && c: c runs after either
    return Remedy(text=f"{_STEPS}{says}{where}", command=command, action="reboot")


def _fitting(table: Mapping[str, Any], facts: "Facts", module: str) -> Iterator[Mapping[str, Any]]:
    told = (facts.host.distribution or "").lower()
    said = {fact.value("builder") for fact in facts.stated(_BUILDER)}
    clouds = {fact.value("cloud") for fact in facts.stated(_CLOUD)}
    for row in table.get("rows", ()):
        if "cloud" in row:
            if clouds and row["cloud"] in {*clouds, "any"}:
                yield row
            continue
        here = "names" not in row or any(name in told for name in row["names"])
        by_default = "for" not in row or (not said and module.startswith(tuple(row["for"])))
        named = row["builder"] in said - {"dkms"} and (here or not told)
        if named or (here and by_default):
            yield row


def _other_kernels(facts: "Facts") -> tuple[str, ...]:
    """Return the kernels that are said to load it, without the running one."""
    named = (_NUMBERS.match(fact.value("kernel") or "") for fact in facts.stated(OTHER_KERNEL))
    here = facts.host.kernel or ""
    return tuple(dict.fromkeys(one[0] for one in named if one is not None and not here.startswith(one[0])))


def _boot_other(kernels: tuple[str, ...]) -> Remedy:
    which = f"the kernel {' or '.join(kernels)}" if kernels else "a kernel with which the module loaded"
    return Remedy(
        text=f"Boot {which} (boot menu, Advanced options): its module is signed with the same key. If the running "
        "kernel was built without CONFIG_INTEGRITY_MACHINE_KEYRING, it trusts no key from the firmware's list, "
        "and enrolling the key again changes nothing; report it to whoever builds that kernel.",
        command="ls /lib/modules && sudo reboot",
        action="reboot",
    )
