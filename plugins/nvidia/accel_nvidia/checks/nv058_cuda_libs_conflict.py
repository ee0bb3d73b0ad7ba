import re

from accel.facts.containers import CONTAINER, in_container
from accel.facts.query import SEARCHED, holds
from accel.facts.questions import texts
from accel.model.observation import Experiment
from accel.vendors.contract.check import Evidence, Fact, Facts, Problem, Problems, Remedy, Specs, check, quoted
from accel.vendors.contract.command import command_line, package_word
from accel.vendors.toolkit.table_steps import fix


@check(
    code="NV058",
    name="cuda-libs-conflict",
    layer="framework",
    reads=(
        "cuda-library-symbol-missing",
        "cuda-library-older-than-jax",
        "cuda-library-unloadable",
        "two-cuda-majors-said",
        "library-from-elsewhere",
        SEARCHED,
        *CONTAINER,
    ),
    needs=("environment.packages",),
    asks=("environment.packages",),
    explained_by=("nccl-version-mismatch",),
)
def cuda_libs_conflict(facts: Facts, specs: Specs) -> Problems:
    """There are two copies of a CUDA library (toolkit, conda, wheels), and the program loads the wrong one.

    Why it matters   The import fails with an undefined symbol, or JAX does not use the GPU.
    What to do       Keep the toolkit's directories out of LD_LIBRARY_PATH, and use wheels of one CUDA version only.
    Looks at         undefined symbols in or from CUDA libraries (cuBLAS, cuSPARSE, nvJitLink …); JAX's messages with
                     two versions; wheels for two CUDA majors; copies that LD_LIBRARY_PATH puts before a framework's own
    Silent when      there are several copies and nothing fails: wheels of two majors are then only information
    Source           the GNU loader's search order; JAX: installation notes on LD_LIBRARY_PATH
    """
    symbols = tuple(f for f in facts.stated("cuda-library-symbol-missing") if "undefined reference" not in f.text)
    older = facts.stated("cuda-library-older-than-jax", "cuda-library-unloadable")
    from accel_nvidia.wheels import of_two_majors

    double = of_two_majors(facts)
    said = facts.stated("two-cuda-majors-said")
    elsewhere = facts.stated("library-from-elsewhere")
    evidence = quoted((*symbols, *older, *said, *elsewhere), 8)
    if path := facts.variable("LD_LIBRARY_PATH"):
        evidence = (*evidence, Evidence(fact="LD_LIBRARY_PATH", value=path))
    if double:
        evidence = (*evidence, Evidence(fact="wheels of two CUDA majors", value=texts(double)))
    if symbols or older:
        first = (*symbols, *older)[0]
        name = _library(first, specs)
        title = f"{name or 'A CUDA library'} comes from a different CUDA release than the libraries that use it"
        if first.name == "cuda-library-older-than-jax" and first.value("has"):
            title = f"The loaded {name} ({first.value('has')}) is older than JAX needs ({first.value('wants')})"
        elif first.name == "cuda-library-unloadable":
            title, why, steps = _unloadable(facts, specs, name or "a library")
            yield Problem(title=title, detail=why, evidence=(*evidence, *_absent(facts)), remedies=steps)
            return
        yield Problem(title=title, evidence=evidence, remedies=_remedies(facts, specs))
    elif elsewhere:
        first = elsewhere[0]
        more = f" and {len(elsewhere) - 1} more" if len(elsewhere) > 1 else ""
        yield Problem(
            title=f"{first.value('framework')} loads {first.value('name')}{more} from {first.value('folder')}, "
            "not its own",
            detail="LD_LIBRARY_PATH comes before the folders that the framework's libraries specify themselves.",
            evidence=evidence,
            remedies=_remedies(facts, specs)[:1],
            severity="warning",
        )
    elif double or said:
        yield Problem(
            title="Wheels of two CUDA major versions are installed side by side",
            evidence=evidence,
            remedies=(Remedy(text="Remove the wheels of the CUDA version that the framework was not built for."),),
            severity="info",
        )


def _unloadable(facts: Facts, specs: Specs, name: str) -> tuple[str, str | None, tuple[Remedy, ...]]:
    """Return title, reason and steps where JAX cannot load a library: by what the text shows, another copy comes first
    or the wheel is not installed; else both are possible.
    """
    clean, *again = _remedies(facts, specs)
    path = (facts.variable("LD_LIBRARY_PATH") or "").split(":")
    tried = (one for one in facts.snapshot.observations if isinstance(one, Experiment) and one.outcome == "works")
    cured = any("LD_LIBRARY_PATH" in one.condition for one in tried)
    folder = next((one for one in path if "cuda" in one.lower()), "another CUDA" if cured else None)
    if _absent(facts):
        return f"JAX cannot load {name}: NVIDIA's CUDA wheels are not installed in this environment", None, tuple(again)
    if folder is None:
        return f"JAX cannot load {name}: it is missing, or another CUDA comes before it", None, (clean, *again)
    first = f"LD_LIBRARY_PATH puts the libraries of {folder} before those of its wheels"
    why = "The wheel's library then finds another release of those that it needs itself, such as nvJitLink."
    return (
        f"JAX cannot load {name}: {first}",
        why,
        (clean if in_container(facts) else fix(specs, "nvidia", "jax-without-variable"), *again),
    )


def _absent(facts: Facts) -> tuple[Evidence, ...]:
    """Return the search through the installed packages that shows none of NVIDIA's libraries, if the text has one."""
    absent = holds(["unlisted.nvidia-cusparse-cu12", "unlisted.nvidia-cusparse"], facts)
    return quoted(facts.stated(SEARCHED), 1) if absent else ()


def _remedies(facts: Facts, specs: Specs) -> tuple[Remedy, ...]:
    from accel.resolver.remedies import install, machine_of
    from accel_nvidia.wheels import of_two_majors

    clean = fix(specs, "nvidia", "one-cuda-in-image" if in_container(facts) else "without-library-path")
    framework = "jax" if _is_jax(facts) else "torch"
    if framework == "torch" and not _is_torch(facts):
        return (clean, *_brought_up(facts, specs))
    again = install(
        facts,
        specs,
        framework,
        text="Reinstall the framework with its CUDA wheels, so that all of them come from one release",
        on=machine_of(facts, specs, "nvidia"),
        build=_extra(facts) if framework == "jax" else None,
        again=True,
        remove=(framework, *of_two_majors(facts)),
    )
    return (clean, again)


def _brought_up(facts: Facts, specs: Specs) -> tuple[Remedy, ...]:
    """Return the step that upgrades the wheel of the library in the message: the only copy may be an old one."""
    told = facts.stated("cuda-library-symbol-missing")
    names = [found for fact in told for found in re.findall(r"lib\w+\.so\.\d+", fact.text)[-1:]]
    rows = (specs.table("nvidia/library_wheels") or {}).get("libraries", ())
    wheels = dict.fromkeys(row["wheel"] for name in names for row in rows if row["soname"] == name)
    if len(wheels) != 1:
        return ()
    wheel = next(iter(wheels))
    return (
        Remedy(
            text=f"If there is only one copy, it is older than the program needs: update {wheel}.",
            command=command_line("pip install --upgrade", package_word(wheel)),
            action="env",
        ),
    )


def _library(fact: Fact, specs: Specs) -> str | None:
    """Return the library in the message: of the symbol, of the version, or of the file that lacks the symbol."""
    if fact.value("library"):
        return fact.value("library")
    if fact.name == "cuda-library-older-than-jax":
        return specs.components.title(fact.value("component") or "")
    found = re.findall(r"lib\w+\.so[.\d]*", fact.text)
    return found[-1] if found else specs.components.title(fact.value("component") or "a CUDA library")


def _is_jax(facts: Facts) -> bool:
    told = facts.first("cuda-library-older-than-jax", "cuda-library-unloadable")
    return facts.framework("jaxlib") is not None or told is not None


def _is_torch(facts: Facts) -> bool:
    """Return whether the text mentions torch: for other programs, no step reinstalls torch."""
    told = facts.stated("cuda-library-symbol-missing", "library-from-elsewhere")
    known = facts.framework("torch") is not None or facts.package("torch") is not None
    return known or not told or any("torch" in fact.text.lower() for fact in told)


def _extra(facts: Facts) -> str | None:
    """Return the JAX extra for the CUDA in its message: "cuda12" for cuBLAS 12.3.4, for CUDA 12.3."""
    for fact in facts.stated("cuda-library-older-than-jax"):
        if found := re.match(r"1[1-9](?=\.|\d{3})", fact.value("wants") or ""):
            return f"cuda{found[0]}"
    return None
