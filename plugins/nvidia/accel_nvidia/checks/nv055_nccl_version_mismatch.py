from typing import Final

from accel.facts.questions import texts
from accel.resolver.torch_here import torch_here
from accel.vendors.contract.check import Evidence, Facts, Problem, Problems, Remedy, Specs, check, quoted
from accel.vendors.contract.command import command_line, package_word
from accel.vendors.toolkit.table_steps import fix, fixes

_HIP: Final = "libtorch_hip"


@check(
    code="NV055",
    name="nccl-version-mismatch",
    layer="framework",
    severity="warning",
    family="nccl-problem",
    reads=(
        *("nccl-symbol-missing", "nccl-library-missing", "nccl-versions-unlike", "nccl-version", "nccl-system-error"),
        "nccl-wheels-overlap",
    ),
    needs=("run.program",),
)
def nccl_version_mismatch(facts: Facts, specs: Specs) -> Problems:
    """PyTorch loads another NCCL than it was compiled with, or none, or a job mixes versions.

    Why it matters   torch cannot be imported (undefined symbol: nccl…), or the job fails at its first communication.
    What to do       Keep the one NCCL wheel that torch pins, and remove other copies from LD_LIBRARY_PATH.
    Looks at         undefined symbols that begin with nccl; NCCL's own message; the installed NCCL wheels
    Silent when      there is one NCCL; a log of several runs shows several versions and nothing fails
    Source           NCCL: src/init.cc; PyTorch's requirement on nvidia-nccl-cu12
    """
    missing, unlike = facts.stated("nccl-symbol-missing"), facts.stated("nccl-versions-unlike")
    told = (f.value("version") or "" for f in facts.stated("nccl-version"))
    versions = tuple(dict.fromkeys(v.partition("+")[0] for v in told if "." in v))  # "/dev/shm/nccl-2xQp" is none
    several = len(versions) > 1 and bool(facts.stated("nccl-system-error"))
    absent = facts.stated("nccl-library-missing")
    wheels = [p for p in facts.packages() if p.name.startswith("nvidia-nccl-cu")]
    overwritten = bool(facts.stated("nccl-wheels-overlap"))
    if not (missing or unlike or several or absent or overwritten):
        return
    evidence = quoted((*missing, *unlike, *absent))
    if len(versions) > 1:
        evidence = (*evidence, Evidence(fact="NCCL versions printed", value=texts(versions)))
    if wheels:
        evidence = (*evidence, Evidence(fact="NCCL wheels", value=texts(f"{p.name} {p.version}" for p in wheels)))
    title = "The processes of this job use different NCCL versions"
    if overwritten:
        title = (
            f"{' and '.join(dict.fromkeys(p.name for p in wheels))} contain the same file: the last one installed wins"
        )
    if absent:
        title = f"{absent[0].value('name')} is not found"
    of_hip = [fact for fact in missing if _HIP in fact.text]
    if of_hip:  # torch for ROCm or a similar stack, which does not use NVIDIA's wheels
        yield Problem(
            title=f"The loaded RCCL lacks {of_hip[0].value('name')}: it is older than torch's",
            evidence=quoted(of_hip),
            remedies=fixes(specs, "nvidia", "own-rccl", "which-rccl"),
        )
        return
    if missing:
        title = f"The loaded NCCL lacks {missing[0].value('name')}: it is older than torch's"
    from accel.resolver.remedies import install, machine_of

    yield Problem(
        title=title,
        evidence=evidence,
        remedies=(
            (None if overwritten or torch_here(facts, specs).version else _newer_wheel(facts))
            or install(
                facts,
                specs,
                "torch",
                text="Remove the NCCL wheels and reinstall torch, which installs the one it pins",
                on=machine_of(facts, specs, "nvidia"),
                again=True,
                remove=("torch", *(dict.fromkeys(p.name for p in wheels) or ("nvidia-nccl-cu11", "nvidia-nccl-cu12"))),
            ),
            fix(specs, "nvidia", "without-other-nccl"),
        ),
    )


def _newer_wheel(facts: Facts) -> Remedy | None:
    """Return the step that leaves a torch of unknown release as it is; None if nothing tells its CUDA."""
    asked = facts.first("torch-build-asked")
    major = ((asked.value("cuda") if asked is not None else None) or "").partition(".")[0]
    if not major or not facts.stated("nccl-symbol-missing"):
        return None
    return Remedy(
        text="Install the newest NCCL for torch's CUDA, and leave torch as it is: a newer NCCL has all functions of "
        "older ones. The text does not tell which torch this is.",
        command=command_line("pip install --upgrade", package_word(f"nvidia-nccl-cu{major}")),
    )
