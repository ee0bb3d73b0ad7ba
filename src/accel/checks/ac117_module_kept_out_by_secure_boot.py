"""A driver's kernel module is built and not loaded, and Secure Boot is on."""

from collections.abc import Iterator
from typing import TYPE_CHECKING

from accel.vendors.contract.check import Evidence, Problem, Remedy, applies, check, quoted
from accel.vendors.contract.command import command_line, name_word

if TYPE_CHECKING:
    from accel.facts.questions import Facts
    from accel.specs import Specs


@check(
    code="AC117",
    name="module-kept-out-by-secure-boot",
    layer="driver",
    severity="warning",
    reads=("dkms-module",),
    needs=("fact.dkms-module.state",),
)
def module_kept_out_by_secure_boot(facts: "Facts", specs: "Specs") -> Iterator[Problem]:
    """An accelerator's module is built for the running kernel and not loaded, while Secure Boot is on.

    Why it matters   With Secure Boot the kernel loads only modules whose signature it knows: one that was built here is
                     refused until its key is enrolled.
    What to do       Enrol the key with which DKMS signs, and confirm it at the next start.
    Looks at         /var/lib/dkms; whether the module is loaded; the EFI variable SecureBoot
    Silent when      Secure Boot is off or not known; the module is loaded; it is not built; in a container
    Source           Linux: Documentation/admin-guide/module-signing.rst; dkms(8): mok_signing_key
    """
    applies(not facts.host.containerized, "a container has the kernel of its host")
    applies(facts.host.secure_boot is True, "Secure Boot is not on")
    names = set((specs.table("system/surroundings") or {}).get("dkms_modules", ()))
    for fact in facts.stated("dkms-module"):
        if fact.value("module") not in names or fact.value("state") != "installed" or fact.value("loaded") != "no":
            continue
        module = fact.value("module")
        yield Problem(
            title=f"The kernel module {module} is installed and not loaded: Secure Boot wants a known signature",
            evidence=(*quoted([fact]), Evidence(fact="secure_boot", value="on", grade="measured")),
            remedies=(
                Remedy(
                    text="Load it: what the kernel says tells whether its key is refused.",
                    command=command_line("sudo modprobe", name_word(module)),
                    action="admin",
                ),
                Remedy(
                    text="If it is: enrol DKMS's key, and confirm it with the password at the next start.",
                    command="sudo mokutil --import /var/lib/dkms/mok.pub && sudo reboot",
                    action="reboot",
                ),
            ),
        )
