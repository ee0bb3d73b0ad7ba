from collections.abc import Iterator

from accel.facts.questions import Facts
from accel.model.observation import Fact
from accel.specs import Specs
from accel.vendors.contract.check import Problem, Remedy, applies, check, quoted
from accel.vendors.contract.command import command_line, name_word, version_word
from accel.vendors.toolkit.kernel_packages import build_for_kernel


@check(
    code="AC115",
    name="kernel-module-not-built",
    layer="driver",
    reads=("dkms-module",),
    needs=("fact.dkms-module.state",),
)
def kernel_module_not_built(facts: Facts, specs: Specs) -> Iterator[Problem]:
    """DKMS has the sources of an accelerator's kernel module, but the running kernel has no module built from them.

    Why it matters   After a kernel update nothing can use the device: there is no module for the new kernel.
    What to do       Install the headers of the running kernel, and build and install the module.
    Looks at         /var/lib/dkms, against the running kernel; whether the module is loaded anyway
    Silent when      the module is loaded, from any package; the module is not an accelerator's; in a container
    Source           dkms(8); the modules' names: specs/system/surroundings.yaml
    """
    applies(not facts.host.containerized, "a container uses its host's kernel")
    names = set((specs.table("system/surroundings") or {}).get("dkms_modules", ()))
    found = [fact for fact in facts.stated("dkms-module") if fact.value("module") in names and _is_missing(fact)]
    for fact in found:
        module, version, kernel = (fact.value(key) for key in ("module", "version", "kernel"))
        built = fact.value("state") == "built"
        secure = " It must also be signed, because Secure Boot is on." if facts.host.secure_boot else ""
        yield Problem(
            title=f"The kernel module {module} {version} is {'built but not installed' if built else 'not built'} for "
            f"the running kernel {kernel}",
            detail=f"DKMS has it for another kernel, or only its sources.{secure}",
            evidence=quoted([fact]),
            remedies=(
                build_for_kernel(facts, specs, module or "", _install(module, version)),
                Remedy(
                    text="If it does not build, the driver is older than the kernel: install a newer driver, or "
                    "boot the previous kernel.",
                    command="dkms status; ls /lib/modules",
                    action="admin",
                ),
            ),
        )


def _is_missing(fact: Fact) -> bool:
    return fact.value("state") != "installed" and fact.value("loaded") == "no"


def _install(module: str | None, version: str | None) -> str | None:
    return command_line("sudo dkms install -m", name_word(module), "-v", version_word(version) or name_word(version))
