from collections.abc import Iterator
from typing import Final

from accel.facts.questions import Facts
from accel.resolver.installer import pip_install
from accel.specs import Specs
from accel.vendors.contract.check import Problem, Remedy, check, quoted
from accel.vendors.contract.command import bounded_word

_CPU_INDEX: Final = "https://download.pytorch.org/whl/cpu"


@check(
    code="AC036",
    name="torch-cpu-label-conflict",
    layer="framework",
    family="wheel-not-in-index",
    reads=("build-label-conflict",),
    needs=("run.installation",),
)
def torch_cpu_label_conflict(facts: Facts, specs: Specs) -> Iterator[Problem]:
    """One package requires torch==X and another torch==X+cpu, or +cpu is requested where no such wheel exists.

    Why it matters   The resolver finds no solution, though both mean the same release. Wheels with the label are only
                     on PyTorch's own index, for x86-64; on aarch64 and macOS the plain wheel is the CPU build.
    What to do       On x86-64 add PyTorch's CPU index; on aarch64 and macOS omit the label.
    Looks at         the resolver's conflict of two labels of one version; the answer to a requirement with +cpu
    Silent when      the versions differ in more than the label; another label (+cu118) is requested
    Source           PyTorch: its indexes; pip and uv: how local versions are compared (PEP 440)
    """
    told = facts.stated("build-label-conflict")
    if not told:
        return
    first = told[0]
    name = first.value("package") or "torch"
    version = (first.value("wants") or "").partition("+")[0]
    pin = f"{name}=={version}" if version else name
    bare = bounded_word(name, f"=={version}" if version else "")
    labelled = bounded_word(name, f"=={version}+cpu" if version else "")
    mac = facts.host.system == "macos"
    arm = facts.host.machine in ("aarch64", "arm64") or any(fact.value("arm") for fact in told)
    if mac or arm:
        where = "for macOS" if mac else "on aarch64"
        remedies: tuple[Remedy, ...] = (
            Remedy(
                text=f"Remove the label: {where} the plain wheel is the CPU build.",
                command=pip_install(facts, bare),
            ),
        )
    else:
        remedies = (
            Remedy(
                text="First install the labelled build from PyTorch's CPU index.",
                command=pip_install(facts, labelled, index=_CPU_INDEX),
            ),
            Remedy(text="Then install what requires the unlabelled version without its dependencies (--no-deps)."),
        )
    title = f"There is no wheel of {pin}+cpu for this platform on the index that was used"
    if any(fact.value("against") for fact in told):
        title = f"{pin} and {pin}+cpu conflict"
    yield Problem(title=title, evidence=quoted(told), remedies=remedies)
