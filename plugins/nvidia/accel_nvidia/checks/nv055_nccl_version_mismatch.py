"""Two NCCL versions in one program or one job."""

from collections.abc import Iterator
from typing import TYPE_CHECKING

from accel.contract.check import Evidence, Problem, Remedy, check
from accel.facts.questions import texts
from accel.resolver.remedies import install, machine_of
from accel_nvidia import signs

if TYPE_CHECKING:
    from accel.facts.questions import Facts
    from accel.specs import Specs


@check(code="NV055", name="nccl-version-mismatch", layer="framework", family="nccl-problem")
def nccl_version_mismatch(facts: "Facts", specs: "Specs") -> Iterator[Problem]:
    """PyTorch is joined with another NCCL than it was compiled with, or with none, or a job mixes them.

    Why it matters   torch cannot be imported (undefined symbol: nccl…), or the job fails when it starts to talk.
    What to do       Keep the one NCCL wheel that torch pins, and take other copies out of LD_LIBRARY_PATH.
    Looks at         undefined symbols that begin with nccl; NCCL's own message; the NCCL wheels installed
    Silent when      two NCCL wheels are installed and nothing fails
    Source           NCCL: src/init.cc; PyTorch's requirement on nvidia-nccl-cu12
    """
    missing, unlike = facts.events("nccl-symbol-missing"), facts.events("nccl-versions-unlike")
    versions = tuple(dict.fromkeys(e.value("version") or "" for e in facts.events("nccl-version")))
    troubled = facts.event("nccl-system-error") is not None
    several = len(versions) > 1 and troubled
    absent = facts.events("nccl-library-missing")
    if not (missing or unlike or several or absent):
        return
    wheels = [p for p in facts.packages() if p.name.startswith("nvidia-nccl-cu")]
    evidence = signs.quoted((*missing, *unlike, *absent))
    if len(versions) > 1:
        evidence = (*evidence, Evidence(fact="NCCL versions printed", value=texts(versions)))
    if wheels:
        evidence = (*evidence, Evidence(fact="NCCL wheels", value=texts(f"{p.name} {p.version}" for p in wheels)))
    title = "The processes of this job use different NCCL versions"
    if absent:
        title = f"{absent[0].value('library')} is not found"
    if missing:
        title = f"The NCCL that was loaded lacks {missing[0].value('symbol')}: it is older than torch's"
    yield Problem(
        title=title,
        evidence=evidence,
        severity=None if missing or unlike or absent else "warning",
        remedies=(
            install(
                facts,
                specs,
                "torch",
                text="Remove the NCCL wheels and reinstall torch, which brings the one it pins",
                on=machine_of(facts, specs, "nvidia"),
                again=True,
                remove=("torch", *(dict.fromkeys(p.name for p in wheels) or ("nvidia-nccl-cu11", "nvidia-nccl-cu12"))),
            ),
            Remedy(
                text="Start without other copies of libnccl on the loader's path.",
                command="env -u LD_LIBRARY_PATH -u LD_PRELOAD python -c 'import torch'",
            ),
        ),
    )
