"""A driver's kernel module is built and not loaded, and Secure Boot is on."""

from collections.abc import Iterator
from typing import TYPE_CHECKING, Final

from accel.vendors.contract.check import Evidence, Problem, Remedy, applies, check, quoted
from accel.vendors.toolkit.secure_boot import enrol_key

if TYPE_CHECKING:
    from accel.facts.questions import Facts
    from accel.specs import Specs

_REFUSED: Final = "module-signature-refused"
_MAKERS: Final = ("nvidia", "amd", "intel", "ascend")
_HAS_A_CHECK: Final = "nvidia"  # which says more of it: driver-not-loaded


@check(
    code="AC117",
    name="module-kept-out-by-secure-boot",
    layer="driver",
    severity="warning",
    reads=("dkms-module", _REFUSED),
    needs=("fact.dkms-module.state",),
)
def module_kept_out_by_secure_boot(facts: "Facts", specs: "Specs") -> Iterator[Problem]:
    """An accelerator's module is built for the running kernel and not loaded, while Secure Boot is on.

    Why it matters   With Secure Boot the kernel loads only modules whose signature it knows: one that was built here is
                     refused until its key is enrolled.
    What to do       Enrol the key with which DKMS signs, and confirm it at the next start.
    Looks at         /var/lib/dkms; whether the module is loaded; the EFI variable SecureBoot; "Key was rejected by
                     service" and "Required key not available" of a driver's module
    Silent when      Secure Boot is off or not known; the module is loaded; it is not built; in a container
    Source           Linux: Documentation/admin-guide/module-signing.rst; dkms(8): mok_signing_key
    """
    names = set((specs.table("system/surroundings") or {}).get("dkms_modules", ()))
    refused = tuple(f for f in facts.stated(_REFUSED) if _is_ours(_plain(f.value("module")), names, facts))
    if refused:
        modules = ", ".join(dict.fromkeys(_plain(fact.value("module")) for fact in refused))
        yield Problem(
            title=f"Secure Boot refuses the kernel module {modules}: it is not signed by a key that the firmware knows",
            evidence=quoted(refused),
            remedies=(enrol_key(facts),),
            severity="error",
        )
        return
    applies(not facts.host.containerized, "a container has the kernel of its host")
    applies(facts.host.secure_boot is True, "Secure Boot is not on")
    for fact in facts.stated("dkms-module"):
        if fact.value("module") not in names or fact.value("state") != "installed" or fact.value("loaded") != "no":
            continue
        module = fact.value("module")
        yield Problem(
            title=f"The kernel module {module} is installed and not loaded: Secure Boot wants a known signature",
            evidence=(*quoted([fact]), Evidence(fact="secure_boot", value="on", grade="measured")),
            remedies=(
                enrol_key(facts),
                Remedy(
                    text="See what the kernel says of its signature.",
                    command="sudo dmesg | grep -iE 'signature|lockdown|rejected'; mokutil --sb-state",
                    action="admin",
                    kind="look",
                ),
            ),
        )


def _is_ours(module: str, names: "set[str]", facts: "Facts") -> bool:
    """Whether a refused module is an accelerator's, or another that DKMS built beside one that the text speaks of."""
    if module.startswith(_HAS_A_CHECK) or not module:
        return False
    makers = {fact.value("subject") for fact in facts.stated("spoken-of")}
    return module in names or not makers.isdisjoint(_MAKERS)


def _plain(module: str | None) -> str:
    """Return a module's name as DKMS has it: "amdgpu" of "amdgpu.ko"."""
    return (module or "").removesuffix(".ko")
