"""The check for a vendor's kernel driver that is not loaded, made from the vendor's statement."""

from collections.abc import Iterator
from typing import Any

from accel.facts.questions import Facts
from accel.model.dataclass import replace
from accel.model.device import Device
from accel.model.observation import Missing
from accel.specs import Specs
from accel.vendors.contract.check import Check, Problem, Remedy, applies, need, quoted
from accel.vendors.contract.command import chained, command_line, name_word
from accel.vendors.contract.vendor import Vendor
from accel.vendors.toolkit.kernel_packages import build_for_kernel


def driver_not_loaded(vendor: Vendor[Any], *, code: str, name: str, boards: str, source: str) -> Check:
    """Return a vendor's check. boards: their common name, "MetaX GPUs"; source: where its driver is documented."""

    def run(facts: Facts, specs: Specs) -> Iterator[Problem]:
        seen = facts.stated(vendor.fact_driver_absent)
        applies(not facts.host.containerized, "a container takes its device nodes from the host")
        answers = bool(facts.stated(vendor.fact_driver_loaded)) or _answers(facts, vendor.name)
        if seen and not answers:
            yield Problem(
                title=f"The kernel driver of the {boards} is not loaded",
                devices=tuple(device.id for device in facts.of(vendor.name)),
                evidence=quoted(seen),
                remedies=tuple(_remedies(vendor, facts, specs)),
            )
        elif facts.of(vendor.name):
            need(answers or None, f"driver of {vendor.name}")

    run.__doc__ = _page(vendor, boards, source)
    return Check(
        code=code,
        name=name,
        layer="driver",
        family="driver-not-loaded",
        reads=(vendor.fact_driver_absent, vendor.fact_driver_loaded),
        needs=(f"{vendor.name}.devices",),
        run=run,
    )


def _answers(facts: Facts, backend: str) -> bool:
    """Return whether the driver gave its version, or any device fact that the bus does not provide."""
    driver = facts.driver(backend)
    return bool(driver and driver.version) or any(_is_read(device) for device in facts.of(backend))


def _is_read(device: Device) -> bool:
    told = (device.memory_total_bytes, device.temperature_celsius, device.power_watts, device.utilization_percent)
    return any(value is not None for value in told)


def _refused(facts: Facts, vendor: Vendor[Any]) -> bool:
    """Return whether the text shows that the kernel was asked to load the module but rejected it."""
    told = (fact.text.lower() for fact in facts.stated(vendor.fact_driver_absent))
    return any("could not insert" in text or "insmod" in text for text in told)


def _is_not_installed(facts: Facts, vendor: Vendor[Any]) -> bool:
    """Return whether the vendor's own tool, which the driver's package installs, is missing as well."""
    tools = {name.rpartition("/")[2] for name in vendor.tool.names} if vendor.tool else set()
    observed = facts.snapshot.observations
    return any(isinstance(one, Missing) and one.piece == "command" and one.name in tools for one in observed)


def _remedies(vendor: Vendor[Any], facts: Facts, specs: Specs) -> Iterator[Remedy]:
    if vendor.driver and _is_not_installed(facts, vendor) and not _refused(facts, vendor):
        yield Remedy(
            text=f"Install {vendor.driver} on the host, in the release for its system and processor "
            f"({vendor.maker}'s download page has it): neither its module nor its tool is installed. Then "
            "reboot, and recreate the containers.",
            action="admin",
        )
        return
    loads = [command_line("sudo modprobe", name_word(module)) for module in vendor.modules]
    if _refused(facts, vendor):  # loading it again would fail again
        yield Remedy(
            text="The kernel rejected the module: its log says why (built for another kernel, a missing symbol, "
            "a signature that Secure Boot requires).",
            command="sudo dmesg -T | tail -30; uname -r; dkms status; mokutil --sb-state",
            action="admin",
        )
        yield _built_again(vendor, facts, specs)
        return
    yield Remedy(
        text="Load the module; if that fails, the kernel log says why.",
        command=chained(*loads, by="||") or None,
        action="admin",
    )
    built = _built_again(vendor, facts, specs)
    yield replace(built, text=f"If there is none for the running kernel: {built.text[:1].lower()}{built.text[1:]}")


def _built_again(vendor: Vendor[Any], facts: Facts, specs: Specs) -> Remedy:
    """Return how to build the module for the running kernel: by DKMS, otherwise by reinstalling the driver."""
    built = build_for_kernel(facts, specs, vendor.modules[0] if vendor.modules else "")
    return replace(built, text=f"{built.text} If DKMS does not list it, reinstall {vendor.driver} instead.")


def _page(vendor: Vendor[Any], boards: str, source: str) -> str:
    nodes = ", ".join((*vendor.shared_nodes, *vendor.nodes))
    lines = (
        f"{boards} are there, but their kernel driver is not loaded.",
        "",
        f"Why it matters   Without it there is no node ({nodes}), and every program sees a machine without them.",
        "What to do       Load the module; after a kernel update it must be built again, with the kernel's headers.",
        "Looks at         the PCI bus and the nodes; what lspci -k, modprobe and ls say of them",
        "Silent when      a node is there, or the driver answers; in a container, whose nodes come from the host;",
        "                 undecided where only the board is known, as from lspci without -k",
        f"Source           {source}",
    )
    return "\n".join(lines)
