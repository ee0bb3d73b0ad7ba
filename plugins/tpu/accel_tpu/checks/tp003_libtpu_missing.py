"""libtpu is not installed on a machine with a TPU."""

from collections.abc import Iterator
from typing import TYPE_CHECKING

from accel.contract.check import Evidence, Problem, check, need
from accel.resolver.remedies import install, machine_of
from accel_tpu.signs import need_tpu_or_wish, quoted, tpu_seen

if TYPE_CHECKING:
    from accel.facts.questions import Facts
    from accel.specs import Specs


@check(code="TP003", name="tpu-libtpu-missing", layer="framework")
def libtpu_missing(facts: "Facts", specs: "Specs") -> Iterator[Problem]:
    """The machine has a TPU, and libtpu, which drives it, is not installed.

    Why it matters   JAX falls back to the CPU with one line of warning, and runs a hundred times slower.
    What to do       Install the framework with its TPU extra.
    Looks at         JAX's and the loader's sentences; the installed packages
    Silent when      nothing tells of a TPU: JAX looks for libtpu on every machine
    Source           jax: jax/_src/xla_bridge.py
    """
    need_tpu_or_wish(facts)
    missing = facts.events("libtpu-missing", "tpu-seen-without-libtpu")
    installed = facts.packages("libtpu", "libtpu-nightly")
    absent = facts.lacks_package("libtpu", "libtpu-nightly") and bool(facts.packages("jax", "torch-xla"))
    if not missing and not absent:
        if not installed:
            need(True if facts.environment.complete else None, "installed packages")
        return
    framework = "torch-xla" if facts.package("torch-xla") and not facts.package("jax") else "jax"
    text = "Install the framework with its TPU extra, which brings libtpu"
    who = "The machine has a TPU" if tpu_seen(facts) else "A program asked for a TPU"
    yield Problem(
        title=f"{who}, but libtpu is not installed",
        evidence=quoted(missing) or (Evidence(fact="packages", value="no libtpu among them"),),
        remedies=(install(facts, specs, framework, text=text, on=machine_of(facts, specs, "tpu"), again=True),),
    )
