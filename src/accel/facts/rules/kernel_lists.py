"""What lists of the kernel leave out: a module's file for another kernel alone, an option that was not booted with.

/lib/modules/5.15.0-130-generic/…/nvidia.ko    and 5.15.0-131-generic runs: the module is for the other kernel
GRUB_CMDLINE_LINUX_DEFAULT="intel_iommu=on"    and /proc/cmdline has no intel_iommu: another boot loader, or not applied
/sys/kernel/iommu_groups/14/devices            0000:02:00.0  0000:0a:00.0  0000:0a:00.1: the card is not alone
"""

from collections.abc import Iterator
from typing import TYPE_CHECKING, Final

from accel.model.dataclass import replace
from accel.model.observation import Command, Fact
from accel.text.pattern import pattern
from accel.vendors.contract.rule import Seen, fact_from, rule

if TYPE_CHECKING:
    from accel.specs import Specs

_FILE: Final = pattern(
    r"/lib/modules/(?P<kernel>\d[\w.+~-]{2,80})/[\w./+-]{0,200}?(?P<module>[\w-]{1,60})\.ko(?:\.\w{2,3})?(?!\w)",
    exact_case=True,
)
_OPTION: Final = pattern(r"(?<![\w.=\"])[a-z][\w.-]{1,60}=[\w.,:-]{1,80}", exact_case=True)
_ADDRESS: Final = pattern(r"(?<![\w:])(?:[0-9a-f]{4}:)?(?P<slot>[0-9a-f]{2}:[0-9a-f]{2})\.[0-7](?!\w)")


@rule(
    gives={"module-for-other-kernel": "a driver's module is installed for other kernels than the one that runs"},
    triggers=("module-file-listed",),
)
def module_for_other_kernel(seen: Seen, specs: "Specs") -> Iterator[Fact]:
    """Holds for a driver of accelerators whose files are all below the folders of other kernels."""
    running = seen.snapshot.host.kernel
    names = tuple((specs.table("system/surroundings") or {}).get("driver_modules", ()))
    found = [(fact, hit) for fact in seen.facts("module-file-listed") for hit in _FILE.finditer(fact.text)]
    ours = [(fact, hit) for fact, hit in found if hit["module"].startswith(names)]
    if running is None or any(hit["kernel"] == running for _, hit in ours):
        return
    for fact, hit in ours:
        values = {"module": hit["module"], "kernel": hit["kernel"], "running": running}
        values["image"] = f"/boot/vmlinuz-{hit['kernel']}"
        values["packages"] = "rpm" if hit["kernel"].endswith((".x86_64", ".aarch64")) else "other"
        yield replace(fact, name="module-for-other-kernel", values=tuple(values.items()))


@rule(
    gives={"option-not-booted": "an option in GRUB's file is not on the running kernel's command line"},
    triggers=("grub-line-shown",),
)
def option_not_booted(seen: Seen, specs: "Specs") -> Iterator[Fact]:
    """Holds if the text shows both, and the value is missing from what the kernel was started with."""
    booted = [fact for fact in seen.facts("boot-line-shown") if "GRUB_CMDLINE" not in fact.text]
    if not booted:
        return
    given = " ".join(fact.text for fact in booted).split()
    for fact in seen.facts("grub-line-shown"):
        missing = [one for one in _OPTION.findall(fact.text.partition("=")[2].strip("\"' ")) if one not in given]
        if missing:
            values = (("option", missing[0]), ("options", " ".join(missing)))
            yield replace(fact, name="option-not-booted", values=values)


@rule(
    gives={"iommu-group-of-several": "an IOMMU group holds functions of other devices than the card alone"},
    triggers=("passthrough-group-shared",),
)
def iommu_group_of_several(seen: Seen, specs: "Specs") -> Iterator[Fact]:
    """Holds if a listing of the group that a message names shows devices in more slots than one."""
    card = next((v for fact in seen.facts("passthrough-group-shared") if (v := fact.value("pci"))), None)
    if card is None:
        return
    for command in seen.of(Command):
        listed = _ADDRESS.findall(command.answer or "") if "iommu_groups" in command.text else []
        others = [slot for slot in dict.fromkeys(listed) if slot not in card]
        if others and len(others) < len(set(listed)):
            values = {"pci": card, "count": str(len(others)), "others": ", ".join(others)}
            yield fact_from("iommu-group-of-several", command, **values)
            return
