from collections.abc import Iterator

from accel.facts.questions import Facts
from accel.specs import Specs
from accel.vendors.contract.check import Evidence, Problem, Remedy, check, quoted


@check(
    code="AC028",
    name="cpu-without-avx",
    layer="hardware",
    reads=(
        *("instruction-unknown", "vector-units-wanted", "processor-without-avx", "processor-with-avx"),
        *("processor-without-avx2", "processor-of-arm", "virtual-machine-named"),
    ),
    needs=("run.program",),
    requires=("python-under-rosetta",),
)
def cpu_without_avx(facts: Facts, specs: Specs) -> Iterator[Problem]:
    """A wheel or a program uses instructions (usually AVX) that this physical or virtual processor does not have.

    Why it matters   The process dies on import with "Illegal instruction", without a traceback.
    What to do       Expose the host's processor to the virtual machine; otherwise use an older release, a build of your
                     own, or another machine.
    Looks at         illegal instructions in any wording; messages about AVX; the processor's name and flags
    Silent when      a GPU hit an illegal instruction; the processor has AVX2; TensorFlow says what it could use
    Source           jaxlib and TensorFlow: cpu_feature_guard; glibc: x86-64-v2; data sheets of the processors
    """
    died, wanted = facts.stated("instruction-unknown"), facts.stated("vector-units-wanted")
    if not died and not wanted:
        return
    lacks = facts.stated("processor-without-avx")
    units = next((u for d in facts.of("cpu") if (u := getattr(d, "vector_units", None)) is not None), None)
    without = bool(lacks) if units is None else "avx" not in units
    has_it = (units is not None and "avx" in units) or (not lacks and bool(facts.stated("processor-with-avx")))
    older = facts.stated("processor-without-avx2")
    has_it = has_it and not (older if units is None else "avx2" not in units)
    if not wanted and (has_it or (facts.stated("processor-of-arm") and not lacks)):
        return
    evidence = quoted((*wanted, *died, *lacks, *older[:1]))
    if units is not None and without:
        evidence = (*evidence, Evidence(fact="vector units of the processor", value=", ".join(units) or "no AVX"))
    virtual = bool(facts.host.virtualization or facts.stated("virtual-machine-named")) or any(
        "virtual" in f.text.lower() or "kvm" in f.text.lower() for f in lacks
    )
    yield Problem(
        title="The processor has no AVX, but the program is built with it"
        if without
        else "The program is built for instructions that this processor lacks",
        evidence=evidence,
        severity=None if wanted or without else "warning",
        remedies=tuple(_remedies(facts, virtual)),
    )


def _remedies(facts: Facts, virtual: bool) -> Iterator[Remedy]:
    command = "grep -o -w -E 'avx|avx2|avx512f|fma' /proc/cpuinfo | sort -u"
    if facts.host.system == "macos":
        command = "sysctl -n machdep.cpu.brand_string machdep.cpu.features machdep.cpu.leaf7_features; uname -m"
    yield Remedy(
        text="Check which vector instructions the processor has: no output means no AVX.",
        command=command,
        action="env",
        kind="look",
    )
    machine = Remedy(
        text="In a virtual machine, use the host's CPU type (QEMU, Proxmox: CPU type host): the default one may hide "
        "AVX.",
        action="admin",
    )
    if virtual:
        yield machine
    yield Remedy(
        text="Use the last release that was built without these instructions, build it on this machine, or use "
        "another machine: no setting adds instructions.",
        action="env",
    )
    if not virtual:
        yield machine
