from collections.abc import Iterable, Iterator
from typing import Final

from accel.facts.questions import Facts
from accel.model.observation import Fact
from accel.specs import Specs
from accel.vendors.contract.check import Evidence, Problem, Remedy, applies, check, quoted
from accel.vendors.toolkit.secure_boot import READS, let_load

_REFUSED: Final = "module-signature-refused"
_NVIDIA: Final = "nvidia"  # has a more specific check: driver-not-loaded
_OF_NVIDIA: Final = "module-key-refused"


@check(
    code="AC117",
    name="module-kept-out-by-secure-boot",
    layer="driver",
    severity="warning",
    reads=("dkms-module", _REFUSED, _OF_NVIDIA, *READS),
    needs=("fact.dkms-module.state",),
)
def module_kept_out_by_secure_boot(facts: Facts, specs: Specs) -> Iterator[Problem]:
    """Secure Boot rejects a kernel module of any maker, or an accelerator's module is built but not loaded under it.

    Why it matters   With Secure Boot the kernel loads only modules with a known signature: a locally built module is
                     rejected until its key is enrolled.
    What to do       Enrol the key with which DKMS signs, and confirm it at the next boot.
    Looks at         /var/lib/dkms; whether the module is loaded; the EFI variable SecureBoot; "Key was rejected by
                     service", "Required key not available" and the kernel's messages about signatures and lockdown
    Silent when      Secure Boot is off or unknown; the module is loaded; it is not built; in a container; the module is
                     NVIDIA's, which has its own check
    Source           Linux: Documentation/admin-guide/module-signing.rst; dkms(8): mok_signing_key
    """
    names = set((specs.table("system/surroundings") or {}).get("dkms_modules", ()))
    refused = tuple(fact for fact in facts.stated(_REFUSED) if not _is_of_nvidia(fact, facts))
    if refused:
        named = (_plain(fact.value("module")) for fact in refused)
        modules = tuple(dict.fromkeys(name for name in named if name.replace("-", "_").isidentifier()))
        which = f"the kernel module{'s' if modules[1:] else ''} {', '.join(modules)}" if modules else "a kernel module"
        yield Problem(
            title=f"Secure Boot rejects {which}: no signature with a key that the kernel trusts",
            evidence=quoted(refused),
            remedies=let_load(facts, specs, modules[0] if modules else "", _by_hand(refused)),
            severity="error",
        )
        return
    applies(not facts.host.containerized, "a container uses its host's kernel")
    applies(facts.host.secure_boot is True, "Secure Boot is not on")
    for fact in facts.stated("dkms-module"):
        if fact.value("module") not in names or fact.value("state") != "installed" or fact.value("loaded") != "no":
            continue
        module = fact.value("module")
        yield Problem(
            title=f"The kernel module {module} is installed but not loaded: Secure Boot requires a trusted signature",
            evidence=(*quoted([fact]), Evidence(fact="secure_boot", value="on", grade="measured")),
            remedies=(
                *let_load(facts, specs, module or ""),
                Remedy(
                    text="Check what the kernel reports about its signature.",
                    command="sudo dmesg | grep -iE 'signature|lockdown|rejected'; mokutil --sb-state",
                    action="admin",
                    kind="look",
                ),
            ),
        )


def _is_of_nvidia(fact: Fact, facts: Facts) -> bool:
    """Return whether a rejected module is NVIDIA's, by its name or, without one, by what NVIDIA's check reads."""
    module = _plain(fact.value("module"))
    return module.startswith(_NVIDIA) or (not module and bool(facts.stated(_OF_NVIDIA)))


def _plain(module: str | None) -> str:
    """Return a module's name as in DKMS: "amdgpu" for "/lib/modules/…/amdgpu.ko"."""
    return (module or "").rpartition("/")[2].partition(".ko")[0]


def _by_hand(refused: Iterable[Fact]) -> tuple[str, ...]:
    """Return the files given to insmod, each once; DKMS and akmods load theirs by modprobe."""
    told = (fact.value("module") or "" for fact in refused if fact.text.lower().startswith("insmod"))
    files = {_plain(name): name for name in sorted(told, key=len) if name.endswith(".ko")}  # the longest has the path
    return tuple(files.values())
