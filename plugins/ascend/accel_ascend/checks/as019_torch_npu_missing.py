from accel.vendors.contract.check import Evidence, Fact, Facts, Problem, Problems, Specs, applies, check, quoted
from accel.vendors.toolkit.table_steps import fix, fixes
from accel_ascend.concern import chips, npu_machine, only_on_ascend


@check(
    code="AS019",
    name="npu-torch-npu-missing",
    layer="framework",
    reads=(
        "torch-npu-missing",
        "torch-npu-attribute-missing",
        "torch-npu-source-tree",
        "ascend-named",
        "ascend-version-file",
    ),
    needs=("ascend.devices", "package.torch-npu"),
)
def npu_torch_npu_missing(facts: Facts, specs: Specs) -> Problems:
    """torch_npu is not installed in the Python that needs it, or cannot be imported.

    Why it matters   torch alone does not support NPUs; vLLM and others then use another device or stop.
    What to do       Install the torch_npu of the torch release in this Python; if Python runs in torch_npu's source
                     tree, change to another folder.
    Looks at         `No module named torch_npu`; a torch_npu without the hook that torch calls; on machines with chips,
                     a complete package list without it
    Silent when      it is installed, or was installed later; the package list is incomplete; torch is not installed
    Source           github.com/vllm-project/vllm-ascend/issues/166; github.com/Ascend/pytorch/issues/24
    """
    only_on_ascend(facts)
    told = facts.stated("torch-npu-missing")
    shadowed = tuple(f for f in facts.stated("torch-npu-attribute-missing") if f.value("name") == "_autoload")
    if shadowed:
        yield Problem(
            title="Python imports something other than the installed torch_npu",
            detail="torch loads it by its installation record, and finds a torch_npu that lacks the entry: a "
            "folder of this name where Python was started, or the remains of another installation.",
            evidence=quoted(shadowed),
            remedies=fixes(specs, "ascend", "imported-from", "leave-folder"),
        )
        return
    torch = facts.package("torch")
    lacking = bool(chips(facts)) and torch is not None and facts.lacks_package("torch-npu")
    last = max((fact.line or 0 for fact in told), default=0)
    later = any((fact.line or 0) > last for fact in facts.stated("torch-npu-attribute-missing"))
    applies(not (told and later), "torch_npu was installed afterwards")
    if not told and not lacking:
        return
    half = [fact for fact in told if (fact.value("name") or "").startswith("torch_npu._C")]
    in_tree = bool(half) and (bool(facts.stated("torch-npu-source-tree")) or any(_in_own_folder(fact) for fact in half))
    torch_evidence = (Evidence(fact="torch", value=str(torch.version)),) if torch else ()
    leave = fix(specs, "ascend", "leave-folder")
    from accel.resolver.remedies import install

    again = (
        install(
            facts, specs, "torch-npu", text="Install it for this torch", on=npu_machine(facts, specs), again=bool(half)
        )
        if torch is not None and torch.version
        else fix(specs, "ascend", "torch-npu-of-torch")
    )
    yield Problem(
        title="torch_npu is imported from its source tree"
        if in_tree
        else "torch_npu's compiled part is missing"
        if half
        else "torch_npu is not installed in this Python",
        detail="Python was started in a folder that contains torch_npu's sources."
        if in_tree
        else "Either Python was started in a folder that contains torch_npu's sources, or the installed wheel is "
        "for another Python version, or incomplete."
        if half
        else None,
        severity="error" if told else "warning",
        evidence=quoted(told) + torch_evidence,
        remedies=(leave,) if in_tree else (leave, again) if half else (again,),
    )


def _in_own_folder(fact: Fact) -> bool:
    """Return whether the importing file is in the source tree, outside any installed Python."""
    path = fact.value("wanted_by") or ""
    return "torch_npu" in path and "site-packages" not in path and "dist-packages" not in path
