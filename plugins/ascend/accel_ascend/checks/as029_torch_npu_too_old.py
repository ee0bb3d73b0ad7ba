from collections.abc import Iterator

from accel.resolver.installer import pip_install
from accel.vendors.contract.check import Evidence, Fact, Facts, Problem, Problems, Remedy, Specs, applies, check, quoted
from accel.vendors.contract.command import bounded_word, command_line, requirement_word, url_word
from accel_ascend.compatibility import cann_of_torch_npu, releases_behind
from accel_ascend.concern import cann_version, version_of
from accel_ascend.pairs import below_floor, vllm_row
from accel_ascend.versions import release

_INDEX = "https://mirrors.huaweicloud.com/ascend/repos/pypi"


@check(
    code="AS029",
    name="npu-torch-npu-too-old",
    layer="framework",
    family="npu-torch-npu-mismatch",
    reads=("torch-npu-attribute-missing", "ascend-version-file"),
    needs=("package.torch-npu", "package.vllm-ascend"),
    requires=("npu-torch-npu-mismatch",),
)
def npu_torch_npu_too_old(facts: Facts, specs: Specs) -> Problems:
    """torch_npu is too old for the program that calls it, although it matches torch.

    Why it matters   The program stops at the first operator that this torch_npu lacks.
    What to do       Install the torch_npu in the program's version table, for the same torch.
    Looks at         operators and names that torch_npu or its torchair lack; the row of the installed vllm-ascend,
                     where a release's rc1 is older than its dev builds
    Silent when      the missing attribute belongs to the program's own class, or to torch's loading; the name in
                     torch_npu.npu is no operator (newer releases dropped some); torch_npu meets the row
    Source           specs/ascend/versions.yaml; github.com/vllm-project/vllm-ascend/issues/166, /218;
                     github.com/Ascend/pytorch/issues/37, /60
    """
    told = tuple(
        fact
        for fact in facts.stated("torch-npu-attribute-missing")
        if "partially initialized" not in fact.text and not _of_another_kind(fact)
    )
    npu, plugin = version_of(facts, "torch-npu"), version_of(facts, "vllm-ascend")
    row = vllm_row(specs, plugin) if plugin else None
    floor = str(row["torch_npu"]) if row else None
    below = npu is not None and floor is not None and below_floor(npu, floor) and release(npu) == release(floor)
    applies(bool(told) or npu is not None, "torch_npu is not installed")
    if not told and (not below or _cann_is_older_still(facts, specs, npu)):
        return
    torchair = any("torchair" in (fact.value("inside") or fact.text) for fact in told)
    name = next((value for fact in told if (value := fact.value("name"))), None)
    evidence = quoted(told)
    evidence += (Evidence(fact="torch-npu", value=npu),) if npu else ()
    evidence += (Evidence(fact="vllm-ascend", value=f"{plugin}: it requires torch_npu {floor}"),) if below else ()
    had = f"torch_npu {npu}" if npu else "The installed torch_npu"
    yield Problem(
        title=f"{had} is older than vllm-ascend {plugin} requires: {floor}"
        if below
        else f"{had} is too old: its torchair lacks {name or 'a name'}"
        if torchair
        else f"{had} is older than the program needs: it lacks {name or 'an operator'}",
        evidence=evidence,
        remedies=tuple(_remedies(facts, npu, floor if below else None, plugin, torchair)),
    )


def _remedies(facts: Facts, npu: str | None, floor: str | None, plugin: str | None, torchair: bool) -> Iterator[Remedy]:
    if floor is not None:
        yield Remedy(
            text="Install the torch_npu that this vllm-ascend requires; the vendor's index has .dev and .post builds.",
            command=pip_install(facts, requirement_word("torch-npu", floor.partition("+")[0]), extra=_INDEX),
            action="env",
        )
        return
    caller = "the vllm-ascend release" if plugin else "the calling program's release"
    line = f" for torch {release(npu)}" if npu else ""
    if torchair:
        text = f"Install the next .postN of the same line{line}: torchair is part of torch_npu."
    else:
        text = (
            f"Install a later build of torch_npu{line}: a dev build or .postN, as listed in the calling "
            "program's table."
        )
    same = bounded_word("torch-npu", f"=={release(npu)}.*" if npu else "")
    update = command_line("pip install --upgrade --pre", same, "--extra-index-url", url_word(_INDEX))
    listing = command_line("pip index versions torch-npu --pre --extra-index-url", url_word(_INDEX))
    yield Remedy(text=text, command=update if npu else listing, action="env")
    yield Remedy(text=f"Or use {caller} made for this torch_npu.")


def _cann_is_older_still(facts: Facts, specs: Specs, npu: str | None) -> bool:
    """Return whether CANN is too old even for the installed torch_npu: AS018 then names the row to use."""
    cann, wanted = cann_version(facts), cann_of_torch_npu(specs, npu) if npu else None
    return bool(cann and wanted and (releases_behind(specs, cann, wanted) or 0) >= 2)


def _of_another_kind(fact: Fact) -> bool:
    """Return whether no later torch_npu has the name: torch's own hook, or a name dropped from torch_npu.npu."""
    name, inside = fact.value("name") or "", fact.value("inside") or ""
    return name == "_autoload" or (inside == "torch_npu.npu" and not name.lstrip("_").startswith("npu"))
