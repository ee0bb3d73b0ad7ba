from accel.vendors.contract.check import Evidence, Fact, Facts, Problem, Problems, Remedy, Specs, check, need, quoted
from accel.vendors.toolkit.table_steps import fixes
from accel_tpu import pins
from accel_tpu.signs import need_tpu, tpu_seen

_SHARED = ("pjrt-api-unlike", "pjrt-size-unlike")  # a message of code shared by all PJRT plugins
_OWN = ("tpu-function-lacking", "mosaic-version-unlike")
_JAX = "unable to initialize backend"  # JAX's own message


@check(
    code="TP004",
    name="tpu-libtpu-mismatch",
    layer="framework",
    reads=(
        *_SHARED,
        *_OWN,
        "torch-xla-named",
        "tensorflow-in-use",
        "tensorflow-tpu-named",
        "cuda-plugin-named",
        "tpu-word",
        "jaxlib-built-here",
    ),
    needs=("package.libtpu", "package.jax|torch-xla"),
    requires=("tpu-libtpu-missing", "torch-xla-torch-mismatch"),
)
def libtpu_mismatch(facts: Facts, specs: Specs) -> Problems:
    """libtpu is not the release that the framework requires.

    Why it matters   libtpu refuses, crashes, or hides the TPU; each JAX and torch_xla release requires one libtpu.
    What to do       Install the framework with its TPU extra, which pins the matching libtpu.
    Looks at         versions of jax, torch_xla and libtpu; PJRT versions and struct sizes; functions that libtpu lacks;
                     a Pallas kernel's dialect version
    Silent when      the versions match; libtpu is 0.0.21.1 or newer and jax 0.7.1 or newer, which are compatible; the
                     PJRT plugin is CUDA's; undecided for releases missing in specs/tpu/libtpu.yaml
    Source           specs/tpu/libtpu.yaml; openxla/xla: xla/pjrt/c; pytorch/xla issue 6949
    """
    said = _said(facts)
    wrong = pins.unmet(facts, specs)
    if not said and not wrong:
        need_tpu(facts)
        if facts.of("tpu") and facts.packages("jax", "torch-xla") and (facts.live or facts.packages("libtpu")):
            need(pins.libtpu(facts), "libtpu version")
            need(pins.wanted(facts, specs), "the libtpu that the framework requires")
        return
    evidence = quoted(said)
    if has := pins.libtpu(facts):
        evidence += (Evidence(fact="libtpu", value=has),)
    for who, pin in pins.wanted(facts, specs) or ():
        evidence += (Evidence(fact=f"libtpu that {who} requires", value=pin, source="specs/tpu/libtpu.yaml"),)
    both = not wrong and bool(facts.stated("torch-xla-named")) and any(_JAX in fact.text.lower() for fact in said)
    by_torch = pins.torch_xla_speaks(facts, specs) and not both
    who = "torch_xla" if by_torch else "JAX"
    title = f"libtpu and {who} come from different releases"
    if wrong:
        title = f"libtpu {has} is not what {wrong[0]} requires: {wrong[1]}"
    elif said and (versions := _direction(said[0])):
        title = f"libtpu is {versions} than {who}"
    if both:
        title = "torch_xla and JAX share a process, and the loaded libtpu comes from a different release than JAX's"
    yield Problem(
        title=title,
        detail="libtpu, jaxlib and torch_xla communicate through PJRT; each release pins one libtpu.",
        evidence=evidence,
        remedies=fixes(specs, "tpu", "separate-processes")
        if both
        else _for_torch(facts, specs)
        if by_torch
        else _for_jax(facts, specs),
    )


def _said(facts: Facts) -> tuple[Fact, ...]:
    found = list(facts.stated("mosaic-version-unlike"))
    shared = facts.stated(*_SHARED)
    of_cuda = facts.stated("cuda-plugin-named") or any(p.name.startswith("jax-cuda") for p in facts.packages())
    ours = tpu_seen(facts) or facts.stated("torch-xla-named") or facts.packages("libtpu", "libtpu-nightly", "torch-xla")
    spoken = bool(facts.stated("tpu-word")) and not facts.of("nvidia")
    if shared and (ours or spoken) and (not of_cuda or tpu_seen(facts)):
        found += shared
    lacking = [f for f in facts.stated("tpu-function-lacking") if (f.value("symbol") or "").lower().startswith("tpu")]
    if not (facts.stated("tensorflow-in-use", "tensorflow-tpu-named") or facts.packages("tensorflow-tpu")):
        found += lacking
    return tuple(found)


def _direction(fact: Fact) -> str | None:
    """Return whether libtpu is "newer" or "older", if a message says so."""
    for ours, theirs in (("plugin", "framework"), ("expected", "got"), ("has", "wants")):
        one, other = fact.value(ours), fact.value(theirs)
        if one and other and one != other:
            return "newer" if pins.numbers(one) > pins.numbers(other) else "older"
    return None


def _for_torch(facts: Facts, specs: Specs) -> tuple[Remedy, ...]:
    from accel.resolver.remedies import install, machine_of

    version = pins.torch_release(facts)
    wanted = pins.torch_xla_row(version, specs) if version else None
    text = "Install torch_xla with its TPU extra, which includes the matching libtpu"
    text += f", {wanted['version']}" if wanted else ""
    machine = machine_of(facts, specs, "tpu")
    first = install(facts, specs, "torch-xla", text=text, on=machine, version=version, again=version is not None)
    if not facts.packages("jax"):
        return (first,)
    beside = f"jax {wanted['jax']} goes" if wanted and wanted.get("jax") else "only the jax for the same libtpu works"
    second = Remedy(
        text=f"{beside} with this torch_xla; otherwise keep JAX and torch_xla in separate environments.",
        command="python -m venv jax-env && jax-env/bin/pip install 'jax[tpu]'",
        action="env",
    )
    return (first, second)


def _for_jax(facts: Facts, specs: Specs) -> tuple[Remedy, ...]:
    from accel.resolver.remedies import install, machine_of

    if facts.stated("jaxlib-built-here"):
        return fixes(specs, "tpu", "libtpu-of-source-date")
    text = "Install JAX with its TPU extra, so that jaxlib and libtpu come from one release"
    nightly = tuple(p.name for p in facts.packages("libtpu-nightly"))
    machine = machine_of(facts, specs, "tpu")
    return (install(facts, specs, "jax", text=text, on=machine, again=True, remove=nightly),)
