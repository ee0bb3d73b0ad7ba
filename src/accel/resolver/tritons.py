"""The Triton that matches a torch: another package on Windows, and one for each vendor's devices. Pure."""

from accel.facts.questions import Facts
from accel.resolver.installer import pip_install
from accel.resolver.torch_here import group, torch_here
from accel.resolver.wheel_pages import index_word
from accel.specs import Specs
from accel.vendors.contract.check import Remedy
from accel.vendors.contract.command import chained, command_line, package_word, requirement_word


def triton_of(facts: Facts, specs: Specs, *, on_windows: bool) -> Remedy:
    """Return how to replace all installed Triton packages with the one that torch was built with."""
    torch = torch_here(facts, specs)
    removed = command_line("pip uninstall -y", *map(package_word, group(specs, "tritons")))
    label = torch.label or ""
    if on_windows and not label.startswith(("xpu", "rocm")):
        release = specs.companion_for("triton-windows", torch.version) if torch.version else None
        word = requirement_word("triton-windows", release) if release else package_word("triton-windows")
        told = f", {torch.version}" if release else ": 3.1 with torch 2.5, 3.2 with 2.6, and so on"
        return Remedy(
            text="Remove all Triton packages and install the community's Windows build, triton-windows, in the release "
            f"that matches this torch{told}; or turn off what requires Triton.",
            command=chained(removed, pip_install(facts, word)),
            action="env",
        )
    same = requirement_word("torch", torch.version) if torch.version else package_word("torch")
    index = ("--index-url", index_word(label)) if label.startswith(("xpu", "rocm")) else ()
    return Remedy(
        text="Install the triton that matches this torch: each torch requires one Triton, which is installed with it.",
        command=chained(removed, command_line("pip install", same, *index)),
    )
