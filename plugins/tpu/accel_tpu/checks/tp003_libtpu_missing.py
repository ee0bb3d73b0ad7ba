from accel.vendors.contract.check import Evidence, Facts, Problem, Problems, Remedy, Specs, check, need, quoted
from accel.vendors.contract.command import assignment_word, command_line, path_word
from accel.vendors.toolkit.table_steps import fix
from accel_tpu.signs import TELLING, need_tpu

_GUESS = "tpu-enabled jaxlib or libtpu"  # JAX's guess: it found neither


@check(
    code="TP003",
    name="tpu-libtpu-missing",
    layer="framework",
    reads=("libtpu-not-found", "torch-xla-named", *TELLING),
    needs=("tpu.devices", "package.libtpu|libtpu-nightly"),
    requires=("tensorflow-libtpu-conflict", "tpu-held-by-other-process", "jax-tpu-node-unsupported"),
)
def libtpu_missing(facts: Facts, specs: Specs) -> Problems:
    """The machine has a TPU, but libtpu, its driver library, is not installed where the program looks.

    Why it matters   JAX falls back to the CPU with one warning line, and runs a hundred times slower.
    What to do       Install the framework with its TPU extra.
    Looks at         messages of the loader and Python about libtpu; the installed packages
    Silent when      nothing shows a TPU: JAX looks for libtpu on every machine. JAX's guess ("either a TPU-enabled
                     jaxlib or libtpu is not installed") is not enough by itself
    Source           jax: jax/_src/xla_bridge.py; torch_xla: torch_xla/__init__.py
    """
    need_tpu(facts)
    missing = [fact for fact in facts.stated("libtpu-not-found") if _GUESS not in fact.text.lower()]
    installed = facts.packages("libtpu", "libtpu-nightly")
    absent = facts.lacks_package("libtpu", "libtpu-nightly") and bool(facts.packages("jax", "torch-xla"))
    if not missing and not absent:
        if not installed and facts.live:
            need(True if facts.environment.complete else None, "installed packages")
        return
    loaded = [fact for fact in facts.stated("tpu-library-loaded") if "torch_xla" in (fact.value("path") or "")]
    if missing and loaded:
        yield _bundled(loaded[0].value("path") or "", quoted((*missing, *loaded)), specs)
        return
    if missing and installed and not absent:
        return  # it is installed: another environment, or the wrong version
    of_torch = (facts.package("torch-xla") or facts.stated("torch-xla-named")) and not facts.package("jax")
    text = "Install the framework with its TPU extra, which includes libtpu"
    framework = "torch-xla" if of_torch else "jax"
    from accel.resolver.remedies import install, machine_of

    yield Problem(
        title="The machine has a TPU, but libtpu is not installed",
        evidence=quoted((*missing, *facts.stated("tpu-seen-without-libtpu")))
        or (Evidence(fact="packages", value="no libtpu among them"),),
        remedies=(install(facts, specs, framework, text=text, on=machine_of(facts, specs, "tpu"), again=True),),
    )


def _bundled(path: str, evidence: tuple[Evidence, ...], specs: Specs) -> Problem:
    checked = path_word(path)
    variable = assignment_word("TPU_LIBRARY_PATH", checked)
    return Problem(
        title="torch_xla loads its own libtpu.so, but JAX finds none",
        evidence=evidence,
        remedies=(
            Remedy(
                text="Point JAX to that library: set TPU_LIBRARY_PATH to its path.",
                command=command_line("export", variable),
                action="env",
            ),
            fix(specs, "tpu", "libtpu-as-package"),
        ),
    )
