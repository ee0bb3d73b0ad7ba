from typing import Final

from accel.specs.versions import numbers
from accel.vendors.contract.check import Evidence, Facts, Problem, Problems, Remedy, Specs, applies, check, need, quoted
from accel.vendors.toolkit.table_steps import fix
from accel_tpu.signs import need_tpu, type_here

_FIRST_JAX: Final = {"v6e": "0.4.37"}  # the release from which a generation works


@check(
    code="TP006",
    name="tpu-jax-on-cpu",
    layer="framework",
    family="jax-cpu-only-with-gpu",
    reads=("tpu-seen-without-libtpu", "jax-fell-back", "tpu-backend-failed", "tpu-type"),
    needs=("tpu.devices", "framework.jax.available"),
    requires=("jax-tpu-node-unsupported", "libtpu-without-tpu"),
    explained_by=(
        *("tpu-libtpu-missing", "tpu-libtpu-mismatch", "tensorflow-libtpu-conflict", "tpu-held-by-other-process"),
        *("tpu-device-permission", "tpu-device-node-missing", "tpu-container-without-devices", "tpu-stale-lockfile"),
        *("tpu-slice-incomplete", "tpu-process-env-incomplete", "tpu-metadata-unreachable", "tpu-chips-hidden"),
        *("tpu-load-forbidden", "tpu-vm-runtime-mismatch", "jax-jaxlib-mismatch"),
    ),
)
def jax_on_cpu(facts: Facts, specs: Specs) -> Problems:
    """The machine has a TPU, but JAX runs on the CPU.

    Why it matters   The program runs, a hundred times slower than it should.
    What to do       Install JAX with its TPU extra; then set JAX_PLATFORMS=tpu to get an error instead of the fallback.
    Looks at         JAX's fallback warnings; JAX's device list; its backend error; JAX_PLATFORMS
    Silent when      JAX lists a TPU, the program stopped without it, or no TPU is mentioned: every machine without one
                     prints "No GPU/TPU found"; undecided if JAX's devices are unknown
    Source           jax: jax/_src/xla_bridge.py; jax's changelog for 0.4.37
    """
    need_tpu(facts)
    jax = facts.framework("jax")
    available = jax.available if jax else None
    if available:
        return
    said = facts.stated("tpu-seen-without-libtpu", "jax-fell-back")
    failed = facts.stated("tpu-backend-failed")
    if not said and available is not False:
        applies(facts.live or not facts.of("tpu"), "the text does not show what JAX lists")
        if facts.of("tpu") and (jax is not None or facts.package("jax") is not None):
            need(None, "jax.devices()")
        return
    platforms = facts.variable("JAX_PLATFORMS")
    evidence = quoted((*said, *failed))
    if jax and jax.devices:
        evidence += (Evidence(fact="jax.devices()", value=", ".join(jax.devices)),)
    if platforms is not None:
        evidence += (Evidence(fact="JAX_PLATFORMS", value=platforms),)
    old = _too_old(facts, specs)
    yield Problem(
        title=old or "JAX does not use this machine's TPU",
        evidence=evidence,
        remedies=_remedies(facts, specs, bool(facts.stated("tpu-seen-without-libtpu")) or not failed, old is not None),
    )


def _too_old(facts: Facts, specs: Specs) -> str | None:
    """Return the title if the installed jax is older than the first that supports this generation."""
    here = type_here(facts, specs)
    jax = facts.package("jax")
    first = _FIRST_JAX.get(here.generation) if here else None
    if first is None or here is None or jax is None or jax.version is None or numbers(jax.version) >= numbers(first):
        return None
    return f"jax {jax.version} is too old for a {here.generation}: it needs {first} or newer"


def _remedies(facts: Facts, specs: Specs, without: bool, old: bool) -> tuple[Remedy, ...]:
    from accel.resolver.remedies import install, machine_of

    ask = fix(specs, "tpu", "request-tpu")
    if not (without or old):
        return (ask,)
    text = "Install JAX with its TPU extra, which includes libtpu and the matching jaxlib"
    machine = machine_of(facts, specs, "tpu")
    return (install(facts, specs, "jax", text=text, on=machine, again=True, newest=old), ask)
