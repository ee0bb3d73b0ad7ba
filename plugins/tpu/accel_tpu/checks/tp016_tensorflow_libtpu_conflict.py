from accel.resolver.remedies import install, machine_of
from accel.vendors.contract.check import Facts, Problem, Problems, Specs, check, quoted


@check(
    code="TP016",
    name="tensorflow-libtpu-conflict",
    layer="framework",
    family="tpu-libtpu-mismatch",
    reads=(
        *("libtpu-wrong-package", "tpu-function-lacking", "tensorflow-in-use", "tensorflow-tpu-named"),
        *("libtpu-conflict", "pjrt-api-unlike", "pjrt-size-unlike"),
    ),
    needs=("run.program",),
)
def tensorflow_libtpu_conflict(facts: Facts, specs: Specs) -> Problems:
    """tensorflow-tpu and JAX or torch_xla share an environment, but each requires a different package named libtpu.

    Why it matters   The last one installed replaced the other: JAX falls back to the CPU; TensorFlow lacks functions.
    What to do       Uninstall tensorflow-tpu and reinstall the framework's own libtpu, or use separate environments.
    Looks at         a libtpu without get_library_path; functions that libtpu lacks in a text about TensorFlow; unmet
                     requirements of tensorflow-tpu on libtpu 2.x
    Silent when      TensorFlow is not mentioned: the missing function then concerns JAX or torch_xla
    Source           wheel metadata of tensorflow-tpu; jax issue 29989; jax: jax/_src/cloud_tpu_init.py
    """
    wrong = facts.stated("libtpu-wrong-package")
    tensorflow = facts.stated("tensorflow-tpu-named", "tensorflow-in-use")
    named = bool(facts.stated("tensorflow-tpu-named") or facts.packages("tensorflow-tpu"))
    lacking = facts.stated("tpu-function-lacking") if tensorflow or named else ()
    pinned = [f for f in facts.stated("libtpu-conflict") if "tensorflow" in f"{f.value('by')} {f.text}".lower()]
    unlike = facts.stated("pjrt-api-unlike", "pjrt-size-unlike") if named else ()
    if not (wrong or lacking or pinned or unlike):
        return
    title = "tensorflow-tpu and JAX or torch_xla require different packages named libtpu"
    if wrong:
        title = "The installed libtpu is not the one that JAX needs: TensorFlow's has replaced it"
    elif lacking:
        title = "TensorFlow loads a libtpu that is not its own"
    machine = machine_of(facts, specs, "tpu")
    text = (
        "Uninstall TensorFlow's TPU build and both copies of libtpu (plain tensorflow may stay), and install JAX again"
    )
    remove = ("tensorflow-tpu", "libtpu", "libtpu-nightly")
    yield Problem(
        title=title,
        evidence=quoted((*wrong, *lacking, *pinned, *unlike, *tensorflow[:1])),
        remedies=(install(facts, specs, "jax", text=text, on=machine, again=True, remove=remove),),
        severity=None if wrong or lacking else "warning",
    )
