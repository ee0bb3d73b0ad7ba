"""JAX runs on the CPU of a machine with a TPU."""

from collections.abc import Iterator
from typing import TYPE_CHECKING

from accel.contract.check import Evidence, Problem, Remedy, applies, check, need
from accel_tpu.signs import need_tpu, quoted

if TYPE_CHECKING:
    from accel.facts.questions import Facts
    from accel.specs import Specs


@check(
    code="TP006",
    name="tpu-jax-on-cpu",
    layer="framework",
    explained_by=(
        "tpu-libtpu-missing",
        "tpu-libtpu-mismatch",
        "tpu-held-by-other-process",
        "tpu-device-permission",
        "tpu-device-node-missing",
        "tpu-stale-lockfile",
        "tpu-slice-incomplete",
        "tpu-metadata-unreachable",
        "tpu-chips-hidden",
        "tpu-load-forbidden",
    ),
)
def jax_on_cpu(facts: "Facts", specs: "Specs") -> Iterator[Problem]:
    """The machine has a TPU, and JAX lists only the CPU.

    Why it matters   The program runs, a hundred times slower than it should.
    What to do       Mend what the other findings name; ask for the TPU by JAX_PLATFORMS=tpu to have an error instead.
    Looks at         the devices that JAX lists; its backend's error; JAX_PLATFORMS
    Silent when      JAX lists a TPU; undecided where its devices are not known
    Source           jax: jax/_src/xla_bridge.py
    """
    need_tpu(facts)
    jax = facts.framework("jax")
    applies(jax is not None or facts.package("jax") is not None, "JAX is not installed, as far as is known")
    failed = facts.events("tpu-backend-failed")
    available = jax.available if jax else None
    if not failed and available is not False:
        need(available, "jax.devices()")
        return
    if available:
        return
    platforms = facts.variable("JAX_PLATFORMS")
    evidence = quoted(failed)
    if jax and jax.devices:
        evidence += (Evidence(fact="jax.devices()", value=", ".join(jax.devices)),)
    if platforms is not None:
        evidence += (Evidence(fact="JAX_PLATFORMS", value=platforms),)
    yield Problem(
        title="JAX does not use the TPU of this machine",
        evidence=evidence,
        remedies=(
            Remedy(
                text="Ask for the TPU by name: JAX then says why it cannot have it.",
                command='JAX_PLATFORMS=tpu python -c "import jax; print(jax.devices())"',
                action="app",
            ),
        ),
    )
