from accel.vendors.contract.check import Evidence, Facts, Problem, Problems, Specs, applies, check, quoted
from accel.vendors.toolkit.table_steps import fix
from accel_ascend.concern import npu_machine, version_of
from accel_ascend.versions import release


@check(
    code="AS017",
    name="npu-torch-npu-mismatch",
    layer="framework",
    reads=("torch-npu-symbol-missing", "ascend-version-file"),
    needs=("package.torch-npu", "package.torch"),
)
def npu_torch_npu_mismatch(facts: Facts, specs: Specs) -> Problems:
    """torch_npu is for another torch release than the installed one.

    Why it matters   Its libraries are built for one torch release: the import fails with an undefined symbol, or it
                     works and errors follow.
    What to do       Install the torch release that torch_npu's version starts with.
    Looks at         versions of torch and torch_npu, without .postN, rc, dev, +cpu; torch symbols missing in torch_npu
    Silent when      the releases match; either is unknown and no symbol is missing
    Source           github.com/Ascend/pytorch/issues/35; github.com/sgl-project/sglang/issues/28628; torch_npu's own
                     requirements
    """
    npu, torch = version_of(facts, "torch-npu"), version_of(facts, "torch")
    told = facts.stated("torch-npu-symbol-missing")
    differ = npu is not None and torch is not None and release(npu) != release(torch)
    applies(differ or bool(told) or npu is not None, "torch_npu is not installed")
    if not differ and not told:
        return
    evidence = quoted(told)
    if npu:
        evidence += (Evidence(fact="torch-npu", value=npu),)
    if torch:
        evidence += (Evidence(fact="torch", value=torch),)
    wanted = release(npu) if npu else None
    from accel.resolver.remedies import install

    yield Problem(
        title=f"torch_npu {npu} is built for torch {wanted}, and torch is {torch}"
        if differ
        else "torch_npu lacks a symbol of torch: it was built for a different torch",
        detail="A later pip install may have replaced torch." if differ else None,
        evidence=evidence,
        remedies=(
            install(
                facts,
                specs,
                "torch-npu",
                text="Install the torch that this torch_npu was built for",
                on=npu_machine(facts, specs),
                again=True,
            )
            if npu
            else fix(specs, "ascend", "torch-of-torch-npu"),
        ),
    )
